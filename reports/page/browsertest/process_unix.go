//go:build unix

package browsertest

import (
	"os/exec"
	"syscall"
)

// own gives the browser a group of its own, so that its helpers end with it.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end ends the browser and its helpers.
func end(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
