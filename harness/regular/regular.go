// Package regular owns how files that a user names are opened, and how a lock file is held: only regular
// files are opened. A pipe, a device or a socket would be waited on or read without
// end, so they are refused before they are opened, whatever leads to them.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrKind is what is named being no regular file: a caller for which a missing
// file is nothing special still says this.
var ErrKind = errors.New("not a regular file")

// most is the most bytes of a file that is read into memory whole.
const most = 2 << 30

// Open opens a file for reading.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := check(path, info); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// OpenFile is os.OpenFile of a file that is not there yet or is a regular one.
func OpenFile(path string, flags int, perm fs.FileMode) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := check(path, info); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, flags, perm)
}

// ReadFile reads a file.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(path, f)
}

func read(path string, f io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(b) > most {
		err = &fs.PathError{Op: "read", Path: path,
			Err: fmt.Errorf("more than %d bytes: not a file of the kind that is read here", most)}
	}
	return b, err
}

func check(path string, info fs.FileInfo) error {
	kind := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	default:
		kind = "neither a file nor a folder"
	}
	return &fs.PathError{Op: "open", Path: path,
		Err: fmt.Errorf("is %s, %w: name a file, or copy its content into one", kind, ErrKind)}
}

// DirFS is os.DirFS whose files are regular ones.
func DirFS(dir string) fs.FS { return folder{os.DirFS(dir)} }

type folder struct{ inner fs.FS }

func (d folder) Open(name string) (fs.File, error) {
	info, err := fs.Stat(d.inner, name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		if err := check(name, info); err != nil {
			return nil, err
		}
	}
	return d.inner.Open(name)
}

func (d folder) ReadFile(name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(name, f)
}

func (d folder) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(d.inner, name) }
func (d folder) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(d.inner, name) }

// Current reports whether f is still the file that path names.
func Current(f *os.File, path string) bool {
	a, errA := f.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}
