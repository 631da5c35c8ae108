package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
)

// temporary is the name of a file that store.WriteTo has not finished:
// .NAME.PID-N.tmp.
var temporary = regexp.MustCompile(`^\..+\.([0-9]+)-[0-9]+\.tmp$`)

// sweep removes the temporary files that killed processes left in a run's
// folder, so that a run that goes on ends with the same files as one nobody
// disturbed. Those of living processes stay. What cannot be removed stays too:
// it is in nobody's way.
func sweep(dir string) {
	for _, folder := range []string{dir, filepath.Join(dir, tablesFolder), filepath.Join(dir, policiesFolder)} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // not made yet
		}
		for _, e := range entries {
			name := temporary.FindStringSubmatch(e.Name())
			if name == nil || !e.Type().IsRegular() {
				continue
			}
			// This process has nothing open yet: its number on a file is that
			// of a predecessor.
			if pid, err := strconv.Atoi(name[1]); err == nil && (pid == os.Getpid() || !alive(pid)) {
				os.Remove(filepath.Join(folder, e.Name()))
			}
		}
	}
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
