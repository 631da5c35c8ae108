//go:build unix && !linux

package supervisor

import (
	"context"
	"os"
	"syscall"
	"time"
)

// self is this program.
func self() (string, error) { return os.Executable() }

func closeOnExec() {
	syscall.CloseOnExec(3)
	syscall.CloseOnExec(4)
}

// becomeReaper does nothing: only Linux has subreapers.
func becomeReaper() error { return nil }

// attributes puts the engine into a session, and so a process group, of its
// own: what stays in the group is stopped with it.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// process is not looked up on these systems.
type process struct{ identity }

func descendants(int) []process { return nil }

// stopAll stops the engine's group.
func (s *supervision) stopAll(gone <-chan struct{}) (left []int) {
	return stopGroup(s.Record.Engine.PID, gone, s.Grace)
}

// sweep stops the group of an engine whose supervisor was killed.
func sweep(_ context.Context, r record, grace time.Duration) (left []int) {
	gone := make(chan struct{})
	close(gone) // init reaps
	return stopGroup(r.Engine.PID, gone, grace)
}

// stopGroup stops an engine and its group: SIGTERM, the time of grace, SIGKILL.
func stopGroup(engine int, gone <-chan struct{}, grace time.Duration) (left []int) {
	if engine == 0 {
		return nil
	}
	_ = syscall.Kill(-engine, syscall.SIGTERM)
	if await(gone, engine, grace) {
		return nil
	}
	_ = syscall.Kill(-engine, syscall.SIGKILL)
	if await(gone, engine, powerless) {
		return nil
	}
	return []int{engine}
}

// await waits until the engine and its group are gone.
func await(gone <-chan struct{}, engine int, d time.Duration) bool {
	for end := time.Now().Add(d); ; time.Sleep(10 * time.Millisecond) {
		select {
		case <-gone:
			if syscall.Kill(-engine, 0) == syscall.ESRCH {
				return true
			}
		default:
		}
		if time.Now().After(end) {
			return false
		}
	}
}
