package supervisor

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"infnet/backends/redact"
)

// Main takes over the process if Start made it to supervise a server, and does
// not return then. Otherwise it returns at once. It must be called first thing
// by main, and by TestMain of packages whose tests start servers.
func Main() {
	hasMain.Store(true)
	if os.Getenv(variable) == "" || os.Args[0] != title {
		return
	}
	runtime.LockOSThread() // the engine's parent-death signal is tied to this thread
	unix.CloseOnExec(3)
	unix.CloseOnExec(4)
	_ = unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) // what infnet inherited; since Linux 5.11
	s := &supervision{reports: json.NewEncoder(os.NewFile(4, "reports"))}
	os.Exit(s.run(os.NewFile(3, "orders")))
}

type supervision struct {
	order
	reports *json.Encoder
	engine  int // its pid
}

func (s *supervision) run(orders io.Reader) int {
	// Caught and dropped, not ignored: what is ignored stays ignored in the
	// engine. Whether anything ends is decided by the pipe alone.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	in := bufio.NewReader(orders)
	if err := json.NewDecoder(in).Decode(&s.order); err != nil {
		return 1 // infnet ended before it had said anything
	}
	output, log, err := s.start()
	if err != nil {
		_ = s.reports.Encode(report{Failed: err.Error()})
		return 1
	}
	_ = s.reports.Encode(report{Started: s.engine})
	asked, logged := make(chan struct{}), make(chan struct{})
	ended, gone := make(chan syscall.WaitStatus, 1), make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, in)
		close(asked)
	}()
	go func() {
		follow(output, log, redact.New(s.Secrets...))
		close(logged)
	}()
	go reap(s.engine, ended, gone)

	var status syscall.WaitStatus
	var known bool
	select {
	case status, known = <-ended:
	case <-asked:
	}
	end := ExitError{Left: stop(s.Grace, func() []process { return descendants(os.Getpid()) })}
	if len(end.Left) == 0 {
		<-gone
	}
	if !known {
		select {
		case status = <-ended:
		default: // it could not be stopped
		}
	}
	if end.Code = status.ExitStatus(); status.Signaled() {
		end.Signal = status.Signal().String()
	}
	// Every writer has ended, but for one that got the pipe from a process and
	// is no child of ours.
	select {
	case <-logged:
	case <-time.After(5 * time.Second):
	}
	_ = s.reports.Encode(report{End: &end})
	return 0
}

// start runs the engine, with its output in a pipe of ours.
func (s *supervision) start() (output, log *os.File, err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, nil, fmt.Errorf("this system has no child subreapers (Linux 3.4 has): %w", err)
	}
	if log, err = openLog(s.Log); err != nil {
		return nil, nil, err
	}
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	defer nothing.Close()
	output, theirs, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	_ = syscall.SetNonblock(int(theirs.Fd()), false) // programs expect of stdout that it blocks
	s.engine, err = syscall.ForkExec(s.Path, append([]string{s.Path}, s.Args...), &syscall.ProcAttr{
		Env: s.Env, Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}, // if the supervisor is killed
		Files: []uintptr{nothing.Fd(), theirs.Fd(), theirs.Fd()},
	})
	_ = theirs.Close()
	if err != nil {
		return nil, nil, cannotRun(s.Path, err)
	}
	return output, log, nil
}

func cannotRun(path string, err error) error {
	why := ""
	switch {
	case errors.Is(err, syscall.ENOENT):
		why = ": its first line (#!) names a program that is not there; correct it, or install it again"
	case errors.Is(err, syscall.ENOEXEC):
		why = ": it is no program of this machine's kind, nor a script with a first line such as #!/bin/sh"
	}
	return fmt.Errorf("%s cannot be run%s: %w", path, why, err)
}

// reap waits for every child. These are, one after the other, all descendants: when there is no child, nothing is left.
func reap(engine int, ended chan<- syscall.WaitStatus, gone chan<- struct{}) {
	defer close(gone)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return
		case pid == engine:
			ended <- status
		}
	}
}
