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
	p.Over = collect.Limits(st.Spec.Collect.Spending).Over(collect.Needed(planned), duration(p.Jobs))
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

// duration is how long the calls take at full concurrency; 0 if a model's latency is unknown.
func duration(jobs []PlannedJob) (lasts time.Duration) {
	for _, j := range jobs {
		if j.Calls == 0 || j.model.Recording != nil {
			continue
		}
		if j.Latency <= 0 {
			return 0
		}
		// In floating point: calls × latency may be more than a duration holds.
		if took := float64(j.Calls) * float64(j.Latency) /
			float64(max(1, j.model.concurrency())); took < float64(math.MaxInt64-lasts) {
			lasts += time.Duration(took)
		} else {
			lasts = math.MaxInt64
		}
	}
	return lasts
}

// TFLOPs is the work of the calls in matrix products, at their mean length; ok is false if the
// model's shape is unknown or nothing is to be asked.
func (j *PlannedJob) TFLOPs() (tflops float64, ok bool) {
	shape := j.model.known.Shape
	if shape == nil || j.Calls == 0 {
		return 0, false
	}
	flops, err := cost.FLOPs(*shape, j.PromptTokens/j.Calls, max(1, j.CompletionTokens/j.Calls))
	return flops * float64(j.Calls) / 1e12, err == nil
}

// PerQuery is the expected cost of a query in the study's unit, that of all samples; ok is false if it is not known
// before the answers are.
func (j *PlannedJob) PerQuery() (value float64, ok bool) {
	value, ok = j.perAnswer()
	return value * float64(j.model.asks()), ok
}

func (j *PlannedJob) perAnswer() (value float64, ok bool) {
	m := j.model
	switch m.study.Spec.Cost.Model {
	case cost.Fixed:
		if m.Fixed != nil {
			return *m.Fixed, true
		}
	case cost.Latency:
		return j.Latency.Seconds(), j.Latency > 0
	case cost.Tokens:
		return j.MeanPrompt + j.MeanCompletion, j.MeanPrompt > 0
	case cost.Price:
		return (float64(j.MeanPrompt*m.PriceIn) + float64(j.MeanCompletion*m.PriceOut)) / 1e6, m.Priced && j.MeanPrompt > 0
	case cost.TFLOPs:
		if m.known.Shape == nil || j.MeanPrompt <= 0 {
			return 0, false
		}
		flops, err := cost.FLOPs(*m.known.Shape, int(j.MeanPrompt+0.5), max(1, int(j.MeanCompletion+0.5)))
		return flops / 1e12, err == nil
	}
	return 0, false
}

// PlannedRatio is what a student is expected to cost on a dataset, as a share of its master.
type PlannedRatio struct {
	Student, Master, Dataset string
	Ratio                    float64
}

// Ratios are the price ratios of the cascades whose costs are known before the answers are. A cascade
// is cheaper than its master alone only while it defers a smaller share than 1 less the ratio.
func Ratios(st *Study, p Plan) (out []PlannedRatio) {
	costs := map[[2]string]float64{}
	for i := range p.Jobs {
		if c, ok := p.Jobs[i].PerQuery(); ok && !p.Jobs[i].further {
			costs[[2]string{p.Jobs[i].Model, p.Jobs[i].Dataset}] = c
		}
	}
	for _, c := range st.Spec.Cascades {
		for _, d := range c.Datasets {
			r := PlannedRatio{Student: c.Models[0], Master: c.Models[len(c.Models)-1], Dataset: d}
			student, known := costs[[2]string{r.Student, d}]
			if master := costs[[2]string{r.Master, d}]; known && master > 0 {
				r.Ratio = student / master
				out = append(out, r)
			}
		}
	}
	return out
}

// ModelShards is how far the shards of one model's answers are.
type ModelShards struct {
	Model   string
	GPUs    int              // of its servers, where the study starts them
	Shards  []collect.Counts // over the datasets
	Unknown bool             // some rows, or the model's weights, are not on this machine: anything may be missing
	Unasked bool             // its servers are to say first how they classify: which shard asks what depends on it
}

// Missing counts what is to be asked.
func (m ModelShards) Missing() (n int) {
	for _, t := range m.Shards {
		n += t.Calls
	}
	return n
}

// Tallies counts each model's answers by shard. of says how many shards a model has. It calls no model.
func Tallies(ctx context.Context, st *Study, of func(model string) int, retryFailed bool) (list []ModelShards,
	err error) {
	jobs := jobsOf(ctx, st)
	unknown := unknownJobs(st)
	for _, m := range st.Models {
		out := ModelShards{Model: m.Name, GPUs: gpus(m), Shards: make([]collect.Counts, of(m.Name))}
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
			t.Unmade = n.Calls
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

// gpus is how many GPUs the servers of a model take that the study starts on one machine; 0 = it starts none.
func gpus(m *Model) int {
	l := m.launch()
	if l == nil {
		return 0
	}
	return l.GPUs * l.Servers
}
