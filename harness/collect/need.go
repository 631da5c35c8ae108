package collect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"infnet/backends"
	"infnet/harness/store"
)

// Need is the expected usage of the calls that were not made.
type Need struct {
	Answers  int     // requests to be answered
	Tokens   int64   // that they will probably take
	Cost     float64 // of them
	Currency string
}

// addNeed adds what is left to do to a *SpendingError; it opens no model.
func addNeed(ctx context.Context, st *store.Store, jobs []Job, opt Options, err error) {
	var e *SpendingError
	if !errors.As(err, &e) {
		return
	}
	closed := slices.Clone(jobs)
	for i := range closed {
		closed[i].Open = nil
	}
	if plan, err := Plan(ctx, st, closed, opt); err == nil {
		n := Needed(plan)
		e.Need = &n
	}
}

// Needed adds up the expected usage of a plan's calls. Recorded answers use nothing.
func Needed(plan []Planned) Need {
	var n Need
	for _, p := range plan {
		if p.ID.Kind == backends.Replay {
			continue
		}
		n.Answers += p.Calls
		n.Tokens = plus(n.Tokens, plus(int64(p.PromptTokens), int64(p.CompletionTokens)))
		if price := p.Price(); price != nil {
			n.Cost, n.Currency = n.Cost+price.Amount, price.Currency
		}
	}
	return n
}

// Over says in words which limits a plan exceeds. "" = none that is known before
// the run. lasts is how long the calls will take; 0 = not known.
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
