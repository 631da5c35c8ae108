package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An error on the way leaves the old file and no temporary one.
func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "results.json")
	if err := WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	mine := errors.New("mine")
	err := WriteTo(path, func(w io.Writer) error {
		io.WriteString(w, "new")
		return mine
	})
	if !errors.Is(err, mine) || errors.As(err, new(*WriteError)) {
		t.Errorf("error %v, want the caller's own", err)
	}
	if got := string(read(t, path)); got != "old" {
		t.Errorf("the file holds %q", got)
	}
	if d := cmp.Diff([]string{"results.json"}, names(t, dir)); d != "" {
		t.Error(d)
	}
	err = WriteFile(filepath.Join(path, "below"), nil) // a file where a folder should be
	if !errors.As(err, new(*WriteError)) || !strings.Contains(err.Error(), "--out") {
		t.Errorf("error %v", err)
	}
}

func TestDiagnose(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{syscall.ENOSPC, "cannot write: /x: no space left on device: free some space or name another folder with --out, " +
			"then run the same command again: what was written before is kept"},
		{&os.PathError{Op: "open", Path: "/x", Err: syscall.EROFS},
			"cannot write: /x: read-only file system: the file system is read-only: name another folder with --out"},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EACCES},
			"cannot write: /x: permission denied: grant write permission, or name another folder with --out"},
		{syscall.EIO, "cannot write: /x: input/output error: check the folder, or name another one with --out"},
	} {
		err := diagnose("write", "/x", "--out", test.err)
		if d := cmp.Diff(test.want, err.Error()); d != "" {
			t.Error(d)
		}
		if !errors.Is(err, errors.Unwrap(err)) || !errors.Is(err, test.err) {
			t.Errorf("%v does not wrap %v", err, test.err)
		}
	}
}
