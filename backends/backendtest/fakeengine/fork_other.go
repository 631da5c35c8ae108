//go:build !unix

package fakeengine

// fork does nothing on this system, where no engine is started.
func (e *engine) fork() error { return nil }

func (e *engine) play(string) int { return 1 }
