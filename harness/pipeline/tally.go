package pipeline

import (
	"context"

	"infnet/harness/collect"
)

// ModelShards is how far the shards of one model's answers are.
type ModelShards struct {
	Model   string
	Shards  []collect.Tally // over the datasets
	Unknown bool            // some rows, or the model's weights, are not on this machine: anything may be missing
	Unasked bool            // its servers are to say first how they classify: which shard asks what depends on it
}

// Missing counts what is to be asked.
func (m ModelShards) Missing() (n int) {
	for _, t := range m.Shards {
		n += t.Missing
	}
	return n
}

// Tallies counts each model's answers by shard. of says how many shards a model has. It calls no model.
func Tallies(ctx context.Context, st *Study, of func(model string) int, retryFailed bool) (list []ModelShards,
	err error) {
	jobs := jobsOf(ctx, st)
	unknown := unknownJobs(st)
	for _, m := range st.Models {
		out := ModelShards{Model: m.Name, Shards: make([]collect.Tally, of(m.Name))}
		asked := false
		for _, j := range jobs {
			if j.Name != m.Name {
				continue
			}
			asked = true
			if err := collect.AddTallies(ctx, st.store, j, out.Shards, retryFailed); err != nil {
				return nil, err
			}
		}
		for _, u := range unknown {
			out.Unknown = out.Unknown || u.Model == m.Name
		}
		out.Unasked = m.servers.unasked() && out.Missing() > 0
		if asked || out.Unknown {
			list = append(list, out)
		}
	}
	return list, nil
}

// TextModel is an embedder, a scorer or a judge that the study calls.
type TextModel struct {
	Name   string
	Apart  bool // it is served by others, or started on GPUs
	GPUs   int
	Unmade int // texts, pairs or answers that are there and not done yet
}

// TextModels lists what computes from answers.
func TextModels(ctx context.Context, st *Study) (list []TextModel, err error) {
	for _, v := range derivedOf(st) {
		t := TextModel{Name: v.name}
		if v.model != nil {
			t.Apart, t.GPUs = v.model.Config.Traits().Remote, gpus(v.model)
		}
		if v.known() {
			n, err := v.count(st.store)
			if err != nil {
				return nil, err
			}
			t.Unmade = n.Missing
		}
		list = append(list, t)
	}
	if j := st.judge; j != nil {
		t := TextModel{Name: j.model.Name, Apart: j.model.Config.Traits().Remote, GPUs: gpus(j.model)}
		planned, err := collect.Plan(ctx, st.store, j.jobs(ctx, false), collect.Options{})
		if err != nil {
			return nil, err
		}
		for _, p := range planned {
			t.Unmade += p.Calls
		}
		list = append(list, t)
	}
	return list, nil
}

// GPUs is how many GPUs the servers of a model take that the study starts on one machine; 0 = it starts none.
func GPUs(st *Study, model string) int {
	if m := st.Model(model); m != nil {
		return gpus(m)
	}
	return 0
}

func gpus(m *Model) int {
	l := m.launch()
	if l == nil {
		return 0
	}
	return l.GPUs * max(1, l.Servers)
}
