//go:build unix

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
	"strings"
	"syscall"
	"time"

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
	closeOnExec()
	s := &supervision{speaker: newSpeaker(os.NewFile(4, "reports"))}
	code := s.run(os.NewFile(3, "orders"))
	s.finish()
	os.Exit(code)
}

// supervision is the work of a supervisor's process.
type supervision struct {
	order
	*speaker
	record record
	memory memory
}

func (s *supervision) run(orders io.Reader) int {
	// Caught and dropped, not ignored: what is ignored stays ignored in the
	// engine. Whether anything ends is decided by the pipe alone.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	in := bufio.NewReader(orders)
	if err := json.NewDecoder(in).Decode(&s.order); err != nil {
		return 1 // infnet ended before it had said anything
	}
	out, err := s.start()
	if err != nil {
		s.say(report{Failed: err.Error()})
		return 1
	}
	s.say(report{Started: s.record.Engine.PID})
	asked := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, in)
		close(asked)
	}()
	drained := make(chan struct{})
	go func() {
		out.drain()
		close(drained)
	}()
	s.memory.look(time.Now(), oomKills())
	ended, gone := make(chan syscall.WaitStatus, 1), make(chan struct{})
	go reap(s.record.Engine.PID, ended, gone)
	tracked := make(chan struct{})
	go func() {
		s.track(gone)
		close(tracked)
	}()

	var status syscall.WaitStatus
	var known bool
	select {
	case status, known = <-ended:
	case <-asked:
	}
	oom := s.memory.short(time.Now(), oomKills())
	left := s.stopAll(gone)
	if !known {
		select {
		case status = <-ended:
		default: // it could not be stopped
		}
	}
	// Every writer has ended, but for one that got the pipe from a process and
	// is no child of ours.
	select {
	case <-drained:
	case <-time.After(5 * time.Second):
		out.giveUp()
		<-drained
	}
	if len(left) == 0 {
		<-tracked // it writes the record
		removeRecord(s.Record)
	}
	end := ending{Code: status.ExitStatus(), Signal: signalName(status), OOM: oom, Left: left}
	s.say(report{End: &end})
	return 0
}

func signalName(status syscall.WaitStatus) string {
	if !status.Signaled() {
		return ""
	}
	return status.Signal().String()
}

// start runs the engine, with its output in a pipe of ours.
func (s *supervision) start() (*output, error) {
	if err := becomeReaper(); err != nil {
		return nil, err
	}
	var err error
	if s.record, err = readRecord(s.Record); err != nil {
		return nil, fmt.Errorf("its record cannot be read: %w", err)
	}
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer nothing.Close()
	log, err := openLog(s.Log)
	if err != nil {
		return nil, err
	}
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		return nil, err
	}
	syscall.CloseOnExec(pipe[0])
	syscall.CloseOnExec(pipe[1])
	_ = syscall.SetNonblock(pipe[0], true) // ours alone: the engine's end blocks, as programs expect of stdout
	pid, err := syscall.ForkExec(s.Path, append([]string{s.Path}, s.Args...), &syscall.ProcAttr{
		Dir: s.Dir, Env: s.Env, Sys: attributes(),
		Files: []uintptr{nothing.Fd(), uintptr(pipe[1]), uintptr(pipe[1])},
	})
	_ = syscall.Close(pipe[1])
	if err != nil {
		return nil, cannotRun(s.Path, err)
	}
	s.record.Supervisor, s.record.Engine = identify(os.Getpid()), identify(pid)
	s.record.Processes = []identity{s.record.Engine}
	_ = writeRecord(s.Record, s.record) // without it, the marker in the environment still finds the engine
	now := time.Now().UTC().Format(time.RFC3339)
	_, _ = fmt.Fprintf(log, "[infnet: %s: %s]\n", now, strings.Join(s.record.Command, " "))
	o := newOutput(os.NewFile(uintptr(pipe[0]), "output"), newBounded(log), redact.New(s.Secrets...), s.say)
	o.routine = s.Routine
	return o, nil
}

// cannotRun says why a file that is executable could not be run.
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

// reap waits for every child. On Linux these are, one after the other, all
// descendants: when there is no child, nothing is left.
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

// track keeps the record of the descendants up to date.
func (s *supervision) track(gone <-chan struct{}) {
	wait := 50 * time.Millisecond
	for {
		select {
		case <-gone:
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, 2*time.Second)
		s.memory.look(time.Now(), oomKills())
		var now []identity
		for _, p := range descendants(os.Getpid()) {
			now = append(now, p.identity)
		}
		if changed := s.record.add(now); changed {
			_ = writeRecord(s.Record, s.record)
		}
	}
}

// powerless is how long processes of other users are asked to end.
const powerless = 10 * time.Second

// stopAll stops every descendant and returns those that we may not stop.
func (s *supervision) stopAll(gone <-chan struct{}) (left []int) {
	engine := s.record.Engine.PID
	signalAll(engine, syscall.SIGTERM)
	if await(gone, engine, s.Grace) {
		return nil
	}
	began := time.Now()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		all, denied := signalAll(engine, syscall.SIGKILL)
		if await(gone, engine, wait) {
			return nil
		}
		if len(denied) == len(all) && time.Since(began) > powerless {
			return denied
		}
	}
}
