package collect

import (
	"context"
	"fmt"
	"time"

	"infnet/backends"
	"infnet/harness/cost"
	"infnet/harness/store"
)

// Basis says where a number of tokens in a plan comes from.
type Basis string

// The bases, the surest first.
const (
	Nothing    Basis = "nothing to ask"
	Tokenizer  Basis = "the model's tokenizer"
	Unwritten  Basis = "none, a decision model writes nothing"
	OneToken   Basis = "one token per classification"
	OnDisk     Basis = "mean of the answers on disk"
	Characters Basis = "4 characters per token"
	AtMost     Basis = "at most, every answer as long as allowed"
)

// Planned is what a run would do for one job.
type Planned struct {
	Model   string // the model's name in the study
	Dataset string
	ID      backends.ModelID
	Path    string // the file of the answers

	Counts

	PromptTokens     int // of the calls to be made
	PromptBasis      Basis
	CompletionTokens int // of the calls to be made
	CompletionBasis  Basis

	MeanPrompt, MeanCompletion float64 // tokens of a query: of the calls, else of the answers on disk; 0 = unknown

	Prices Price // of the model's tokens

	Sample  int           // answers on disk of this job; the means rest on them
	Latency time.Duration // mean of those answers; 0 = none or not measured
}

// Price is what the calls cost; nil = the model has no prices.
func (p *Planned) Price() *backends.Money {
	if p.Prices.Currency == "" {
		return nil
	}
	return &backends.Money{Amount: p.Prices.Of(int64(p.PromptTokens), int64(p.CompletionTokens)),
		Currency: p.Prices.Currency}
}

// means are averages over the answers on disk.
type means struct {
	n                  int
	prompt, completion mean // over the answers whose tokens were reported
	latency            time.Duration
}

// Plan says, job by job, what Run would ask with the same options. It calls no model. It opens
// models whose tokenizer counts exactly, if something is to be asked.
func Plan(ctx context.Context, st *store.Store, jobs []Job, opt Options) ([]Planned, error) {
	var out []Planned
	for _, j := range opt.Shard.share(jobs) {
		p, err := planJob(ctx, st, j, opt)
		if err != nil {
			return out, fmt.Errorf("plan %s on %s: %w", j.Name, j.Dataset, err)
		}
		out = append(out, p)
	}
	return out, nil
}

func planJob(ctx context.Context, st *store.Store, j Job, opt Options) (Planned, error) {
	p := Planned{Model: j.Name, Dataset: j.Dataset, ID: j.Model, Prices: j.Price, PromptBasis: Nothing,
		CompletionBasis: Nothing}
	a, err := st.Answers(j.id())
	if err != nil {
		return p, err
	}
	defer a.Close()
	m, err := average(ctx, a)
	if err != nil {
		return p, err
	}
	e := &estimate{job: j, means: m}
	for l, err := range looks(ctx, j, a, opt.RetryFailed) {
		if err == nil && l.state == calls {
			err = e.add(l.Item)
		}
		if err != nil {
			return p, err
		}
		p.add(l.state)
	}
	p.Path, p.Sample, p.Latency = a.Path(), m.n, m.latency
	if p.Calls > 0 {
		p.PromptTokens, p.PromptBasis = int(e.prompt+0.5), e.promptBasis
		p.CompletionTokens, p.CompletionBasis = int(e.completion+0.5), e.completionBasis
		p.MeanPrompt, p.MeanCompletion = e.prompt/float64(p.Calls), e.completion/float64(p.Calls)
	} else if m.prompt.n > 0 && m.completion.n > 0 {
		p.MeanPrompt, p.MeanCompletion = m.prompt.sum/m.prompt.n, m.completion.sum/m.completion.n
	}
	return p, nil
}

// average reads the answers on disk.
func average(ctx context.Context, a *store.Answers) (means, error) {
	var m means
	var latency time.Duration
	timed := 0
	for r, err := range a.All() {
		if err != nil {
			return m, err
		}
		if m.n++; m.n%1024 == 0 && ctx.Err() != nil {
			return m, context.Cause(ctx)
		}
		m.prompt.add(r.Answer.Usage.Prompt)
		m.completion.add(r.Answer.Usage.Completion)
		if r.Answer.Batch == "" { // else nobody measured
			latency, timed = latency+r.Answer.Latency, timed+1
		}
	}
	if timed > 0 {
		m.latency = latency / time.Duration(timed)
	}
	return m, nil
}

// mean is a mean of counts; unknown counts are left out.
type mean struct{ sum, n float64 }

func (m *mean) add(c backends.Count) {
	if n, ok := c.Known(); ok {
		m.sum, m.n = m.sum+float64(n), m.n+1
	}
}

// estimate adds up the tokens of the requests to be asked.
type estimate struct {
	job     Job
	means   means
	opened  bool
	counter backends.TokenCounter // nil = the model has none

	prompt, completion           float64
	promptBasis, completionBasis Basis
}

func (e *estimate) add(it Item) error {
	if err := e.open(); err != nil {
		return err
	}
	switch {
	case e.counter != nil:
		n, err := e.counter.CountTokens(it.Request.Shown())
		if err != nil {
			return fmt.Errorf("count the tokens of example %q: %w", it.ID, err)
		}
		e.prompt, e.promptBasis = e.prompt+float64(n), Tokenizer
	case e.means.prompt.n > 0:
		e.prompt, e.promptBasis = e.prompt+e.means.prompt.sum/e.means.prompt.n, OnDisk
	default:
		e.prompt, e.promptBasis = e.prompt+float64(cost.Estimate(it.Request)), Characters
	}
	switch decides := it.Request.Question != ""; {
	case len(it.Request.Labels) > 0 && !decides:
		e.completion, e.completionBasis = e.completion+1, OneToken
	case e.means.completion.n > 0:
		e.completion, e.completionBasis = e.completion+e.means.completion.sum/e.means.completion.n, OnDisk
	case decides:
		e.completionBasis = Unwritten
	default:
		e.completion, e.completionBasis = e.completion+float64(it.Request.MaxTokens), AtMost
	}
	return nil
}

// open opens an in-process model for its tokenizer; a remote model is not opened for a plan.
func (e *estimate) open() error {
	if k := e.job.Model.Kind; e.opened || e.job.Open == nil || k != backends.Local && k != backends.Simulated {
		return nil
	}
	e.opened = true
	m, err := e.job.Open()
	if err != nil {
		return err
	}
	e.counter, _ = backends.Ability[backends.TokenCounter](m)
	return nil
}
