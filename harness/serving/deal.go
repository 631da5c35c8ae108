package serving

import (
	"context"
	"fmt"

	"infnet/backends"
	"infnet/backends/engine/gpu"
)

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
