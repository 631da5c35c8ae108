package collect

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"infnet/backends"
	"infnet/harness/cost"
	"infnet/harness/store"
)

// Limits are what a run may spend. 0 = no limit.
type Limits struct {
	Tokens int64         // in and out together, of every model that is asked
	Cost   float64       // in the currency of the models' prices
	Time   time.Duration // from NewBudget to the last call that is begun
}

// Price is what a model's tokens cost. The zero value is for models that cost
// nothing.
type Price struct {
	In, Out  float64 // per million tokens
	Currency string
}

// Spent is what calls took: the tokens that their servers counted, or are
// estimated to have taken (cost.Count), at the models' prices.
type Spent struct {
	Answers   int           // received, embeddings included
	In, Out   int64         // tokens
	Cost      float64       // of them
	Currency  string        // of Cost; "" = nothing had a price
	Uncounted int           // requests whose server did not report all tokens, so that a part is estimated
	Time      time.Duration // since the budget was made
}

// Tokens are those in and out together.
func (s Spent) Tokens() int64 { return plus(s.In, s.Out) }

// plus is a sum that stays at the end of the range instead of going round: a
// server may report any number of tokens, and a limit may be any.
func plus(a, b int64) int64 {
	switch c := a + b; {
	case a > 0 && b > 0 && c < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && c >= 0:
		return math.MinInt64
	default:
		return c
	}
}

// Budget stops runs before they spend more than its limits. A call is begun
// only if what was spent, what the calls under way are expected to take and
// what it is expected to take itself stay within the limits; expected are the
// prompt's tokens where the model can count them, else by the answers that came
// so far, and before the first by the number of characters; and the mean length
// of the answers so far, before the first the longest allowed. So a run may exceed a limit by no
// more than the calls under way were underestimated.
//
// Counted is what this run asks, not what is on disk, and every call that a
// server answered, whether or not an answer came of it (a refusal, thoughts, a
// reply that contradicts itself). Of tokens that a server does not report the
// prompt's are counted by the model's tokenizer where it is at hand; all others
// are estimated by cost.Count, and those of a failed generation are as many as
// were allowed. Calls without a reply that can be read are not counted, nor is
// the probe of a server; the tokens of embeddings are estimated. Recorded answers
// (backends.Replay) cost nothing. One Budget may serve several runs at once.
type Budget struct {
	limits Limits
	start  time.Time
	now    func() time.Time
	timeUp context.Context // done when the time is
	cancel context.CancelFunc

	mu      sync.Mutex
	spent   Spent
	flying  Spent         // expected of the calls under way
	calls   int           // under way
	changed chan struct{} // closed and made anew when a call comes back
}

// NewBudget starts the clock. Close ends it.
func NewBudget(l Limits) *Budget {
	b := &Budget{limits: l, start: time.Now(), now: time.Now, changed: make(chan struct{})}
	if l.Time > 0 {
		b.timeUp, b.cancel = context.WithTimeout(context.Background(), l.Time)
	} else {
		b.timeUp, b.cancel = context.WithCancel(context.Background())
	}
	return b
}

// Close frees the budget's timer.
func (b *Budget) Close() { b.cancel() }

// Spent returns what was spent so far.
func (b *Budget) Spent() Spent {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.spent
	s.Time = b.now().Sub(b.start)
	return s
}

// deadline limits the context under which calls are begun to the time. stop
// frees it.
func (b *Budget) deadline(ctx context.Context) (limited context.Context, stop context.CancelFunc) {
	if b == nil || b.limits.Time <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, b.start.Add(b.limits.Time))
}

// over returns the name of a limit that more would break, "" = none.
func (l Limits) over(s, flying, more Spent) string {
	switch {
	case l.Tokens > 0 && plus(plus(s.Tokens(), flying.Tokens()), more.Tokens()) > l.Tokens:
		return "tokens"
	case l.Cost > 0 && s.Cost+flying.Cost+more.Cost > l.Cost*(1+1e-9): // sums of prices are rounded
		return "cost"
	}
	return ""
}

