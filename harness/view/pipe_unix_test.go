//go:build unix

package view

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe in the place of results would keep whoever opens it waiting for ever.
func TestPipeIsNoRun(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "run", "results.json"), 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is no run and holds none") {
		t.Errorf("error %v, want that there is no run", err)
	}
}
