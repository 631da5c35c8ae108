package collect_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/harness/collect"
)

// counting is a Faulty with a tokenizer: a token per byte.
type counting struct{ *backendtest.Faulty }

func (counting) CountTokens(prompt string) (int, error) { return len(prompt), nil }

func TestPlan(t *testing.T) {
	st := newStore(t)
	each := func(j collect.Job, change func(*backends.Request)) collect.Job {
		items := j.Items
		j.Items = func(yield func(collect.Item, error) bool) {
			items(func(it collect.Item, err error) bool {
				change(&it.Request)
				return yield(it, err)
			})
		}
		return j
	}
	local := func(j collect.Job) collect.Job { return j }
	hosted := func(j collect.Job) collect.Job { // a model behind a network
		j.Model.Kind = "hosted"
		return each(j, func(r *backends.Request) { r.Model = j.Model })
	}
	classify := func(j collect.Job) collect.Job {
		return each(j, func(r *backends.Request) { r.Labels = []string{" a", " b"} })
	}
	var decider answering = func(_ context.Context, r backends.Request) (backends.Answer, error) {
		return backendtest.Good(r), nil
	}
	decide := func(j collect.Job) collect.Job {
		j.Price = collect.Price{In: 2, Out: 100, Currency: "USD"}
		return each(classify(j), func(r *backends.Request) {
			r.Question, r.Criteria = "Which?", []string{"", "the other"}
		})
	}
	// In the store: three answers of "m" to p0, p2, p3, and a failure of p1. Faulty counts 1 + len(prompt) = 3 prompt
	// tokens and 1 completion token, in a millisecond.
	first, _ := job(&backendtest.Faulty{Script: map[string][]backendtest.Fault{"p1": {backendtest.Long}}}, 4)
	for _, j := range []collect.Job{first, hosted(first)} {
		f := &backendtest.Faulty{Script: map[string][]backendtest.Fault{"p1": {backendtest.Long}}}
		j.Open = func() (backends.Model, error) { return f, nil }
		if _, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name  string
		model backends.Model
		n     int
		shape func(collect.Job) collect.Job
		hash  string
		opt   collect.Options
		want  collect.Planned
	}{
		// By hand: the prompts p0 … p9 have 2 bytes, so 4 characters per token make one token each; MaxTokens is 4.
		{"nothing known", &backendtest.Faulty{}, 10, local, "new", collect.Options{},
			collect.Planned{Counts: collect.Counts{Total: 10, Calls: 10},
				PromptTokens: 10, PromptBasis: collect.Characters, CompletionTokens: 40,
				CompletionBasis: collect.AtMost}},
		{"a tokenizer", counting{&backendtest.Faulty{}}, 10, local, "new", collect.Options{},
			collect.Planned{Counts: collect.Counts{Total: 10, Calls: 10},
				PromptTokens: 20, PromptBasis: collect.Tokenizer, CompletionTokens: 40,
				CompletionBasis: collect.AtMost}},
		{"classifications", counting{&backendtest.Faulty{}}, 10, classify, "new", collect.Options{},
			collect.Planned{Counts: collect.Counts{Total: 10, Calls: 10},
				PromptTokens: 20, PromptBasis: collect.Tokenizer, CompletionTokens: 10,
				CompletionBasis: collect.OneToken}},
		// 2 + 6 + 4 + 9 = 21 characters of state, question, labels and what one of them means.
		{"a decision model", decider, 10, decide, "new", collect.Options{},
			collect.Planned{Counts: collect.Counts{Total: 10, Calls: 10},
				PromptTokens: 60, PromptBasis: collect.Characters,
				CompletionBasis: collect.Unwritten, Prices: collect.Price{In: 2, Out: 100, Currency: "USD"}}},
		{"answers on disk", counting{&backendtest.Faulty{}}, 10, hosted, "d0", collect.Options{},
			collect.Planned{Counts: collect.Counts{Total: 10, OnDisk: 3, Earlier: 1, Calls: 6},
				PromptTokens: 18, PromptBasis: collect.OnDisk,
				CompletionTokens: 6, CompletionBasis: collect.OnDisk, Latency: time.Millisecond}},
		{"failures are asked again", counting{&backendtest.Faulty{}}, 10, local, "d0", collect.Options{RetryFailed: true},
			collect.Planned{Counts: collect.Counts{Total: 10, OnDisk: 3, Calls: 7},
				PromptTokens: 14, PromptBasis: collect.Tokenizer,
				CompletionTokens: 7, CompletionBasis: collect.OnDisk, Latency: time.Millisecond}},
		{"all there", nil, 4, local, "d0", collect.Options{},
			collect.Planned{Counts: collect.Counts{Total: 4, OnDisk: 3, Earlier: 1},
				PromptBasis: collect.Nothing, CompletionBasis: collect.Nothing, Latency: time.Millisecond}},
	} {
		t.Run(test.name, func(t *testing.T) {
			j, opened := job(test.model, test.n)
			j = test.shape(j)
			j.Hash = test.hash
			got, err := collect.Plan(t.Context(), st, []collect.Job{j}, test.opt)
			if err != nil {
				t.Fatal(err)
			}
			test.want.Model, test.want.Dataset, test.want.ID = "student", "reviews", j.Model
			if d := cmp.Diff([]collect.Planned{test.want}, got); d != "" {
				t.Error(d)
			}
			if test.want.Calls == 0 && opened.Load() > 0 || j.Model.Kind == "hosted" && opened.Load() > 0 {
				t.Error("the model was opened")
			}
			// The plan is what Run then does.
			if test.model == nil {
				return
			}
			rep, err := collect.Run(t.Context(), newStore(t), []collect.Job{j}, test.opt, nil)
			if err != nil || rep.Asked() != test.want.Calls+test.want.OnDisk+test.want.Earlier {
				t.Errorf("a fresh run asked %d, %v", rep.Asked(), err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	many, _ := job(nil, 5000)
	many.Open = nil
	if _, err := collect.Plan(ctx, st, []collect.Job{many}, collect.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
