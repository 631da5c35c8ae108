// Package supervisor starts model servers and guarantees that none survives. It owns the processes
// of a server: their start, their log, their end, and the record by which a later run finds what
// an earlier one left. It knows nothing of models, ports or GPUs, and asks no server anything.
//
// Engines' workers leave their parent's process group, and after kill -9 infnet sends no signal. So each server
// runs under a supervisor: this binary, started once more by Start and taken over by Main. It is the subreaper of
// all processes below it, in a session of its own (a signal from the terminal does not reach it), and reads a pipe
// that infnet holds open. When that pipe ends it stops every descendant: SIGTERM, a time of grace, SIGKILL until
// none is left.
//
// Output goes through the supervisor into a log, as clean lines without secrets. What infnet says about a server that
// starts or died, it reads there.
//
// A container is no descendant: it lives below the daemon that started it. Its client passes SIGTERM on, so
// "docker run --rm" in the foreground ends with its server; one that does not end within the time of grace goes on.
//
// All of this is Linux's: other systems have no subreaper, and no server is started there.
package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Server is a program to start, and where its output and its record go.
type Server struct {
	Name    string        // in messages and records, such as "student"
	Path    string        // the program: a path, or a name on the PATH
	Args    []string      // without the program's name
	Env     []string      // the whole environment, "NAME=value"; nil = this process's
	Log     string        // file for the output, appended to; its folder is made
	Grace   time.Duration // between SIGTERM and SIGKILL
	State   string        // folder of the records of running servers; it is made
	Secrets []string      // never written to the log or to the record, in no encoding
	Routine []string      // a line that contains one of these is no news of the server, as it logs calls of ours
}

// The supervisor's process is recognised by both of these; neither can be a
// command of infnet.
const (
	title    = "infnet-supervisor"
	variable = "INFNET_SUPERVISOR"
)

// Marker is the environment variable that all processes of a server carry. Its
// value is different for each start.
const Marker = "INFNET_SERVER"

// hasMain reports that Main was called: a program that does not call it would
// run itself again instead of a supervisor.
var hasMain atomic.Bool

// order is what the supervisor is asked to start. It goes through a pipe, as it
// holds secrets; arguments and environment are visible to others.
type order struct {
	Server
	Record record
}

// Start starts a server under a supervisor and returns once its program runs, or
// could not be run. The context limits the start alone; the server runs until
// Stop, until it ends by itself, or until this process ends, however it ends.
func Start(ctx context.Context, s Server) (*Process, error) {
	o, err := prepare(s)
	var p *Process
	if err == nil {
		p, err = launch(ctx, o)
	}
	if err != nil {
		return nil, fmt.Errorf("starting server %q: %w", s.Name, err)
	}
	return p, nil
}

func prepare(s Server) (o order, err error) {
	if !hasMain.Load() {
		return o, errors.New("this program does not call supervisor.Main at its beginning, so it cannot supervise a server")
	}
	if s.Path, err = exec.LookPath(s.Path); err != nil && !errors.Is(err, exec.ErrDot) {
		return o, err
	}
	for _, p := range []*string{&s.Path, &s.Log, &s.State} {
		if *p, err = filepath.Abs(*p); err != nil {
			return o, err
		}
	}
	for _, dir := range []string{s.State, filepath.Dir(s.Log)} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return o, fmt.Errorf("no folder for its log and record: %w", err)
		}
	}
	o = order{Server: s, Record: newRecord(s)}
	if o.Env = slices.Clone(s.Env); s.Env == nil {
		o.Env = os.Environ()
	}
	// setproctitle, which vLLM's workers call, otherwise writes over the
	// environment that /proc shows, and the marker would be gone.
	for _, own := range []string{"SPT_NOENV=1", Marker + "=" + o.Record.Marker, variable + "="} {
		name, value, _ := strings.Cut(own, "=")
		o.Env = slices.DeleteFunc(o.Env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		if value != "" {
			o.Env = append(o.Env, own)
		}
	}
	return o, nil
}
