package spec

import (
	"fmt"
	"math"
	"slices"

	"infnet/backends"
)

// budget reads what a run may spend; the command line's limits go over the
// spec's.
func (l *loader) budget(f *file, r rawBudget) Budget {
	var b Budget
	if r.Tokens != nil {
		if b.Tokens = *r.Tokens; b.Tokens < 1 {
			l.bad(f, "collect.budget.tokens", fmt.Sprintf("%d is no number of tokens above zero", b.Tokens), "leave it out for no limit")
			b.Tokens = 0
		}
	}
	if r.Cost != nil {
		if b.Cost = *r.Cost; !(b.Cost > 0) || math.IsInf(b.Cost, 0) {
			l.bad(f, "collect.budget.cost", fmt.Sprintf("%v is no amount above zero", b.Cost), "cost = 5.0 stops before five of the currency that the prices are in")
			b.Cost = 0
		}
	}
	b.Time = l.duration(f, "collect.budget.time", r.Time, 0)
	over := l.options.Budget
	for _, v := range []struct {
		flag  string
		wrong bool
	}{
		{"--budget-tokens", over.Tokens < 0},
		{"--budget-cost", over.Cost < 0 || math.IsNaN(over.Cost) || math.IsInf(over.Cost, 0)},
		{"--budget-time", over.Time < 0},
	} {
		if v.wrong {
			l.problems.add(Problem{File: f.name, Message: v.flag + ": a budget is above zero"})
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
