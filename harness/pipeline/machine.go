package pipeline

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/backends/engine/gpu"
	"infnet/harness/dataset/hub"
	"infnet/harness/doctor"
)

// needs is what the servers of a study need of this machine, found out once and without starting any.
type needs struct {
	study *Study

	gpus     *gpu.Machine                // nil = not looked for yet
	programs map[string]backends.Finding // by program
	weights  map[*Model]doctor.Weights
	silent   error // the hub did not answer a first time
}

// machine examines what the study's servers need of this machine: GPUs, their driver, and room for the
// weights.
func (n *needs) machine(ctx context.Context) []backends.Finding {
	wanted, unknown, free, known, folder := false, 0, int64(0), false, ""
	var sum gpu.Range
	for _, m := range n.study.launched() {
		wanted = wanted || m.launch().GPUs > 0
		w := n.of(ctx, m)
		need := w.ToDownload()
		if w.Folder == "" && w.Held.Lacks != "" && need.High == 0 {
			unknown++
		}
		sum = sum.Plus(need)
	}
	unknown += len(n.study.fetcher.missing)
	found := doctor.GPUs(n.look(ctx), wanted)
	if c, err := hubClient(true); err == nil {
		free, known = c.Space()
		folder = c.Cache()
	}
	return append(found, doctor.Disk(sum, unknown, free, known, folder))
}

// look asks for the GPUs once.
func (n *needs) look(ctx context.Context) gpu.Machine {
	if n.gpus == nil {
		m := gpu.Look(ctx)
		n.gpus = &m
	}
	return *n.gpus
}

// model examines what the servers of one model need.
func (n *needs) model(ctx context.Context, m *Model) []backends.Finding {
	found := []backends.Finding{n.engine(ctx, m.launch())}
	w := n.of(ctx, m)
	if m.launch().GPUs > 0 {
		load := m.load()
		load.Files = max(load.Files, w.Size)
		found = append(found, doctor.Memory(n.look(ctx), load))
	}
	return append(found, w.Findings()...)
}

// served examines what the model's servers need. If start is set and nothing is broken, it starts them, examines
// the model, and stops them.
func (n *needs) served(m *Model, start bool,
	examine func(context.Context) []backends.Finding) func(context.Context) []backends.Finding {
	return func(ctx context.Context) []backends.Finding {
		found := n.model(ctx, m)
		f := backends.Finding{Verdict: backends.Unknown, Question: "answers"}
		switch {
		case slices.ContainsFunc(found, func(f backends.Finding) bool { return f.Verdict == backends.Broken }):
			f.Found = "its server is not started: see ✗"
			return append(found, f)
		case !start:
			f.Found, f.Fix = "its server was not started", "infnet doctor --start starts it, asks it, and stops it"
			return append(found, f)
		}
		end := n.study.begin(ctx)
		if err := n.study.session.fleet.Sweep(ctx); err != nil {
			found = append(found, backends.Finding{Verdict: backends.Broken, Question: "servers", Found: err.Error()})
		} else {
			found = append(found, examine(ctx)...)
		}
		if err := end(); err != nil {
			found = append(found, backends.Finding{Verdict: backends.Broken, Question: "stopped", Found: err.Error()})
		}
		return found
	}
}

// engine examines the program of an engine.
func (n *needs) engine(ctx context.Context, l *backends.Launch) backends.Finding {
	program, _ := engine.Program(l)
	if f, ok := n.programs[program]; ok {
		return f
	}
	path, err := exec.LookPath(program)
	var version, old string
	if err != nil {
		path, err = "", nil
	} else {
		version, old, err = engine.Version(ctx, l, path)
	}
	f := doctor.Engine(l, path, version, old, err)
	if n.programs == nil {
		n.programs = map[string]backends.Finding{}
	}
	n.programs[program] = f
	return f
}

// of finds out where the weights of a model are, and how large.
func (n *needs) of(ctx context.Context, m *Model) doctor.Weights {
	if w, ok := n.weights[m]; ok {
		return w
	}
	w := n.find(ctx, m)
	if n.weights == nil {
		n.weights = map[*Model]doctor.Weights{}
	}
	n.weights[m] = w
	return w
}

func (n *needs) find(ctx context.Context, m *Model) doctor.Weights {
	l := m.launch()
	if l.Local {
		return doctor.Weights{Folder: l.Weights}
	}
	w := doctor.Weights{Name: l.Weights, Revision: l.Revision, Gated: gated(l.Weights)}
	if need, err := gpu.Estimate(m.load()); err == nil {
		gpus := int64(max(1, l.GPUs))
		w.About = gpu.Range{Low: need.Weights.Low * gpus, High: need.Weights.High * gpus}
	}
	held, ref, err := m.cached()
	if err != nil { // such as a name of the engine's own library, of Ollama's
		w.Held.Lacks, w.Err = "not in the hub's cache", err
		return w
	}
	if w.Held = held; held.Lacks == "" {
		return w
	}
	c, err := hubClient(false)
	if err != nil {
		w.Err = err
		return w
	}
	w.Token = c.Known()
	w.Size, w.Err = n.size(ctx, c, ref)
	w.Asked = w.Err == nil
	return w
}

// size asks the hub for the size of a model's weights, unless it did not answer before.
func (n *needs) size(ctx context.Context, c *hub.Client, ref hub.Ref) (int64, error) {
	if n.silent != nil {
		return 0, n.silent
	}
	size, err := c.Size(ctx, ref)
	if err != nil && !errors.As(err, new(*hub.GatedError)) {
		n.silent = err
	}
	return size, err
}

// hubClient is a client that is not waited for.
func hubClient(offline bool) (*hub.Client, error) {
	o, err := hub.FromEnvironment(os.Getenv)
	if err != nil {
		return nil, err
	}
	o.Offline, o.Tries, o.Stall = o.Offline || offline, 1, 10*time.Second
	return hub.New(o)
}

// gated reports whether a repository asked for a licence to be accepted when this program was written.
func gated(name string) bool {
	return slices.ContainsFunc([]string{"google/gemma-", "meta-llama/"},
		func(p string) bool { return strings.HasPrefix(name, p) })
}
