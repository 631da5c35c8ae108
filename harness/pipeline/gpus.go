package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"infnet/backends/engine"
	"infnet/backends/engine/gpu"
	"infnet/harness/dataset/hub"
)

// load is what a server of the model puts on a GPU.
func (m *Model) load() gpu.Load {
	load := engine.Load(m.launch())
	load.Shape, load.Params, load.Concurrency, load.Files = m.known.Shape, m.Params, m.concurrency(), m.stored()
	return load
}

// stored is the size of the weights' files in their folder or in the hub's cache; 0 where they are not all
// there.
func (m *Model) stored() (size int64) {
	l := m.launch()
	if l.Local {
		files, _ := filepath.Glob(filepath.Join(l.Weights, "*.safetensors")) // the pattern is a good one
		for _, name := range files {
			if info, err := os.Stat(name); err == nil {
				size += info.Size()
			}
		}
		return size
	}
	if held, _, err := m.cached(); err == nil && held.Lacks == "" {
		return held.Weights
	}
	return 0
}

// cached is what the hub's cache has of the model's weights.
func (m *Model) cached() (held hub.Held, ref hub.Ref, err error) {
	name := "hf:" + m.launch().Weights
	if r := m.launch().Revision; r != "" {
		name += "@" + r
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

// deal returns the GPUs of each server of the model, as CUDA_VISIBLE_DEVICES names them; an entry
// without any is a server on the CPU. The error says what the machine lacks.
func (m *Model) deal(ctx context.Context) ([][]string, error) {
	l := m.launch()
	if l.GPUs == 0 {
		return make([][]string, max(1, l.Servers)), nil
	}
	fit := gpu.Look(ctx).Judge(m.load())
	if fit.Verdict == gpu.Cannot {
		return nil, fmt.Errorf("model %s: %s: %s; gpus = 0 in its launch table computes on the CPU, "+
			"where the engine can", m.Name, fit.Why, fit.Fix)
	}
	groups := fit.Servers
	if l.Servers > len(groups) {
		return nil, fmt.Errorf("model %s: %d servers of %d GPU(s) each are asked for, and the visible GPUs hold %d: lower "+
			"servers or "+
			"gpus, or servers = \"all\"", m.Name, l.Servers, l.GPUs, len(groups))
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

// shown names the GPUs for a command that is only shown: those that are there, else the first that would be.
func (m *Model) shown(ctx context.Context) [][]string {
	if groups, err := m.deal(ctx); err == nil {
		return groups
	}
	l := m.launch()
	out := make([][]string, max(1, l.Servers))
	for i := range out {
		for k := range l.GPUs {
			out[i] = append(out[i], fmt.Sprint(i*l.GPUs+k))
		}
	}
	return out
}
