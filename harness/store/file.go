package store

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"infnet/backends/redact"
)

// temps numbers the temporary files of this process.
var temps atomic.Int64

// WriteFile replaces the file at path with data, or leaves it as it was: the bytes go to a temporary file in the same
// folder, are flushed, and take the name in one step. Missing folders are made. Errors name the path and the fix
// (*WriteError); the flag they point to is --out. Known secrets are taken out of it.
func WriteFile(path string, data []byte) error {
	if k := redact.Known(); k != nil {
		data = []byte(k.Sure(string(data)))
	}
	return WriteTo(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteTo is WriteFile for content that is produced piece by piece. An error
// of fill leaves the file as it was and is returned as it is.
func WriteTo(path string, fill func(io.Writer) error) (err error) {
	fail := func(err error) error { return diagnose("write", path, "--out", err) }
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fail(err)
	}
	temp := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d-%s.tmp", filepath.Base(path), os.Getpid(), temps.Add(1),
		Host()+"-"+strings.ToLower(rand.Text()[:8])))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fail(err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(temp)
		}
	}()
	out := &watched{w: f}
	w := bufio.NewWriter(out)
	if err := fill(w); err != nil {
		if out.err != nil {
			return fail(out.err)
		}
		return err
	}
	for _, step := range []func() error{w.Flush, f.Sync, f.Close} {
		if err := step(); err != nil {
			return fail(err)
		}
	}
	if err := os.Rename(temp, path); err != nil {
		return fail(err)
	}
	if err := syncDir(dir); err != nil {
		return fail(err)
	}
	return nil
}

// Host is this machine's name as names of files have it: two machines may have the same pid.
func Host() string {
	name, err := os.Hostname()
	if err != nil {
		return "x"
	}
	return slug(name[:min(len(name), 20)])
}

// watched remembers the writer's own error, to tell a full disk from a fill function that failed by itself.
type watched struct {
	w   io.Writer
	err error
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

// syncDir flushes a folder's list of names, where the system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, os.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		return nil // not every file system can
	}
	return err
}
