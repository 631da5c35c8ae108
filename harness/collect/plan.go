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

	Counts

	PromptTokens     int // of the calls to be made
	PromptBasis      Basis
	CompletionTokens int // of the calls to be made
	CompletionBasis  Basis

	Prices Price // of the model's tokens

	Latency time.Duration // mean of the answers on disk; 0 = none, or not measured
}

// Price is what the calls cost; nil = the model has no prices.
func (p *Planned) Price() *backends.Money {
	if p.Prices.Currency == "" {
		return nil
	}
	return &backends.Money{Amount: p.Prices.Of(int64(p.PromptTokens), int64(p.CompletionTokens)),
		Currency: p.Prices.Currency}
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
	var f forecast
	if p.Latency, err = f.learn(ctx, a); err != nil {
		return p, err
	}
	var in, out float64
	for l, err := range looks(ctx, j, a, opt.RetryFailed) {
		if err == nil && l.state == calls {
			if p.Calls == 0 {
				f.counter, err = counter(j)
			}
			more := f.of(l.Item)
			in, out, p.PromptBasis, p.CompletionBasis = in+more.in, out+more.out, more.inBy, more.outBy
		}
		if err != nil {
			return p, err
		}
		p.add(l.state)
	}
	p.PromptTokens, p.CompletionTokens = int(in+0.5), int(out+0.5)
	return p, nil
}

// counter opens an in-process model for its tokenizer; a remote model is not opened for a plan. nil = there is none.
func counter(j Job) (backends.TokenCounter, error) {
	if k := j.Model.Kind; j.Open == nil || k != backends.Local && k != backends.Simulated {
		return nil, nil
	}
	m, err := j.Open()
	if err != nil {
		return nil, err
	}
	c, _ := backends.Ability[backends.TokenCounter](m)
	return c, nil
}

// forecast says what requests probably take, by the answers that are known.
type forecast struct {
	counter            backends.TokenCounter // nil = the model has none
	prompt, completion mean                  // tokens
}

// mean is a mean of counts.
type mean struct{ sum, n float64 }

func (m *mean) add(n float64) { m.sum, m.n = m.sum+n, m.n+1 }

func (m mean) value() float64 { return m.sum / m.n }

// learn reads the answers on disk, and returns how long they took in the mean.
func (f *forecast) learn(ctx context.Context, a *store.Answers) (latency time.Duration, err error) {
	var sum, timed time.Duration
	n := 0
	for r, err := range a.All() {
		if err != nil {
			return 0, err
		}
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if r.Answer.Batch == "" { // else nobody measured
			sum, timed = sum+r.Answer.Latency, timed+1
		}
		if tokens, known := r.Answer.Usage.Prompt.Known(); known {
			f.prompt.add(float64(tokens))
		}
		if tokens, known := r.Answer.Usage.Completion.Known(); known {
			f.completion.add(float64(tokens))
		}
	}
	return sum / max(1, timed), nil
}

// taken is what a request probably takes, in tokens, and how that is known.
type taken struct {
	in, out     float64
	inBy, outBy Basis
}

func (f *forecast) of(it Item) taken {
	t := taken{float64(cost.Estimate(it.Request)), float64(it.Request.MaxTokens), Characters, AtMost}
	if n := f.exact(it); n > 0 {
		t.in, t.inBy = float64(n), Tokenizer
	} else if f.prompt.n > 0 {
		t.in, t.inBy = f.prompt.value(), OnDisk
	}
	switch decides := it.Request.Question != ""; {
	case len(it.Request.Labels) > 0 && !decides:
		t.out, t.outBy = 1, OneToken
	case f.completion.n > 0:
		t.out, t.outBy = f.completion.value(), OnDisk
	case decides:
		t.out, t.outBy = 0, Unwritten
	}
	return t
}

// exact is the number of the prompt's tokens by the model's own tokenizer; 0 =
// there is none, or it cannot count this one.
func (f *forecast) exact(it Item) int {
	if f.counter == nil {
		return 0
	}
	n, _ := f.counter.CountTokens(it.Request.Shown())
	return n
}
