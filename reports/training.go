package reports

import (
	"fmt"
	"math"

	"infnet/harness/result"
	"infnet/reports/table"
)

// trainingColumns are what a fitted policy knows beyond its share of deferrals, what it took to fit, and the queries
// after which that has paid for itself.
func trainingColumns() []column[policyRow] {
	of := func(field string, v func(t *result.Training) table.Part) column[policyRow] {
		return hidden(field, func(x policyRow) table.Part {
			if x.r.Training == nil {
				return table.Plain("")
			}
			return v(x.r.Training)
		})
	}
	return []column[policyRow]{
		number("over_shuffle", "over_shuffle", func(x policyRow) table.Part {
			if x.r.OverShuffle == nil {
				return table.Plain("")
			}
			return interval(*x.r.OverShuffle, 4)
		}, csvOnly),
		of("train_records", func(t *result.Training) table.Part { return count(float64(t.Records)) }),
		of("train_flops", func(t *result.Training) table.Part {
			if t.FLOPs == nil {
				return table.Plain("")
			}
			return table.Plain(fmt.Sprintf("%.4g", *t.FLOPs))
		}),
		of("train_cost", func(t *result.Training) table.Part { return table.Plain(fmt.Sprintf("%.4g", t.Cost)) }),
		of("paid_after_queries", func(t *result.Training) table.Part { return table.Plain(paidAfter(t.PaidAfter)) }),
	}
}

// paidAfter is a number of queries with its interval: "820 [410 to never]".
func paidAfter(e *result.Estimate) string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%s [%s to %s]", queries(e.Value), queries(e.Low), queries(e.High))
}

// queries is a number of queries in whole ones.
func queries(v result.Float) string {
	if math.IsInf(float64(v), 1) {
		return "never"
	}
	return fmt.Sprintf("%.0f", math.Ceil(float64(v)))
}

// trained says what a learned policy took to train, and after how many queries it has paid for that; ours is the title
// of the policy beyond whose saving it does.
func trained(t *result.Training, ours string) string {
	text := fmt.Sprintf("Trained on the fit part, whose %d records need both models' graded answers, ", t.Records)
	if t.FLOPs == nil {
		return text + "in operations that are not counted."
	}
	text += fmt.Sprintf("in %.3g TFLOPs", *t.FLOPs/1e12)
	if t.PaidAfter == nil {
		return text + "."
	}
	word := func(v result.Float) string {
		if v == 0 {
			return "at once"
		}
		return queries(v)
	}
	after, low, high := word(t.PaidAfter.Value), word(t.PaidAfter.Low), word(t.PaidAfter.High)
	if low != high {
		after += fmt.Sprintf(" [%s, %s]", low, high)
	}
	return text + fmt.Sprintf("; queries after which what it saves beyond %s, at the latter's error on the fit part, has "+
		"paid for these: %s.", ours, after)
}
