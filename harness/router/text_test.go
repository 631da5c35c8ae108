package router

import (
	"flag"
)

var full = flag.Bool("full", false, "train on 6,400 records of all sets, in place of 2,000 of one")
