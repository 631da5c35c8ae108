package reports

import (
	"fmt"
	"math"

	"infnet/harness/result"
	"infnet/reports/table"
)

// realised is a row of what a fitted policy comes to.
type realised interface{ outcome() *result.Realised }

// realisedColumns are what fitted policies come to. Those of single rows are in CSV files alone where shown is false.
func realisedColumns[T realised](shown bool) []column[T] {
	return []column[T]{
		text("Policy id", "policy_id", func(x T) string { return x.outcome().Policy }, csvOnly),
		number("Error (%)", "error", func(x T) table.Part { return percents(x.outcome().Error, 1) }, only(shown)),
		number("Allowed (%)", "allowed", func(x T) table.Part {
			return table.Num(table.Exactly(x.outcome().Allowed, 1).AsPercent())
		}, exact, only(shown)),
		number("Error − budget", "excess", func(x T) table.Part { return percents(x.outcome().Excess, 1) }, only(shown)),
		text("Budget", "budget", func(x T) string { return string(x.outcome().Budget) }, only(shown)),
		number("Cost Saved (%)", "cost_saved_pct", func(x T) table.Part { return interval(x.outcome().Saved, 1) },
			only(shown)),
		number("Deferred (%)", "deferred", func(x T) table.Part {
			return table.Num(table.Exactly(x.outcome().Deferred, 1).AsPercent())
		}, exact, only(shown)),
		text("Certified", "certified", func(x T) string { return yesNo(x.outcome().Certified) }, csvOnly),
	}
}

// budgetRemark says what a budget is, and which intervals hold together over what.
func budgetRemark(s *result.Results, t *table.Table, over string) {
	t.Remark(table.Plain(fmt.Sprintf("Allowed: what the error budget stands for on these test records: where the target "+
		"names a model, that model's error on them (best: of the one that errs least on their fit part), else the number; a "+
		"guarantee adds its margin. The budget is kept or broken where the interval of the error less what is allowed says "+
		"so, else open. The %s intervals of these differences hold together over %s (Bonferroni), those of errors and "+
		"savings each by itself. Savings are of the master's cost on the same records.", percent(s.Level), over)))
}

// severalOf reports whether values differ.
func severalOf[T any](list []T, of func(*T) string) bool {
	for i := range list {
		if of(&list[i]) != of(&list[0]) {
			return true
		}
	}
	return false
}

// noEstimate is a number that there is none of.
func noEstimate() table.Part {
	return table.Num(table.Estimated(math.NaN(), math.NaN(), math.NaN(), 1))
}
