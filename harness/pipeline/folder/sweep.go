package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"

	"infnet/harness/store"
)

// temporary is the name of a file that store.WriteTo has not finished:
// .NAME.PID-N-HOST-RANDOM.tmp.
var temporary = regexp.MustCompile(`^\..+\.([0-9]+)-[0-9]+-([a-z0-9-]+)-[a-z0-9]{8}\.tmp$`)

// Sweep removes the temporary files that killed processes left in a run's folder, so that a resumed
// run ends with the same files as an undisturbed one. Files of running processes stay, and so do
// files that cannot be removed, which do no harm.
func Sweep(dir string) {
	folders := []string{dir, filepath.Join(dir, Tables)}
	for _, folder := range append(folders, foldersIn(filepath.Join(dir, Figures))...) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // not made yet
		}
		for _, e := range entries {
			name := temporary.FindStringSubmatch(e.Name())
			if name == nil || !e.Type().IsRegular() || name[2] != store.Host() {
				continue // no such file, or another machine's
			}
			// This process has nothing open yet: its number on a file is that
			// of a predecessor.
			if pid, err := strconv.Atoi(name[1]); err == nil && (pid == os.Getpid() || !alive(pid)) {
				os.Remove(filepath.Join(folder, e.Name()))
			}
		}
	}
}

// foldersIn are a folder and those in it, each before its own; none where it does not exist. Links are not followed.
func foldersIn(dir string) (folders []string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			folders = append(folders, path)
		}
		return nil // what cannot be read is left as it is
	})
	return folders
}

// keepOnly removes files with one of the endings from folders of a run, except those named, by their paths: tables and
// thresholds of an earlier run must not be mistaken for this one's. A folder below the first that is empty then is
// removed too.
func keepOnly(folders []string, paths []string, endings ...string) error {
	for i := len(folders) - 1; i >= 0; i-- {
		entries, err := os.ReadDir(folders[i])
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			path := filepath.Join(folders[i], e.Name())
			if !e.Type().IsRegular() || slices.Contains(paths, path) || !slices.Contains(endings, filepath.Ext(e.Name())) {
				continue
			}
			if err := remove(path); err != nil {
				return err
			}
		}
		if i > 0 {
			_ = os.Remove(folders[i]) // stays where something is in it
		}
	}
	return nil
}

// Writable reports, before anything expensive is done, whether a folder could be
// written to. It leaves nothing behind.
func Writable(dir string) error {
	there := dir
	for _, err := os.Stat(there); errors.Is(err, os.ErrNotExist) && filepath.Dir(there) != there; _, err = os.Stat(there) {
		there = filepath.Dir(there)
	}
	probe, err := os.CreateTemp(there, ".infnet-probe-")
	if err != nil {
		return &store.WriteError{Op: "write results", Path: dir, Hint: "name a folder that can be written to with --out",
			Err: err}
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// alive reports whether a process exists, whoever owns it.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
