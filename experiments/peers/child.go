package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// ready is a child's first line: its data are in memory.
type ready struct {
	Version string `json:"version"` // of the library; empty for ours
	Missing string `json:"missing"` // what must be installed for it to run
	Error   string `json:"error"`
}

// taken is what one run took.
type taken struct {
	CPU   float64 `json:"cpu"`   // processor seconds, user and system, of the process and those it started
	Wall  float64 `json:"wall"`  // seconds
	Peak  float64 `json:"peak"`  // MiB, the largest resident set so far
	Value float64 `json:"value"` // see task
	Error string  `json:"error"`
}

// serve runs a work of ours as often as the parent asks: a line in, a figure out.
func serve(ctx context.Context, o options, in io.Reader, out io.Writer) error {
	answers := json.NewEncoder(out)
	w, err := named(o.child)
	at := place{folder: o.folder, infnet: o.infnet, peak: new(float64)}
	var t task
	if err == nil {
		t, err = w.ours(ctx, at)
	}
	if err != nil {
		return answers.Encode(ready{Error: err.Error()})
	}
	if err := answers.Encode(ready{}); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		*at.peak = 0
		cpu, start := processor(), time.Now()
		err := t.run()
		f := taken{CPU: processor() - cpu, Wall: time.Since(start).Seconds(), Peak: max(peak(), *at.peak)}
		switch {
		case err != nil:
			f.Error = err.Error()
		case t.value != nil:
			f.Value = t.value()
		}
		if err := answers.Encode(f); err != nil {
			return err
		}
	}
	return lines.Err()
}

// processor returns the processor seconds used so far, by this process and by
// those that it ran.
func processor() (seconds float64) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			seconds += float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
		}
	}
	return seconds
}

// peak returns the largest resident set of this process in MiB; 0 where there
// is no /proc. The kernel's other count begins with the parent's size.
func peak() (mib float64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(status)) {
		var kB float64
		if n, _ := fmt.Sscanf(l, "VmHWM: %f kB", &kB); n == 1 {
			mib = kB / 1024
		}
	}
	return mib
}

// child is a program under measurement, ours or a peer's.
type child struct {
	name    string
	version string
	command *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
}

// oneThread is the environment of every program under measurement.
func oneThread() []string {
	return append(os.Environ(), "GOMAXPROCS=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1",
		"PYTHONDONTWRITEBYTECODE=1")
}

// errMissing is the error of a peer that is not installed.
type errMissing struct{ what string }

func (e errMissing) Error() string { return "not installed: " + e.what }

// start runs a program and waits until its data are in memory.
func start(ctx context.Context, name, program string, args ...string) (*child, error) {
	c := &child{name: name, command: exec.CommandContext(ctx, program, args...)}
	c.command.Env = oneThread()
	c.command.Stderr = os.Stderr
	in, err := c.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, json.NewDecoder(out)
	if err := c.command.Start(); err != nil {
		return nil, errMissing{fmt.Sprintf("%s (%v)", program, err)}
	}
	var r ready
	err = c.out.Decode(&r)
	switch {
	case err != nil:
		err = fmt.Errorf("%s ended before its data were in memory: %w", name, err)
	case r.Missing != "":
		err = errMissing{r.Missing}
	case r.Error != "":
		err = fmt.Errorf("%s: %s", name, r.Error)
	}
	if err != nil {
		return nil, errors.Join(err, c.end())
	}
	c.version = r.Version
	return c, nil
}

// run asks for one run.
func (c *child) run() (taken, error) {
	var f taken
	if _, err := io.WriteString(c.in, "run\n"); err != nil {
		return f, fmt.Errorf("%s has ended: %w", c.name, err)
	}
	if err := c.out.Decode(&f); err != nil {
		return f, fmt.Errorf("%s ended during a run: %w", c.name, err)
	}
	if f.Error != "" {
		return f, fmt.Errorf("%s: %s", c.name, strings.TrimSpace(f.Error))
	}
	return f, nil
}

// end closes the program's input, on which it ends.
func (c *child) end() error {
	c.in.Close()
	return c.command.Wait()
}
