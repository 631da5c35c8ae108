//go:build !unix

package browsertest

import "os/exec"

func own(*exec.Cmd) {}

// end ends the browser.
func end(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
