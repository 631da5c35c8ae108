package spec

import (
	"fmt"
	"slices"
	"time"

	"infnet/backends"
	"infnet/harness/spec/place"
)

// The most that a budget may be: beyond these it limits nothing, and is a slip
// of units.
const (
	mostTokens = 1_000_000_000_000_000
	mostCost   = 1e12
	mostTime   = 10 * 365 * 24 * time.Hour
)

// budget reads what a run may spend; the command line's limits go over the
// spec's.
func (l *loader) budget(f *file, r rawBudget) Budget {
	var b Budget
	if r.Tokens != nil {
		if b.Tokens = *r.Tokens; b.Tokens < 1 || b.Tokens > mostTokens {
			l.bad(f, "collect.budget.tokens", fmt.Sprintf("%d is no number of tokens from 1 to %d", b.Tokens, int64(mostTokens)), "leave it out for no limit")
			b.Tokens = 0
		}
	}
	if r.Cost != nil {
		if b.Cost = *r.Cost; !(b.Cost > 0 && b.Cost <= mostCost) {
			l.bad(f, "collect.budget.cost", fmt.Sprintf("%v is no amount above zero, up to %v", b.Cost, mostCost), "cost = 5.0 stops before five of the currency that the prices are in")
			b.Cost = 0
		}
	}
	if b.Time = l.duration(f, "collect.budget.time", r.Time, 0); b.Time > mostTime {
		l.bad(f, "collect.budget.time", fmt.Sprintf("%v is longer than ten years", b.Time), "leave it out for no limit")
		b.Time = 0
	}
	over := l.options.Budget
	for _, v := range []struct {
		flag  string
		wrong bool
	}{
		{"--budget-tokens", over.Tokens < 0 || over.Tokens > mostTokens},
		{"--budget-cost", !(over.Cost >= 0 && over.Cost <= mostCost)},
		{"--budget-time", over.Time < 0 || over.Time > mostTime},
	} {
		if v.wrong {
			l.problems.Add(place.Problem{File: f.name, Message: v.flag + ": a budget is a number above zero, of at most 10^15 tokens, 10^12 of a currency, or ten years", Hint: "leave it out for no limit"})
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

// counted checks that what a budget limits is counted: tokens by every server
// in use, money by their prices, in one currency.
func (l *loader) counted(s *Study, models []*definition) {
	b, currency := s.Collect.Budget, ""
	for _, d := range models {
		i := slices.IndexFunc(s.Models, func(m Model) bool { return m.Name == d.name })
		if !d.used || i < 0 {
			continue
		}
		m := &s.Models[i]
		kind := m.Config.Model.Kind
		if kind == backends.HuggingFace && (b.Tokens > 0 || b.Cost > 0) {
			l.bad(d.file, d.at+".backend", "a Hugging Face endpoint counts no tokens, and the budget limits them or their price", "limit the time instead: [collect] budget = { time = \"1h\" }")
		}
		switch {
		case b.Cost <= 0, !m.Priced && kind != backends.OpenAI:
			continue
		case !m.Priced:
			l.missing(d.file, d.at, "price_in", "a budget of money needs price_in and price_out of every model behind a server, per million tokens; 0 where it costs nothing")
			continue
		}
		if currency == "" {
			currency = m.Currency
		}
		if m.Currency != currency {
			l.bad(d.file, d.at+".currency", fmt.Sprintf("prices in %s beside prices in %s make no sum, and the budget limits it", m.Currency, currency), "give all prices of a study in one currency")
		}
	}
}
