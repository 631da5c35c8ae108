package main

import (
	"context"
	"fmt"
)

// work is something that a user of infnet waits for.
type work struct {
	name  string // of -only
	title string // of the table
	peers []string
	// data writes what both programs read into a folder. nil = nothing.
	data func(folder string) error
	// ours loads the data.
	ours func(ctx context.Context, at place) (task, error)
}

// task is work whose data are in memory.
type task struct {
	run func() error // what is measured
	// value is a number of the last run's result, for a reader to see that the
	// programs did the same. nil = none.
	value func() float64
}

// place is where a work finds what it needs.
type place struct {
	folder string // with its data
	infnet string // the program, for works that are commands

	peak *float64 // MiB, the largest resident set of a command since it was set to 0
}

// works are all, in the order of the table.
var works = concat(statistics, trees, texts, policies, networks, commands)

func concat(lists ...[]work) (all []work) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// named finds a work, also one of a series at one size.
func named(name string) (work, error) {
	all := works
	for _, s := range grown {
		all = append(all, s.sized()...)
	}
	for _, w := range all {
		if w.name == name {
			return w, nil
		}
	}
	return work{}, fmt.Errorf("no work is named %q", name)
}