// meter is one job's way to a budget. A nil meter admits everything.
type meter struct {
	budget  *Budget
	price   Price
	counter backends.TokenCounter // nil = the model has none

	// Of the job's answers so far, under the budget's mutex.
	generated            int64
	chars, in, completed int64
}

func (b *Budget) meter(j Job, model backends.Model) *meter {
	if b == nil || j.Model.Kind == backends.Replay {
		return nil
	}
	m := &meter{budget: b, price: j.Price}
	if b.limits.Tokens > 0 || b.limits.Cost > 0 {
		m.counter, _ = backends.Ability[backends.TokenCounter](model)
	}
	return m
}

// enter waits until a call may begin, and reserves what it is expected to
// take. why names the limit that forbids it: nothing under way could make room
// any more. It is "" with the context's error where that ends first.
func (m *meter) enter(ctx context.Context, items []Item) (reserved Spent, why string, err error) {
	if m == nil {
		return Spent{}, "", nil
	}
	b := m.budget
	for {
		b.mu.Lock()
		if b.timeUp.Err() != nil && b.limits.Time > 0 {
			b.mu.Unlock()
			return Spent{}, "time", nil
		}
		more := m.expect(items)
		why := b.limits.over(b.spent, b.flying, more)
		if why == "" {
			b.flying.add(more, 1)
			b.calls++
			b.mu.Unlock()
			return more, "", nil
		}
		calls, changed := b.calls, b.changed
		b.mu.Unlock()
		if calls == 0 {
			return Spent{}, why, nil
		}
		select {
		case <-changed:
		case <-b.timeUp.Done():
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
	b := m.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flying.add(reserved, -1)
	if b.calls--; b.calls == 0 {
		b.flying = Spent{} // no crumbs of rounding
	}
	for i, a := range answers {
		b.spent.add(m.took(items[i], a), 1)
	}
	close(b.changed)
	b.changed = make(chan struct{})
}

// add adds or (sign −1) takes away.
func (s *Spent) add(o Spent, sign int) {
	s.Answers += sign * o.Answers
	s.In = plus(s.In, int64(sign)*o.In)
	s.Out = plus(s.Out, int64(sign)*o.Out)
	s.Cost += float64(sign) * o.Cost
	s.Uncounted += sign * o.Uncounted
	if o.Currency != "" {
		s.Currency = o.Currency
	}
}

// took is what an answer, or a failure that a server answered with, took.
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
	if len(it.Request.Labels) == 0 {
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
		switch {
		case len(it.Request.Labels) > 0:
			s.Out++
		case m.generated > 0:
			s.Out = plus(s.Out, share(1, m.completed, m.generated))
		default:
			s.Out += int64(it.Request.MaxTokens)
		}
	}
	return m.priced(s)
}

// exact is the number of the prompt's tokens by the model's own tokenizer; 0 =
// it is not at hand, or cannot count this one.
func (m *meter) exact(it Item) int {
	if m.counter == nil {
		return 0
	}
	n, _ := m.counter.CountTokens(it.Request.Prompt)
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
		s.Cost = (float64(float64(s.In)*m.price.In) + float64(s.Out)*m.price.Out) / 1e6
		s.Currency = m.price.Currency
	}
	return s
}

func characters(it Item) int64 { return int64(utf8.RuneCountInString(it.Request.Prompt)) }

// BudgetError says that a run stopped because its budget is used up. Calls
// under way were waited for, everything received is on disk, and the same
// command goes on from here.
type BudgetError struct {
	Limits Limits
	Limit  string // the one that stopped it: "tokens", "cost" or "time"
	Spent  Spent  // by this run
	Need   *Need  // to finish; nil = not known
}

