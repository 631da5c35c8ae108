package collect_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/retry"
	"infnet/harness/collect"
)

// reports is a model whose server counts what usage says, and answers with text,
// tokens or a failure.
type reports struct {
	usage   backends.Usage
	answer  func(backends.Request) backends.Answer
	failing int // of every request's tries, those answered by nonsense first
	tries   map[backends.Key]int
}

func (m *reports) Answer(_ context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	var out []backends.Answer
	for _, r := range reqs {
		if m.tries[r.Key()]++; m.tries[r.Key()] <= m.failing {
			out = append(out, backends.Answer{Key: r.Key(),
				Failure: &backends.Failure{Cause: backends.BadResponse, Message: "x"}, Calls: []backends.Usage{m.usage}})
			continue
		}
		a := m.answer(r)
		a.Key = r.Key()
		if a.Failure != nil {
			a.Calls = []backends.Usage{m.usage}
		} else {
			a.Usage = m.usage
		}
		out = append(out, a)
	}
	return out, nil
}

// A budget of 400 tokens, whatever is reported. By hand: a prompt of 80
// characters has 20 tokens by the server and by the rule; an answer has 20
// characters, which are 5 tokens by the rule and by the server; a call is 25
// tokens, so 400 are 16 calls. The first call is expected to take the 8 that are
// allowed, a failed one without a count is taken to have had them. Calls of 28
// are 14 to a budget. A classification takes 20 + 1, which are 19.
func TestSpendingWhateverIsReported(t *testing.T) {
	n := backends.Counted
	text := func(backends.Request) backends.Answer {
		return backends.Answer{Text: strings.Repeat("x", 20), NoLogprobs: true, Finish: backends.FinishEnd}
	}
	tokens := func(backends.Request) backends.Answer {
		return backends.Answer{Text: strings.Repeat("x", 20), Tokens: make([]backends.Token, 5), Finish: backends.FinishEnd}
	}
	class := func(r backends.Request) backends.Answer {
		return backends.Answer{Text: r.Labels[0], Labels: []backends.LabelScore{{Seen: true}, {Logprob: -1, Seen: true}}}
	}
	refused := func(backends.Request) backends.Answer {
		return backends.Answer{Failure: &backends.Failure{Cause: backends.Refused, Message: "no"}}
	}
	for _, usage := range []struct {
		name  string
		usage backends.Usage
		part  [2]bool // prompt and completion are reported
	}{
		{"all", backends.Usage{Prompt: n(20), Completion: n(5)}, [2]bool{true, true}},
		{"the prompt", backends.Usage{Prompt: n(20)}, [2]bool{true, false}},
		{"the answer", backends.Usage{Completion: n(5)}, [2]bool{false, true}},
		{"nothing", backends.Usage{}, [2]bool{false, false}},
	} {
		for _, kind := range []struct {
			name            string
			answer          func(backends.Request) backends.Answer
			labels          bool
			failing         int
			counted, unsaid int // requests asked where the answer's tokens are reported, and where not
			guessed         bool
		}{
			{"text", text, false, 0, 16, 16, true},
			{"tokens", tokens, false, 0, 16, 16, false},
			{"classification", class, true, 0, 16, 19, false},
			{"refusals", refused, false, 0, 16, 14, true},
			{"a second try", text, false, 1, 8, 8, true}, // two calls each; a try that failed counts like the answer
		} {
			t.Run(usage.name+", "+kind.name, func(t *testing.T) {
				m := &reports{usage: usage.usage, answer: kind.answer, failing: kind.failing, tries: map[backends.Key]int{}}
				j := pay(nil, "m", 60, collect.Price{})
				var items []collect.Item
				for it := range j.Items {
					it.Request.Prompt = fmt.Sprintf("%080d", len(items))
					it.Request.MaxTokens = 8
					if kind.labels {
						it.Request.MaxTokens, it.Request.Labels = 0, []string{"a", "b"}
					}
					items = append(items, it)
				}
				j.Items, j.Concurrency = all(items), 1
				j.Open = func() (backends.Model, error) { return retry.New(m, retry.Options{Tries: 2, First: 1}), nil }
				b := collect.NewSpending(collect.Limits{Tokens: 400})
				defer b.Close()
				_, err := collect.Run(t.Context(), newStore(t), []collect.Job{j}, collect.Options{Spending: b, GiveUp: -1}, nil)
				var over *collect.SpendingError
				if !errors.As(err, &over) {
					t.Fatalf("error %v, want the budget used up", err)
				}
				want := kind.counted
				if !usage.part[1] {
					want = kind.unsaid
				}
				if len(m.tries) != want || over.Spent.Tokens() > 400 {
					t.Errorf("%d requests for %d tokens, want %d", len(m.tries), over.Spent.Tokens(), want)
				}
				if guessed := !usage.part[0] || !usage.part[1] && kind.guessed; (over.Spent.Uncounted > 0) != guessed {
					t.Errorf("%d requests are estimated, want some: %t", over.Spent.Uncounted, guessed)
				}
			})
		}
	}
}
