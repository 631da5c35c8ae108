//go:build !unix

package spool

import "os"

// create makes a file that discard removes: here an open file keeps its name.
func create() (*os.File, error) { return os.CreateTemp("", "infnet-*.spool") }

func discard(f *os.File) error {
	err := f.Close()
	if rerr := os.Remove(f.Name()); err == nil {
		err = rerr
	}
	return err
}
