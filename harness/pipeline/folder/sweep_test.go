package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/store"
)

// What dead processes began and never finished goes; all else stays.
func TestSweep(t *testing.T) {
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Skipf("no process to outlive: %v", err)
	}
	dir := t.TempDir()
	tables := filepath.Join(dir, Tables)
	if err := os.Mkdir(tables, 0o777); err != nil {
		t.Fatal(err)
	}
	gone, living, own := dead.Process.Pid, os.Getppid(), os.Getpid()
	temp := func(name string, pid int) string {
		return fmt.Sprintf("%s.%d-1-%s-abcdefgh.tmp", name, pid, store.Host())
	}
	for _, name := range []string{
		temp(".results.json", gone), temp(".results.json", living), temp(".a", own),
		temp(".b", gone), fmt.Sprintf(".c.%d-1-elsewhere-abcdefgh.tmp", gone),
		temp("tables/.all.tex", gone), "results.json", "tables/notes.tmp", ".hidden",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	Sweep(dir)
	var left []string
	for _, folder := range []string{"", "tables/"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			left = append(left, folder+e.Name())
		}
	}
	want := []string{fmt.Sprintf(".c.%d-1-elsewhere-abcdefgh.tmp", gone), ".hidden",
		temp(".results.json", living), "results.json", "tables",
		"tables/notes.tmp"}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Files of an earlier run go, in folders too, and with them the folders that they leave empty; what a user put there
// stays.
func TestKeepOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), Figures)
	for _, name := range []string{"old--flat.svg", "reviews/frontier.svg", "reviews/frontier.png", "gone/frontier.svg",
		"a+b/gone/frontier.svg", "mine/notes.txt", "mine/frontier.svg"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	err := keepOnly(foldersIn(dir), []string{filepath.Join(dir, "reviews", "frontier.svg")}, ".svg", ".png")
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, path); err == nil && rel != "." {
			left = append(left, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"mine", "mine/notes.txt", "reviews", "reviews/frontier.svg"}, left); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := keepOnly([]string{filepath.Join(dir, "never-made")}, nil, ".svg"); err != nil {
		t.Errorf("a folder that does not exist: %v", err)
	}
}
