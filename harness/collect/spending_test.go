package collect_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"infnet/backends"
	"infnet/harness/collect"
)

// priced is a model whose every answer to a generation takes in+out tokens.
type priced struct {
	in, out int
	several []backends.Usage // what an answer took, where it is more than one call
	calls   atomic.Int64
}

func (p *priced) Answer(_ context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	p.calls.Add(1)
	var out []backends.Answer
	for _, r := range reqs {
		out = append(out, backends.Answer{
			Key: r.Key(), Text: "x", Tokens: []backends.Token{{Text: "x", Logprob: -1}},
			Usage: backends.Believe(backends.Usage{Prompt: backends.Counted(p.in), Completion: backends.Counted(p.out)},
				false), Calls: p.several,
		})
	}
	return out, nil
}

// pay makes a job of n requests to a model.
func pay(m *priced, name string, n int, price collect.Price) collect.Job {
	j, _ := job(m, n)
	j.Model.ID, j.Name, j.Concurrency, j.Price = name, name, 4, price
	var items []collect.Item
	for it := range j.Items {
		it.Request.Model = j.Model
		it.Request.Prompt = fmt.Sprintf("p%05d", len(items)) // all of one length: what is expected is exact
		items = append(items, it)
	}
	j.Items = all(items)
	return j
}

// One call is asked at a time here, so the numbers are exact. By hand: an answer takes 100 + 10 tokens, and 100·2/10⁶
// + 10·20/10⁶ = 0.0004 USD. A call is begun while what was spent and 110 more are within the limit. The first call is
// expected to take ⌈6/4⌉ tokens in and the 4 allowed out.
func TestSpendingStops(t *testing.T) {
	price := collect.Price{In: 2, Out: 20, Currency: "USD"}
	for _, test := range []struct {
		name   string
		limits collect.Limits
		calls  []backends.Usage
		want   int // answers
		limit  string
		says   []string
	}{
		{"no limit", collect.Limits{}, nil, 20, "", nil},
		{"tokens, just enough", collect.Limits{Tokens: 2200}, nil, 20, "", nil},
		{"tokens, one too few", collect.Limits{Tokens: 2199}, nil, 19, "tokens",
			[]string{"2199 tokens allows no further call", "19 answers for 2090 tokens, 0.0076 USD"}},
		{"tokens of none", collect.Limits{Tokens: 5}, nil, 0, "tokens",
			[]string{"5 tokens allows no call", "raise it, or lower"}},
		{"cost, just enough", collect.Limits{Cost: 0.008}, nil, 20, "", nil},
		{"cost, a half", collect.Limits{Cost: 0.004}, nil, 10, "cost",
			[]string{"budget of 0.004 USD", "10 answers for 1100 tokens, 0.004 USD"}},
		{"answers of several calls", collect.Limits{Tokens: 2200},
			slices.Repeat([]backends.Usage{{Prompt: backends.Counted(100), Completion: backends.Counted(10)}},
				4), 5, "tokens", []string{"5 answers for 2200 tokens"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &priced{in: 100, out: 10, several: test.calls}
			j := pay(m, "m", 20, price)
			j.Concurrency = 1
			st := newStore(t)
			b := collect.NewSpending(test.limits)
			defer b.Close()
			rep, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{Spending: b}, nil)
			if got := len(contents(t, st, j)); got != test.want || rep.Jobs[0].Asked != test.want {
				t.Errorf("%d answers on disk, %d counted, want %d", got, rep.Jobs[0].Asked, test.want)
			}
			var spent *collect.SpendingError
			if errors.As(err, &spent) != (test.limit != "") {
				t.Fatalf("error %v", err)
			}
			if spent == nil {
				return
			}
			if spent.Limit != test.limit {
				t.Errorf("%+v", spent)
			}
			for _, says := range test.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("the error lacks %q:\n%v", says, err)
				}
			}
			// The same run again, with a new budget, goes on and ends.
			for runs := 0; err != nil; runs++ {
				if runs > 25 || test.want == 0 {
					break
				}
				again := collect.NewSpending(test.limits)
				_, err = collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{Spending: again}, nil)
				again.Close()
				if err != nil && !errors.As(err, &spent) {
					t.Fatal(err)
				}
			}
			if got := len(contents(t, st, j)); test.want > 0 && (got != 20 || m.calls.Load() != 20) {
				t.Errorf("after running again: %d answers with %d calls, want 20", got, m.calls.Load())
			}
		})
	}
}

// A server that counts nothing: its tokens are estimated.
func TestSpendingUncounted(t *testing.T) {
	j := pay(&priced{}, "m", 20, collect.Price{})
	j.Concurrency = 1
	st := newStore(t)
	b := collect.NewSpending(collect.Limits{Tokens: 30}) // ⌈6/4⌉ in and the one token of the answer are 3 a call
	defer b.Close()
	_, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{Spending: b}, nil)
	if n := len(contents(t, st, j)); n != 10 || !errors.As(err, new(*collect.SpendingError)) {
		t.Errorf("%d answers, %v; want 10", n, err)
	}
}

// Embeddings count too: a text of six characters is taken for 6/4 + 1 = 2
// tokens, and one call of two texts for 4. The built-in embedder is no model.
func TestSpendingOfEmbeddings(t *testing.T) {
	var list []string
	for i := range 8 {
		list = append(list, fmt.Sprintf("t%05d", i))
	}
	for _, test := range []struct {
		kind backends.Kind
		made int
	}{{backends.OpenAI, 6}, {backends.Lexical, 8}} {
		st, n := newStore(t), 0
		j := embed(&n, list...)
		j.Model.Kind = test.kind
		b := collect.NewSpending(collect.Limits{Tokens: 15})
		_, err := j.Run(t.Context(), st, collect.Options{Spending: b}, nil)
		b.Close()
		if over := errors.As(err, new(*collect.SpendingError)); over != (test.made < 8) || err != nil && !over ||
			n != test.made {
			t.Errorf("%s: %d texts, %v; want %d", test.kind, n, err, test.made)
		}
		rep, err := j.Run(t.Context(), st, collect.Options{}, nil)
		if err != nil || rep.OnDisk != test.made || n != 8 {
			t.Errorf("%s, again without a limit: %+v after %d texts, %v", test.kind, rep, n, err)
		}
	}
}

func TestLimitsOver(t *testing.T) {
	need := collect.Spent{Answers: 10, In: 600, Out: 400, Cost: 2.5, Currency: "EUR"}
	for _, test := range []struct {
		limits collect.Limits
		want   string
	}{
		{collect.Limits{}, ""},
		{collect.Limits{Tokens: 1000, Cost: 2.5, Time: time.Hour}, ""},
		{collect.Limits{Tokens: 999}, "about 1000 tokens, the budget is 999"},
		{collect.Limits{Tokens: 1, Cost: 2}, "about 1000 tokens, the budget is 1; about 2.5 EUR, the budget is 2"},
	} {
		if got := test.limits.Over(need); got != test.want {
			t.Errorf("%+v: %q, want %q", test.limits, got, test.want)
		}
	}
}
