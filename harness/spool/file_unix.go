//go:build unix

package spool

import "os"

// create makes a file without a name: the system frees it when the process ends.
func create() (*os.File, error) {
	f, err := os.CreateTemp("", "infnet-*.spool")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func discard(f *os.File) error { return f.Close() }
