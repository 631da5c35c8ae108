package cli

import (
	"math"
	"time"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/spec"
)

// budgetFlags are the limits of what a run spends, over the spec's
// [collect] budget.
type budgetFlags struct {
	BudgetTokens *int64         `help:"Stop before more than N tokens, in and out, are asked for." placeholder:"N"`
	BudgetCost   *float64       `help:"Stop before tokens of more than this price are asked for, in the currency of the spec's prices." placeholder:"X"`
	BudgetTime   *time.Duration `help:"Begin no call after this time: 90s, 30m, 2h." placeholder:"D"`
}

func (f budgetFlags) limits() spec.Budget {
	return spec.Budget{Tokens: limit(f.BudgetTokens), Cost: limit(f.BudgetCost), Time: limit(f.BudgetTime)}
}

// limit is a flag's value, 0 where it is not given: the spec's holds then. A
// limit of 0 is none of a budget, and is refused as those below it are.
func limit[T int64 | float64 | time.Duration](given *T) T {
	switch {
	case given == nil:
		return 0
	case *given == 0:
		return -1
	}
	return *given
}

// price is what a model's tokens cost, for a budget of money.
func price(m *spec.Model) collect.Price {
	if !m.Priced {
		return collect.Price{}
	}
	return collect.Price{In: m.PriceIn, Out: m.PriceOut, Currency: m.Currency}
}

// overBudget says what of a plan exceeds the budget, "" = nothing. The time is
// compared where the latency of every model to be asked is known.
func (st *study) overBudget(jobs []collect.Job, planned []collect.Planned) string {
	var lasts time.Duration
	known := true
	for _, p := range planned {
		m, ok := st.spec.Model(p.Model)
		if !ok || p.Calls == 0 || m.Config.Model.Kind == backends.Replay {
			continue
		}
		known = known && p.Latency > 0
		// In floating point: calls × latency may be more than a duration holds.
		if took := float64(p.Calls) * float64(p.Latency) / float64(max(1, st.concurrency(m))); took < float64(math.MaxInt64-lasts) {
			lasts += time.Duration(took)
		} else {
			lasts = math.MaxInt64
		}
	}
	if !known {
		lasts = 0
	}
	return collect.Limits(st.spec.Collect.Budget).Over(collect.Needed(jobs, planned), lasts)
}
