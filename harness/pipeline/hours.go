package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"infnet/backends/engine"
	"infnet/backends/engine/gpu"
	"infnet/harness/cost"
)

// PlannedTurn is how long the servers of a model would be busy.
type PlannedTurn struct {
	Model   string
	Engine  string
	On      string   // "2 × NVIDIA L4"; "" = unknown
	Starts  int      // of its servers: one per study
	Turn    gpu.Turn // Start is of all starts
	Unknown string   // why there is no estimate; "" = there is one
}

// GPUHours estimates how long the GPUs of this machine, or those of a name, would be busy with the calls of a plan, or
// of plans, to models whose servers a study starts. It starts nothing.
func GPUHours(ctx context.Context, jobs []PlannedJob, name string) (list []PlannedTurn) {
	var order []string
	of := map[string][]PlannedJob{}
	for _, j := range jobs {
		if j.Calls == 0 || j.model.launch() == nil || j.model.launch().GPUs == 0 {
			continue
		}
		if of[j.Model] == nil {
			order = append(order, j.Model)
		}
		of[j.Model] = append(of[j.Model], j)
	}
	for _, model := range order {
		list = append(list, turn(ctx, of[model], name))
	}
	return list
}

// turn estimates the turns of one model, which may be one in each of several studies.
func turn(ctx context.Context, jobs []PlannedJob, name string) PlannedTurn {
	m := jobs[0].model
	p := PlannedTurn{Model: m.Name, Engine: engine.Name(m.launch())}
	work := gpu.Work{Concurrency: m.concurrency()}
	var in []*Model
	for _, j := range jobs {
		if !slices.Contains(in, j.model) {
			in = append(in, j.model)
		}
		work.Calls += j.Calls
		work.Completion += j.CompletionTokens
		if m.known.Shape == nil {
			p.Unknown = "the model's shape is not known"
			continue
		}
		flops, err := cost.FLOPs(*m.known.Shape, j.PromptTokens/j.Calls, 1)
		if err != nil {
			p.Unknown = err.Error()
		}
		work.Prompts += float64(flops * float64(j.Calls))
	}
	p.Starts = len(in)
	if p.Unknown != "" {
		return p
	}
	groups, err := m.groups(ctx, name)
	if err != nil {
		p.Unknown = err.Error()
		return p
	}
	need, err := gpu.Estimate(m.load())
	if err == nil {
		p.Turn, err = work.Estimate(groups, need)
	}
	if err != nil {
		p.Unknown = err.Error()
		return p
	}
	p.Turn.Start = p.Turn.Start.Times(float64(p.Starts))
	p.On = kinds(groups)
	return p
}

// kinds names the GPUs of servers, each kind with its number.
func kinds(servers [][]gpu.Device) string {
	var order []string
	number := map[string]int{}
	for _, s := range servers {
		for _, d := range s {
			if number[d.Kind()]++; number[d.Kind()] == 1 {
				order = append(order, d.Kind())
			}
		}
	}
	for i, kind := range order {
		order[i] = fmt.Sprintf("%d × %s", number[kind], kind)
	}
	return strings.Join(order, ", ")
}

// groups are the GPUs of each server: of this machine, or of a name.
func (m *Model) groups(ctx context.Context, name string) ([][]gpu.Device, error) {
	l := m.launch()
	if name != "" {
		out := make([][]gpu.Device, max(1, l.Servers))
		for i := range out {
			for k := range l.GPUs {
				out[i] = append(out[i], gpu.Device{Index: i*l.GPUs + k, Name: name})
			}
		}
		return out, nil
	}
	machine, err := gpu.Look(ctx)
	if err != nil {
		return nil, err
	}
	fit, err := machine.Judge(m.load())
	switch {
	case err != nil:
		return nil, err
	case fit.Verdict == gpu.Cannot:
		return nil, fmt.Errorf("it cannot fit: %s: %s", fit.Why, fit.Fix)
	case l.Servers > 0 && l.Servers < len(fit.Servers):
		return fit.Servers[:l.Servers], nil
	}
	return fit.Servers, nil
}
