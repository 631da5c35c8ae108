package policy

import (
	"flag"
	"os"
	"testing"
)

// A small instance takes microseconds, so properties are checked on many; on
// ten thousand with
//
//	go test ./harness/policy -run 'Optimal|Equals|Brackets|Whole|Meets|Smallest' -rapid.checks=10000
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "3000"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
