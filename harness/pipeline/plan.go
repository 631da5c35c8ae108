package pipeline

import (
	"context"
	"math"
	"slices"
	"time"

	"infnet/harness/collect"
	"infnet/harness/cost"
)

// Plan is what a collection would do.
type Plan struct {
	Jobs    []PlannedJob
	Unknown []UnknownJob     // nothing is known about these: the model or the rows are not on this machine
	Derived []PlannedDerived // embeddings and scores
	Over    string           // which spending limits it exceeds; "" = none
}

// PlannedJob is what a collection would ask one model about one dataset.
type PlannedJob struct {
	collect.Planned
	model   *Model
	further bool // it is of signals, beyond a query's answer
}

// Of is what the job asks about: a dataset, or the signals of its answers.
func (j *PlannedJob) Of() string {
	if j.further {
		return j.Dataset + ", signals"
	}
	return j.Dataset
}

// UnknownJob is a job about which nothing is known.
type UnknownJob struct{ Model, Dataset string }

// PlannedDerived is how many texts are to be embedded, or pairs to be scored,
// once every answer is on disk.
type PlannedDerived struct {
	Model   string
	What    string // "texts to embed", "pairs to score", "answers to grade"
	OnDisk  int
	Missing int  // at most: every answer that is not on disk counts as a new text
	Unknown bool // the model or some rows are not on this machine

	model *Model // nil = the built-in embedder
}

// PlanOptions say what is planned.
type PlanOptions struct {
	RetryFailed bool          // what failed in an earlier run is asked again
	Shard       collect.Shard // what hashes to this shard alone
	Quick       bool          // open no model for its tokenizer: only the calls are counted exactly
}

// Plan says what Collect would ask. It calls no model. It opens models whose tokenizer counts
// exactly, if something is to be asked.
func (st *Study) Plan(ctx context.Context, o PlanOptions) (p Plan, err error) {
	if err := checkGraders(st); err != nil {
		return p, err
	}
	answers, signals := jobsOf(ctx, st), signalJobs(ctx, st, true)
	jobs := slices.Concat(answers, signals, st.judge.jobs(ctx, true))
	for i := range jobs {
		if o.Quick {
			jobs[i].Open = nil
		}
	}
	planned, err := collect.Plan(ctx, st.store, jobs, collect.Options{RetryFailed: o.RetryFailed, Shard: o.Shard})
	if err != nil {
		return p, err
	}
	for k, j := range planned {
		p.Jobs = append(p.Jobs, PlannedJob{j, st.answering(j.Model), k >= len(answers) && k < len(answers)+len(signals)})
	}
	p.Unknown = unknownJobs(st)
	for _, v := range called(st) {
		d, err := v.planned(planned[:len(answers)])
		if err != nil {
			return p, err
		}
		p.Derived = append(p.Derived, d)
	}
	p.Over = collect.Limits(st.Spec.Collect.Spending).Over(collect.Needed(planned))
	return p, nil
}

// unknownJobs are those whose model or rows are not on this machine.
func unknownJobs(st *Study) (list []UnknownJob) {
	for _, m := range st.Models {
		for _, d := range st.Datasets {
			if m.answersFor(d) && !m.canAnswer(d) {
				list = append(list, UnknownJob{m.Name, d.Name})
			}
		}
	}
	return list
}

// TFLOPs is the work of the calls in matrix products, at their mean length; ok is false if the model's shape is unknown
// or nothing is to be asked.
func (j *PlannedJob) TFLOPs() (tflops float64, ok bool) {
	shape := j.model.known.Shape
	if shape == nil || j.Calls == 0 {
		return 0, false
	}
	flops, err := cost.FLOPs(*shape, j.PromptTokens/j.Calls, max(1, j.CompletionTokens/j.Calls))
	return flops * float64(j.Calls) / 1e12, err == nil
}

// Lasts is about how long the calls take with as many in flight as the model may have; 0 = not known.
func (j *PlannedJob) Lasts() time.Duration {
	took := float64(j.Calls) * float64(j.Latency) / float64(max(1, j.model.concurrency()))
	return time.Duration(min(took, math.MaxInt64/2))
}

// Sum adds up the jobs' counts and tokens.
func (p *Plan) Sum() (sum collect.Planned) {
	for _, j := range p.Jobs {
		sum.Total, sum.OnDisk, sum.Calls, sum.Earlier = sum.Total+j.Total, sum.OnDisk+j.OnDisk, sum.Calls+j.Calls,
			sum.Earlier+j.Earlier
		sum.PromptTokens, sum.CompletionTokens = sum.PromptTokens+j.PromptTokens, sum.CompletionTokens+j.CompletionTokens
	}
	return sum
}

// Work is what a model still has to do.
type Work struct {
	Model   string
	GPUs    int  // of its servers, where the study starts them
	Missing int  // answers, texts or pairs, as far as it is known
	Unknown bool // the rows, the model's weights or how its servers classify are not known yet: anything may be missing
	Texts   bool // it embeds, scores or judges answers, so that they come first
	Apart   bool // it is served by others, or started on GPUs
}

// Works lists what is left to each model of a plan. Programs and the built-in embedder are in it without GPUs.
func (st *Study) Works(p Plan) (list []Work) {
	at := map[string]int{}
	of := func(name string, m *Model, texts bool) *Work {
		if _, there := at[name]; !there {
			at[name] = len(list)
			w := Work{Model: name, Texts: texts}
			if m != nil {
				w.GPUs, w.Apart = gpus(m), m.Config.Traits().Remote
			}
			list = append(list, w)
		}
		return &list[at[name]]
	}
	for _, u := range p.Unknown {
		of(u.Model, st.Model(u.Model), false).Unknown = true
	}
	for _, j := range p.Jobs {
		w := of(j.Model, j.model, j.model.judges())
		w.Missing += j.Calls
		w.Unknown = w.Unknown || j.Calls > 0 && j.model.servers.unasked()
	}
	for _, d := range p.Derived {
		of(d.Model, d.model, true).Missing += d.Missing
	}
	return list
}

// gpus is how many GPUs the servers of a model take that the study starts on one machine; 0 = it starts none.
func gpus(m *Model) int {
	l := m.launch()
	if l == nil {
		return 0
	}
	return l.GPUs * l.Servers
}
