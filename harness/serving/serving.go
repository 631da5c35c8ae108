// Package serving starts the servers of a study's models, and stops them. It owns whose turn it is, which GPUs and
// port a server gets, when it is ready, and what happens when it dies. It refuses to know what is asked of a
// server, how an engine is called (backends/engine), and how a process is stopped for certain
// (backends/engine/supervisor).
//
// Its opinion: one model at a time. A study needs the memory of its largest model, not of all of them together.
package serving

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/backends/engine/gpu"
	"infnet/backends/engine/supervisor"
)

// Model is a model to be served.
type Model struct {
	Name string      // in the study
	Task engine.Task // without what each server gets: port, key and devices

	// Deal returns the GPUs of each server, as CUDA_VISIBLE_DEVICES names them. An entry without any
	// is a server on the CPU.
	Deal func(context.Context) ([][]string, error)

	// Ready asks a server that is healthy for one answer. A temporary *backends.Failure means: not yet.
	Ready func(ctx context.Context, url string, key backends.Secret) error
}

// Screen shows what servers do.
type Screen interface {
	Info(message string, about ...any)
	Warn(message string, about ...any)

	// Wait shows that something is waited for. status is the last that was heard of it. The returned function
	// ends it.
	Wait(what string, status func() string) (done func())
}

// Options say where servers run.
type Options struct {
	Logs   string          // folder of their logs
	State  string          // folder where running servers are recorded, for the next run of any study
	Home   string          // folder for engines' own files
	Screen Screen          // not nil
	Hurry  <-chan struct{} // closed to stop servers at once; nil = never
}

// Fleet is the servers of a study. At most one model is served at a time.
type Fleet struct {
	opt Options

	mu      sync.Mutex // held while servers start and stop
	serving *Servers   // nil = none
}

// New returns a fleet without servers.
func New(o Options) *Fleet { return &Fleet{opt: o} }

// Sweep reports the servers that a killed run left, and stops them.
func (f *Fleet) Sweep(ctx context.Context) error {
	left, err := supervisor.Leftovers(f.opt.State)
	if err != nil {
		return fmt.Errorf("look for servers of an earlier run: %w", err)
	}
	for _, l := range left {
		f.opt.Screen.Warn("an earlier run was killed and left a server running: it is stopped", "server", l.String())
		if err := l.Stop(ctx); err != nil {
			return fmt.Errorf("stop the server %s of an earlier run: %w", l.Name, err)
		}
	}
	return nil
}

// Serve returns the running servers of a model. It starts them if they do not run, after those of any other model have
// stopped, and waits until all of them are ready.
func (f *Fleet) Serve(ctx context.Context, m Model) (*Servers, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.serving != nil && f.serving.model.Name == m.Name {
		return f.serving, nil
	}
	if err := f.stop(); err != nil {
		return nil, err
	}
	devices, err := m.Deal(ctx)
	if err != nil {
		return nil, err
	}
	s := &Servers{model: m, opt: f.opt}
	s.life, s.end = context.WithCancel(context.Background())
	if engine.TakesKey(m.Task.Launch) {
		s.key = newKey()
	}
	for i, d := range devices {
		s.replicas = append(s.replicas, &replica{servers: s, number: i, devices: d})
	}
	f.serving = s
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, f.stop())
	}
	return s, nil
}

// Stop stops all servers, and returns when they are gone.
func (f *Fleet) Stop() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stop()
}

func (f *Fleet) stop() error {
	s := f.serving
	if s == nil {
		return nil
	}
	f.serving = nil
	return s.stop()
}

func newKey() backends.Secret {
	var b [24]byte
	_, _ = rand.Read(b[:]) // it never fails
	return backends.Secret("infnet-" + hex.EncodeToString(b[:]))
}

// grace is how long a server may take to end by itself.
var grace = 10 * time.Second

// Check refuses a launch whose program is not on this machine.
func Check(l *backends.Launch) error {
	program, install := engine.Program(l)
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("its engine is not on the PATH: %s: %s", program, install)
	}
	return nil
}

// Deal returns the GPUs of each server of a model, as CUDA_VISIBLE_DEVICES names them; an entry
// without any is a server on the CPU. The error says what the machine lacks.
func Deal(ctx context.Context, model string, l *backends.Launch, load gpu.Load) ([][]string, error) {
	if l.GPUs == 0 {
		return make([][]string, max(1, l.Servers)), nil
	}
	fit := gpu.Look(ctx).Judge(load)
	if fit.Verdict == gpu.Cannot {
		return nil, fmt.Errorf("model %s: %s: %s; gpus = 0 in its launch table computes on the CPU, "+
			"where the engine can", model, fit.Why, fit.Fix)
	}
	groups := fit.Servers
	if l.Servers > len(groups) {
		return nil, fmt.Errorf("model %s: %d servers of %d GPU(s) each are asked for, and the visible GPUs hold %d: lower "+
			"servers or "+
			"gpus, or servers = \"all\"", model, l.Servers, l.GPUs, len(groups))
	}
	if l.Servers > 0 {
		groups = groups[:l.Servers]
	}
	out := make([][]string, len(groups))
	for i, g := range groups {
		for _, d := range g {
			out[i] = append(out[i], fmt.Sprint(d.Index))
		}
	}
	return out, nil
}

// Shown names the GPUs for a command that is only shown: those that are there, else the first that would be.
func Shown(ctx context.Context, l *backends.Launch, load gpu.Load) [][]string {
	if groups, err := Deal(ctx, "", l, load); err == nil {
		return groups
	}
	out := make([][]string, max(1, l.Servers))
	for i := range out {
		for k := range l.GPUs {
			out[i] = append(out[i], fmt.Sprint(i*l.GPUs+k))
		}
	}
	return out
}