// Need is what the calls that were not made will take.
type Need struct {
	Answers  int     // requests to be answered
	Tokens   int64   // that they will probably take
	Cost     float64 // of them
	Currency string
}

func (e *BudgetError) Error() string {
	var b strings.Builder
	limit := map[string]string{
		"tokens": fmt.Sprintf("%d tokens", e.Limits.Tokens),
		"cost":   strings.TrimSpace(fmt.Sprintf("%g %s", e.Limits.Cost, e.Spent.Currency)),
		"time":   e.Limits.Time.String(),
	}[e.Limit]
	fmt.Fprintf(&b, "the budget of %s allows no further call: this run received %d answers for %s in %s",
		limit, e.Spent.Answers, tokensAndCost(e.Spent.Tokens(), e.Spent.Cost, e.Spent.Currency), e.Spent.Time.Round(time.Second/10))
	if e.Spent.Uncounted > 0 {
		fmt.Fprintf(&b, " (the tokens of %d are estimated: their server did not report them)", e.Spent.Uncounted)
	}
	b.WriteString("; everything received is on disk")
	if n := e.Need; n != nil {
		fmt.Fprintf(&b, "; to finish takes %d more answers, about %s", n.Answers, tokensAndCost(n.Tokens, n.Cost, n.Currency))
	}
	b.WriteString(": the same command goes on from here with the budget anew, or raise it")
	return b.String()
}

func tokensAndCost(tokens int64, cost float64, currency string) string {
	if currency == "" {
		return fmt.Sprintf("%d tokens", tokens)
	}
	return fmt.Sprintf("%d tokens, %.4g %s", tokens, cost, currency)
}

func (b *Budget) exhausted(limit string) error {
	return &BudgetError{Limits: b.limits, Limit: limit, Spent: b.Spent()}
}

// needs completes the error of a budget that is used up with what is left to
// do; no model is opened for that.
func needs(ctx context.Context, st *store.Store, jobs []Job, opt Options, err error) {
	var e *BudgetError
	if !errors.As(err, &e) {
		return
	}
	closed := slices.Clone(jobs)
	for i := range closed {
		closed[i].Open = nil
	}
	if plan, err := Plan(ctx, st, closed, opt); err == nil {
		n := Needed(jobs, plan)
		e.Need = &n
	}
}

// Needed adds up what a plan's calls will take; Recorded answers take nothing.
func Needed(jobs []Job, plan []Planned) Need {
	var n Need
	for _, p := range plan {
		i := slices.IndexFunc(jobs, func(j Job) bool { return j.Model == p.ID && j.Name == p.Model && j.Dataset == p.Dataset })
		if i < 0 || p.ID.Kind == backends.Replay {
			continue
		}
		s := (&meter{price: jobs[i].Price}).priced(Spent{In: int64(p.PromptTokens), Out: int64(p.CompletionTokens)})
		n.Answers += p.Calls
		n.Tokens = plus(n.Tokens, s.Tokens())
		n.Cost += s.Cost
		if s.Currency != "" {
			n.Currency = s.Currency
		}
	}
	return n
}

// Over says in words which limits a plan exceeds, "" = none, or none that can
// be known beforehand. lasts is how long the calls will take; 0 = not known.
func (l Limits) Over(n Need, lasts time.Duration) string {
	var over []string
	if l.Tokens > 0 && n.Tokens > l.Tokens {
		over = append(over, fmt.Sprintf("about %d tokens, the budget is %d", n.Tokens, l.Tokens))
	}
	if l.Cost > 0 && n.Cost > l.Cost {
		over = append(over, fmt.Sprintf("about %.4g %s, the budget is %g", n.Cost, n.Currency, l.Cost))
	}
	if l.Time > 0 && lasts > l.Time {
		over = append(over, fmt.Sprintf("about %v, the budget is %v", lasts.Round(time.Second), l.Time))
	}
	return strings.Join(over, "; ")
}
