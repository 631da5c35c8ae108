package reports

import (
	"fmt"

	"infnet/harness/result"
	"infnet/reports/table"
)

// realised is a row of what a fitted policy comes to.
type realised interface{ outcome() *result.Realised }

// realisedColumns are what fitted policies come to.
func realisedColumns[T realised]() []column[T] {
	return []column[T]{
		text("Policy id", "policy_id", func(x T) string { return x.outcome().Policy }, csvOnly),
		number("Error (%)", "error", func(x T) table.Part { return percents(x.outcome().Error, 1) }),
		number("Allowed (%)", "allowed", func(x T) table.Part {
			return table.Num(table.Exactly(x.outcome().Allowed, 1).AsPercent())
		}, exact),
		number("Error − budget", "excess", func(x T) table.Part { return percents(x.outcome().Excess, 1) }),
		text("Budget", "budget", func(x T) string { return string(x.outcome().Budget) }),
		number("Cost Saved (%)", "cost_saved_pct", func(x T) table.Part { return interval(x.outcome().Saved, 1) }),
		number("Deferred (%)", "deferred", func(x T) table.Part {
			return table.Num(table.Exactly(x.outcome().Deferred, 1).AsPercent())
		}, exact),
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
