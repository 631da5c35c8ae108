package doctor

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/backends/engine/gpu"
	"infnet/harness/dataset/hub"
)

// Server is what a server of a model needs.
type Server struct {
	Launch *backends.Launch
	Load   gpu.Load
}

// Needs is what the servers of a study need of this machine, found out once and without starting any.
type Needs struct {
	gpus     *gpu.Machine                // nil = not looked for yet
	programs map[string]backends.Finding // by program
	weights  map[*backends.Launch]Weights
	silent   error // the hub did not answer a first time
}

// Machine examines what all servers together need: GPUs, their driver, and room for the weights. unknown is how many
// more weights are to be downloaded for models without servers.
func (n *Needs) Machine(ctx context.Context, servers []Server, unknown int) []backends.Finding {
	wanted, free, known, folder := false, int64(0), false, ""
	var sum gpu.Range
	for _, s := range servers {
		wanted = wanted || s.Launch.GPUs > 0
		w := n.of(ctx, s)
		need := w.ToDownload()
		if w.Folder == "" && w.Held.Lacks != "" && need.High == 0 {
			unknown++
		}
		sum = sum.Plus(need)
	}
	found := GPUs(n.look(ctx), wanted)
	if c, err := hubClient(true); err == nil {
		free, known = c.Space()
		folder = c.Cache()
	}
	return append(found, Disk(sum, unknown, free, known, folder))
}

func (n *Needs) look(ctx context.Context) gpu.Machine {
	if n.gpus == nil {
		m := gpu.Look(ctx)
		n.gpus = &m
	}
	return *n.gpus
}

// Model examines what the servers of one model need.
func (n *Needs) Model(ctx context.Context, s Server) []backends.Finding {
	found := []backends.Finding{n.engine(ctx, s.Launch)}
	w := n.of(ctx, s)
	if s.Launch.GPUs > 0 {
		s.Load.Files = max(s.Load.Files, w.Size)
		found = append(found, Memory(n.look(ctx), s.Load))
	}
	return append(found, w.Findings()...)
}

func (n *Needs) engine(ctx context.Context, l *backends.Launch) backends.Finding {
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
	f := Engine(l, path, version, old, err)
	if n.programs == nil {
		n.programs = map[string]backends.Finding{}
	}
	n.programs[program] = f
	return f
}

// of finds out where the weights of a model are, and how large.
func (n *Needs) of(ctx context.Context, s Server) Weights {
	w, known := n.weights[s.Launch]
	if !known {
		if n.weights == nil {
			n.weights = map[*backends.Launch]Weights{}
		}
		w = n.find(ctx, s)
		n.weights[s.Launch] = w
	}
	return w
}

func (n *Needs) find(ctx context.Context, s Server) Weights {
	l := s.Launch
	if l.Local {
		return Weights{Folder: l.Weights}
	}
	w := Weights{Name: l.Weights, Revision: l.Revision, Gated: gated(l.Weights)}
	if need, err := gpu.Estimate(s.Load); err == nil {
		gpus := int64(max(1, l.GPUs))
		w.About = gpu.Range{Low: need.Weights.Low * gpus, High: need.Weights.High * gpus}
	}
	held, ref, err := cached(l)
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

// Stored is the size of the weights' files in their folder or in the hub's cache; 0 where they are not all there.
func Stored(l *backends.Launch) (size int64) {
	if !l.Local {
		if held, _, err := cached(l); err == nil && held.Lacks == "" {
			return held.Weights
		}
		return 0
	}
	files, _ := filepath.Glob(filepath.Join(l.Weights, "*.safetensors")) // the pattern is a good one
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	return size
}

func cached(l *backends.Launch) (held hub.Held, ref hub.Ref, err error) {
	name := "hf:" + l.Weights
	if l.Revision != "" {
		name += "@" + l.Revision
	}
	if ref, err = hub.ParseModel(name); err != nil {
		return held, ref, err
	}
	c, err := hubClient(true)
	if err != nil {
		return held, ref, err
	}
	held, err = c.Look(ref)
	return held, ref, err
}

// size asks the hub for the size of a model's weights, unless it did not answer before.
func (n *Needs) size(ctx context.Context, c *hub.Client, ref hub.Ref) (int64, error) {
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
