package collect

import (
	"context"
	"math"
	"math/bits"
	"unicode/utf8"

	"infnet/backends"
	"infnet/harness/cost"
)

// meter reserves and counts what one job spends. A nil meter admits everything.
type meter struct {
	spending *Spending
	price    Price
	counter  backends.TokenCounter // nil = the model has none

	// Of the job's answers so far, under the mutex of spending.
	generated            int64
	chars, in, completed int64
}

func (p *Spending) meter(j Job, model backends.Model) *meter {
	if p == nil || j.Model.Kind == backends.Replay {
		return nil
	}
	m := &meter{spending: p, price: j.Price}
	if p.limits.Tokens > 0 || p.limits.Cost > 0 {
		m.counter, _ = backends.Ability[backends.TokenCounter](model)
	}
	return m
}

// enter waits until a call may begin, and reserves what it is expected to take. why names the limit that forbids it,
// if no call in flight could still make room. It is "" with the context's error if that ends first.
func (m *meter) enter(ctx context.Context, items []Item) (reserved Spent, why string, err error) {
	if m == nil {
		return Spent{}, "", nil
	}
	p := m.spending
	for {
		p.mu.Lock()
		if p.timeUp.Err() != nil && p.limits.Time > 0 {
			p.mu.Unlock()
			return Spent{}, "time", nil
		}
		more := m.expect(items)
		why := p.limits.over(p.spent, p.flying, more)
		if why == "" {
			p.flying.Add(more, 1)
			p.calls++
			p.mu.Unlock()
			return more, "", nil
		}
		calls, changed := p.calls, p.changed
		p.mu.Unlock()
		if calls == 0 {
			return Spent{}, why, nil
		}
		select {
		case <-changed:
		case <-p.timeUp.Done():
		case <-ctx.Done():
			return Spent{}, "", context.Cause(ctx)
		}
	}
}

// leave gives back what was reserved and counts what was spent; answers is nil
// where the call was not made or brought nothing.
func (m *meter) leave(reserved Spent, items []Item, answers []backends.Answer) {
	if m == nil {
		return
	}
	p := m.spending
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flying.Add(reserved, -1)
	if p.calls--; p.calls == 0 {
		p.flying = Spent{} // no rest of rounding
	}
	for i, a := range answers {
		p.spent.Add(m.took(items[i], a), 1)
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// Add adds (sign 1) or subtracts (sign −1) what other calls used, but for the time.
func (s *Spent) Add(o Spent, sign int) {
	s.Answers += sign * o.Answers
	s.In = plus(s.In, int64(sign)*o.In)
	s.Out = plus(s.Out, int64(sign)*o.Out)
	s.Cost += float64(float64(sign) * o.Cost)
	s.Uncounted += sign * o.Uncounted
	if o.Currency != "" {
		s.Currency = o.Currency
	}
}

// took is the usage of an answer, or of a failure that a server reported.
func (m *meter) took(it Item, a backends.Answer) Spent {
	s := Spent{Answers: 1}
	calls := a.Calls
	switch {
	case a.Failure != nil:
		s.Answers = 0
	case len(calls) == 0:
		calls = []backends.Usage{a.Usage}
	}
	if len(calls) == 0 {
		return s
	}
	for _, u := range calls {
		n := cost.Count(it.Request, a, u)
		exact := m.exact(it)
		if n.PromptEstimated && exact > 0 {
			n.Prompt, n.PromptEstimated = exact, false
		}
		if n.CompletionEstimated && a.Failure != nil {
			n.Completion = it.Request.MaxTokens // the text is gone
		}
		s.In, s.Out = plus(s.In, int64(n.Prompt)), plus(s.Out, int64(n.Completion))
		if n.Estimated() {
			s.Uncounted = 1
		}
	}
	m.chars += characters(it)
	m.in = plus(m.in, s.In)
	if len(it.Request.Labels) == 0 || it.Request.Question != "" {
		m.generated++
		m.completed = plus(m.completed, s.Out)
	}
	return m.priced(s)
}

// expect is what a call will probably take.
func (m *meter) expect(items []Item) Spent {
	var s Spent
	for _, it := range items {
		exact := m.exact(it)
		switch {
		case exact > 0:
			s.In += int64(exact)
		case m.chars > 0:
			s.In = plus(s.In, share(characters(it), m.in, m.chars))
		default:
			s.In += int64(cost.Estimate(it.Request))
		}
		switch decides := it.Request.Question != ""; {
		case len(it.Request.Labels) > 0 && !decides:
			s.Out++
		case m.generated > 0:
			s.Out = plus(s.Out, share(1, m.completed, m.generated))
		default: // 0 of a decision model
			s.Out += int64(it.Request.MaxTokens)
		}
	}
	return m.priced(s)
}

// exact is the number of the prompt's tokens by the model's own tokenizer; 0 =
// there is none, or it cannot count this one.
func (m *meter) exact(it Item) int {
	if m.counter == nil {
		return 0
	}
	n, _ := m.counter.CountTokens(it.Request.Shown())
	return n
}

// share is n·of/all, rounded up; all is positive.
func share(n, of, all int64) int64 {
	if hi, lo := bits.Mul64(uint64(max(0, n)), uint64(max(0, of))); hi == 0 && lo < math.MaxInt64-uint64(all) {
		return (int64(lo) + all - 1) / all
	}
	return math.MaxInt64 // no server answered with so many
}

func (m *meter) priced(s Spent) Spent {
	if m.price.Currency != "" {
		s.Cost, s.Currency = m.price.Of(s.In, s.Out), m.price.Currency
	}
	return s
}

func characters(it Item) int64 { return int64(utf8.RuneCountInString(it.Request.Shown())) }
