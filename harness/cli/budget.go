package cli

import (
	"time"

	"infnet/harness/spec"
)

// budgetFlags are the spending limits of a run; they override the spec's [collect] budget.
type budgetFlags struct {
	BudgetTokens *int64         `help:"Stop before more than N tokens, in and out, are asked for." placeholder:"N"`
	BudgetCost   *float64       `help:"Stop before tokens of more than this price are asked for, in the currency of the spec's prices." placeholder:"X"`
	BudgetTime   *time.Duration `help:"Begin no call after this time: 90s, 30m, 2h." placeholder:"D"`
}

func (f budgetFlags) limits() spec.Spending {
	return spec.Spending{Tokens: limit(f.BudgetTokens), Cost: limit(f.BudgetCost), Time: limit(f.BudgetTime)}
}

// limit is a flag's value, 0 if it is not given: then the spec's limit applies. A given limit must
// be above 0.
func limit[T int64 | float64 | time.Duration](given *T) T {
	switch {
	case given == nil:
		return 0
	case *given == 0:
		return -1
	}
	return *given
}
