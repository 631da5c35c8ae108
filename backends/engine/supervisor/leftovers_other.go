//go:build !linux

package supervisor

import "context"

// identify knows the number alone: only Linux says when a process began, so it may be another program's by now.
func identify(pid int) identity { return identity{PID: pid} }

func place() (boot, namespace string) { return "", "" }

// Leftovers finds nothing on this system.
func Leftovers(string) ([]Leftover, error) { return nil, nil }

// Stop has nothing to stop on this system.
func (l Leftover) Stop(context.Context) error { return nil }
