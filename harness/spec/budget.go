package spec

import (
	"fmt"
	"time"
)

// Upper bounds of a budget: anything larger limits nothing and is probably a mistaken unit.
const (
	mostTokens = 1_000_000_000_000_000
	mostCost   = 1e12
	mostTime   = 10 * 365 * 24 * time.Hour
)

// checkSpent checks what a run may spend; the command line's limits override the spec's.
func checkSpent(f *file, r rawSpending, over Spending) Spending {
	var b Spending
	if r.Tokens != nil {
		if b.Tokens = *r.Tokens; b.Tokens < 1 || b.Tokens > mostTokens {
			f.wrong("collect.budget.tokens", fmt.Sprintf("%d is no number of tokens from 1 to %d", b.Tokens, int64(mostTokens)),
				"leave it out for no limit")
			b.Tokens = 0
		}
	}
	if r.Cost != nil {
		if b.Cost = *r.Cost; !(b.Cost > 0 && b.Cost <= mostCost) {
			f.wrong("collect.budget.cost", fmt.Sprintf("%v is no amount above zero, up to %v", b.Cost, mostCost),
				"cost = 5.0 stops before five of the currency that the prices are in")
			b.Cost = 0
		}
	}
	if b.Time = f.duration("collect.budget.time", r.Time, 0); b.Time > mostTime {
		f.wrong("collect.budget.time", fmt.Sprintf("%v is longer than ten years", b.Time), "leave it out for no limit")
		b.Time = 0
	}
	for _, v := range []struct {
		flag  string
		wrong bool
	}{
		{"--budget-tokens", over.Tokens < 0 || over.Tokens > mostTokens},
		{"--budget-cost", !(over.Cost >= 0 && over.Cost <= mostCost)},
		{"--budget-time", over.Time < 0 || over.Time > mostTime},
	} {
		if v.wrong {
			f.fault(v.flag+": a budget is a number above zero, of at most 10^15 tokens, 10^12 of a currency, or ten years",
				"leave it out for no limit")
		}
	}
	if over.Tokens > 0 {
		b.Tokens = over.Tokens
	}
	if over.Cost > 0 {
		b.Cost = over.Cost
	}
	if over.Time > 0 {
		b.Time = over.Time
	}
	return b
}
