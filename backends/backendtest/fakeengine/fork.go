//go:build unix

package fakeengine

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// fork starts the children that the settings ask for.
func (e *engine) fork() error {
	for range e.number("workers") {
		if err := e.child("worker", nil, true); err != nil {
			return err
		}
	}
	if e.is("keeper") {
		f, err := e.listener.(*net.TCPListener).File()
		if err != nil {
			return err
		}
		defer f.Close()
		if err := e.child("parent", f, false); err != nil {
			return err
		}
	}
	if e.is("forks") {
		return e.child("hopper", nil, false)
	}
	return nil
}

// child starts this program in another role.
func (e *engine) child(role string, inherited *os.File, session bool) error {
	cmd := exec.Command("/proc/self/exe")
	if _, err := os.Stat(cmd.Path); err != nil {
		cmd.Path = os.Args[0]
	}
	cmd.Args = []string{"VLLM::" + role}
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	if e.is("bare") {
		cmd.Env = []string{nameVariable + "=" + e.name, roleVariable + "=" + role, Settings + "=bare=1"}
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if inherited != nil {
		cmd.ExtraFiles = []*os.File{inherited}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting a %s: %w", role, err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

func (e *engine) play(role string) int {
	switch role {
	case "parent": // of a keeper, which it leaves to whoever takes orphans
		if err := e.child("keeper", os.NewFile(3, "port"), true); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	case "hopper":
		time.Sleep(5 * time.Millisecond)
		if err := e.child("hopper", nil, false); err != nil {
			return 1
		}
		return 0
	}
	for {
		time.Sleep(time.Hour)
	}
}
