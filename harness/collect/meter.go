package collect

import (
	"context"
	"math"

	"infnet/backends"
	"infnet/harness/cost"
)

// meter reserves and counts what one job spends. A nil meter admits everything.
type meter struct {
	spending *Spending
	price    Price
	forecast // by the job's answers so far, under the mutex of spending
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
	}
	m.prompt.add(float64(s.In))
	m.completion.add(float64(s.Out))
	return m.priced(s)
}

// expect is what a call will probably take.
func (m *meter) expect(items []Item) Spent {
	var in, out float64
	for _, it := range items {
		t := m.of(it)
		in, out = in+t.in, out+t.out
	}
	return m.priced(Spent{In: whole(in), Out: whole(out)})
}

// whole rounds a number of tokens up.
func whole(tokens float64) int64 {
	if tokens >= math.MaxInt64 {
		return math.MaxInt64 // no server answered with so many
	}
	return int64(math.Ceil(tokens))
}

func (m *meter) priced(s Spent) Spent {
	if m.price.Currency != "" {
		s.Cost, s.Currency = m.price.Of(s.In, s.Out), m.price.Currency
	}
	return s
}
