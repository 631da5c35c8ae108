package collect

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"infnet/backends"
)

// Limits are what a run may spend. 0 = no limit.
type Limits struct {
	Tokens int64         // in and out together, of every model that is asked
	Cost   float64       // in the currency of the models' prices
	Time   time.Duration // from NewSpending to the last call that is begun
}

// Price is what a model's tokens cost. The zero value is for models that cost nothing.
type Price struct {
	In, Out  float64 // per million tokens
	Currency string  // "" = there are no prices
}

// Of is the price of tokens.
func (p Price) Of(in, out int64) float64 {
	return (float64(float64(in)*p.In) + float64(float64(out)*p.Out)) / 1e6
}

// Spent is what calls used: the tokens that their servers counted, or an estimate (cost.Count), at the models' prices.
type Spent struct {
	Answers  int     // received, embeddings included
	In, Out  int64   // tokens
	Cost     float64 // of them
	Currency string  // of Cost; "" = nothing had a price
}

// Tokens are those in and out together.
func (s Spent) Tokens() int64 { return plus(s.In, s.Out) }

// plus is a sum that saturates instead of overflowing: servers may report, and limits may be, any number.
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

// Spending counts what runs spend and stops them before they exceed its limits: a call starts only if they cover
// what was spent and what it and the calls in flight are expected to use. Expected are
//
//   - of the prompt, the tokens that the model's tokenizer counts; without one,
//     the mean of the answers so far; before the first answer, cost.Estimate;
//   - of the answer, the mean of the answers so far; before the first, the
//     longest allowed.
//
// Every call that a server answered counts, whether or not the answer is usable. Tokens that a server does not
// report are counted by the model's tokenizer (the prompt's) or estimated by cost.Count; a failed generation
// counts as many as were allowed. Not counted are answers on disk, calls whose reply cannot be read, the probe of
// a server, and recorded answers (backends.Replay). One Spending may serve several runs at once.
type Spending struct {
	limits Limits
	start  time.Time
	timeUp context.Context // done when the time is
	cancel context.CancelFunc

	mu      sync.Mutex
	spent   Spent
	flying  Spent         // expected of the calls under way
	calls   int           // under way
	changed chan struct{} // closed and replaced when a call comes back
}

// NewSpending starts the clock. Close ends it.
func NewSpending(l Limits) *Spending {
	p := &Spending{limits: l, start: time.Now(), changed: make(chan struct{})}
	if l.Time > 0 {
		p.timeUp, p.cancel = context.WithTimeout(context.Background(), l.Time)
	} else {
		p.timeUp, p.cancel = context.WithCancel(context.Background())
	}
	return p
}

// Close releases its timer.
func (p *Spending) Close() { p.cancel() }

// deadline applies the time limit to the context for starting calls. stop releases it.
func (p *Spending) deadline(ctx context.Context) (limited context.Context, stop context.CancelFunc) {
	if p == nil || p.limits.Time <= 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, p.start.Add(p.limits.Time))
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

// SpendingError says that a run stopped because a spending limit was reached. Calls under way were waited for,
// everything received is on disk, and the same command goes on from here.
type SpendingError struct {
	Limits Limits
	Limit  string // the one that stopped it: "tokens", "cost" or "time"
	Spent  Spent  // by this run
	Took   time.Duration
}

func (e *SpendingError) Error() string {
	limit := map[string]string{
		"tokens": fmt.Sprintf("%d tokens", e.Limits.Tokens),
		"cost":   strings.TrimSpace(fmt.Sprintf("%g %s", e.Limits.Cost, e.Spent.Currency)),
		"time":   e.Limits.Time.String(),
	}[e.Limit]
	if e.Spent.Answers == 0 && e.Limit != "time" {
		return fmt.Sprintf("the budget of %s allows no call, and nothing was received: raise it, or lower the backend's "+
			"batch", limit)
	}
	return fmt.Sprintf("the budget of %s allows no further call: this run received %d answers for %v in %s; everything "+
		"received is on disk, and the same command goes on from here with a new budget; infnet plan says what is left", limit,
		e.Spent.Answers, e.Spent, e.Took.Round(time.Second/10))
}

// String is tokens and cost.
func (s Spent) String() string {
	if s.Currency == "" {
		return fmt.Sprintf("%d tokens", s.Tokens())
	}
	return fmt.Sprintf("%d tokens, %.4g %s", s.Tokens(), s.Cost, s.Currency)
}

func (p *Spending) exhausted(limit string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &SpendingError{Limits: p.limits, Limit: limit, Spent: p.spent, Took: time.Since(p.start)}
}

// Needed adds up the expected usage of a plan's calls. Recorded answers use nothing.
func Needed(plan []Planned) (n Spent) {
	for _, p := range plan {
		if p.ID.Kind == backends.Replay {
			continue
		}
		of := Spent{Answers: p.Calls, In: int64(p.PromptTokens), Out: int64(p.CompletionTokens)}
		if price := p.Price(); price != nil {
			of.Cost, of.Currency = price.Amount, price.Currency
		}
		n.Add(of, 1)
	}
	return n
}

// Over says in words which limits a plan exceeds. "" = none that is known before the run.
func (l Limits) Over(n Spent) string {
	var over []string
	if l.Tokens > 0 && n.Tokens() > l.Tokens {
		over = append(over, fmt.Sprintf("about %d tokens, the budget is %d", n.Tokens(), l.Tokens))
	}
	if l.Cost > 0 && n.Cost > l.Cost {
		over = append(over, fmt.Sprintf("about %.4g %s, the budget is %g", n.Cost, n.Currency, l.Cost))
	}
	return strings.Join(over, "; ")
}
