package cli

import (
	"time"

	"infnet/harness/spec"
)

// budgetFlags are the limits of what a run spends, over the spec's
// [collect] budget.
type budgetFlags struct {
	BudgetTokens *int64         `help:"Stop before more than N tokens, in and out, are asked for." placeholder:"N"`
	BudgetCost   *float64       `help:"Stop before tokens of more than this price are asked for, in the currency of the spec's prices." placeholder:"X"`
	BudgetTime   *time.Duration `help:"Begin no call after this time: 90s, 30m, 2h." placeholder:"D"`
}

func (f budgetFlags) limits() spec.Spending {
	return spec.Spending{Tokens: limit(f.BudgetTokens), Cost: limit(f.BudgetCost), Time: limit(f.BudgetTime)}
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
