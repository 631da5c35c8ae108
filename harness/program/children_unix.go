//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// withChildren makes giving up a program end what it started, too.
func withChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
