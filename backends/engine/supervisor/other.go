//go:build !linux

package supervisor

import (
	"context"
	"errors"
	"runtime"
)

// Main does nothing on this system: no server is started.
func Main() { hasMain.Store(true) }

func launch(context.Context, order) (*Process, error) {
	return nil, errors.New("infnet starts no servers on " + runtime.GOOS + ", as it could not be sure to stop them: " +
		"start the server by hand and name its address (urls)")
}

func identify(pid int) identity { return identity{PID: pid} }

func place() (boot, namespace string) { return "", "" }

// Leftovers finds nothing on this system.
func Leftovers(string) ([]Leftover, error) { return nil, nil }

// Stop has nothing to stop on this system.
func (l Leftover) Stop(context.Context) error { return nil }
