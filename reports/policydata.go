package reports

import (
	"fmt"
	"math"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// rivalColumns compare a policy with single models, and with two mixed at random.
func rivalColumns() []column[policyRow] {
	of := func(field string, part func(r *result.Rival) table.Part, looks ...look) column[policyRow] {
		return number(field, field, func(x policyRow) table.Part {
			if x.r.Rival == nil {
				return table.Plain("")
			}
			return part(x.r.Rival)
		}, append(looks, csvOnly)...)
	}
	whole := func(iv *infer.Interval) table.Part {
		if iv == nil {
			return table.Plain("")
		}
		return interval(*iv, 4)
	}
	return []column[policyRow]{
		of("worth_it", func(r *result.Rival) table.Part { return table.Plain(r.Verdict) }),
		of("best_single", func(r *result.Rival) table.Part {
			if r.P > 0 {
				return table.Plain(fmt.Sprintf("%s %.4g, %s %.4g", r.First, 1-r.P, r.Second, r.P))
			}
			return table.Plain(r.First)
		}),
		of("saved_of_best_single", func(r *result.Rival) table.Part { return whole(&r.Saved) }),
		of("error_difference", func(r *result.Rival) table.Part { return whole(&r.Error) }),
		of("price_ratio", func(r *result.Rival) table.Part {
			if r.BreakEven == nil {
				return table.Num(table.Exactly(math.NaN(), 4))
			}
			return table.Num(table.Exactly(r.Ratio, 4))
		}, exact),
		of("break_even_ratio", func(r *result.Rival) table.Part { return whole(r.BreakEven) }),
	}
}

// fitted is the policy that was fitted for a row; nil = none was.
func (x policyRow) fitted() *result.Policy {
	for i := range x.d.Policies {
		if p := &x.d.Policies[i]; p.Policy == x.r.Policy {
			return p
		}
	}
	return nil
}

// fittedColumns are what was fitted: thresholds, how they do on the fit part, and what is proved about them.
func fittedColumns() []column[policyRow] {
	of := func(field string, part func(x policyRow, p *result.Policy) table.Part) column[policyRow] {
		return hidden(field, func(x policyRow) table.Part {
			if p := x.fitted(); p != nil {
				return part(x, p)
			}
			return table.Plain("")
		})
	}
	certified := func(p *result.Policy, v func(*result.Certificate) float64) table.Part {
		if p.Certificate == nil {
			return table.Num(table.Exactly(math.NaN(), 0))
		}
		return count(v(p.Certificate))
	}
	return []column[policyRow]{
		of("thresholds", func(_ policyRow, p *result.Policy) table.Part { return table.Plain(thresholdWords(p)) }),
		of("fit_errors", func(_ policyRow, p *result.Policy) table.Part { return count(p.FitErrors) }),
		of("fit_deferred", func(_ policyRow, p *result.Policy) table.Part { return count(float64(p.FitDeferred)) }),
		of("method", func(_ policyRow, p *result.Policy) table.Part { return table.Plain(p.Method) }),
		of("gap", func(_ policyRow, p *result.Policy) table.Part {
			return certified(p, func(c *result.Certificate) float64 { return c.Gap })
		}),
		of("lower_bound", func(_ policyRow, p *result.Policy) table.Part {
			return certified(p, func(c *result.Certificate) float64 { return c.LowerBound })
		}),
		of("objective_unit", func(x policyRow, _ *result.Policy) table.Part { return table.Plain(objectiveUnit(x.c)) }),
		of("optimal", func(_ policyRow, p *result.Policy) table.Part {
			return table.Plain(yesNo(p.Certificate != nil && p.Certificate.Optimal))
		}),
		of("min_errors", func(_ policyRow, p *result.Policy) table.Part { return count(p.MinErrors) }),
		of("feasible", func(_ policyRow, p *result.Policy) table.Part { return table.Plain(yesNo(p.Feasible)) }),
	}
}

// thresholdWords lists thresholds: "0.97", or one for each class or model, "bad 0.97; good 0.51".
func thresholdWords(p *result.Policy) string {
	var parts []string
	for _, th := range p.Thresholds {
		name := th.Class + th.Model
		if name != "" {
			name = short(name) + " "
		}
		parts = append(parts, name+table.Raw(float64(th.Theta)))
	}
	return strings.Join(parts, "; ")
}

// comparedColumns are what other solvers and forms do on the fit part, beside the exact thresholds.
func comparedColumns() []column[policyRow] {
	of := func(field string, part func(c *result.Compared) table.Part) column[policyRow] {
		return hidden(field, func(x policyRow) table.Part {
			if x.r.Compared == nil {
				return table.Plain("")
			}
			return part(x.r.Compared)
		})
	}
	return []column[policyRow]{
		of("compared_errors", func(c *result.Compared) table.Part { return count(c.Errors) }),
		of("compared_deferred", func(c *result.Compared) table.Part { return count(c.Deferred) }),
		of("exact_deferred", func(c *result.Compared) table.Part { return count(float64(c.Exact)) }),
		of("compared_cost", func(c *result.Compared) table.Part { return count(c.Cost) }),
		of("exact_cost", func(c *result.Compared) table.Part { return count(c.ExactCost) }),
		of("budget_met", func(c *result.Compared) table.Part { return table.Plain(yesNo(c.Met)) }),
	}
}

// learnedColumns are of the baselines that learn: on how many records each was trained, how well it ranks, and what
// evaluating it costs.
func learnedColumns() []column[policyRow] {
	of := func(field string, part func(l *result.Learned) table.Part) column[policyRow] {
		return hidden("learner_"+field, func(x policyRow) table.Part {
			for i := range x.d.Learned {
				if l := &x.d.Learned[i]; l.Policy == x.r.Policy {
					return part(l)
				}
			}
			return table.Plain("")
		})
	}
	words := func(field string, v func(l *result.Learned) string) column[policyRow] {
		return of(field, func(l *result.Learned) table.Part { return table.Plain(v(l)) })
	}
	value := func(field string, v func(l *result.Learned) float64) column[policyRow] {
		return of(field, func(l *result.Learned) table.Part { return count(v(l)) })
	}
	judged := func(field string, j func(l *result.Learned) result.Judged) []column[policyRow] {
		known := func(j result.Judged, v float64) float64 {
			if j.Records == 0 {
				return math.NaN()
			}
			return v
		}
		return []column[policyRow]{
			value(field+"_records", func(l *result.Learned) float64 { return float64(j(l).Records) }),
			value(field+"_loss", func(l *result.Learned) float64 { return known(j(l), j(l).Loss) }),
			value(field+"_accuracy", func(l *result.Learned) float64 { return known(j(l), j(l).Accuracy) }),
			value(field+"_auroc", func(l *result.Learned) float64 {
				if j(l).AUROC == nil {
					return math.NaN()
				}
				return *j(l).AUROC
			}),
		}
	}
	out := []column[policyRow]{
		words("name", func(l *result.Learned) string { return l.Name }),
		words("reads", func(l *result.Learned) string { return l.Reads }),
		words("predicts", func(l *result.Learned) string { return l.Predicts }),
		words("quality", func(l *result.Learned) string { return l.Quality }),
		words("released", func(l *result.Learned) string { return yesNo(l.Released) }),
		words("feasible", func(l *result.Learned) string { return yesNo(l.Feasible) }),
		value("records", func(l *result.Learned) float64 { return float64(l.Records) }),
		value("ones", func(l *result.Learned) float64 { return float64(l.Ones) }),
		value("epochs", func(l *result.Learned) float64 { return float64(l.Epochs) }),
		value("passes", func(l *result.Learned) float64 { return float64(l.Passes) }),
		value("theta", func(l *result.Learned) float64 { return float64(l.Theta) }),
		value("fit_deferred", func(l *result.Learned) float64 { return float64(l.FitDeferred) }),
		value("delta", func(l *result.Learned) float64 { return l.Delta }),
		value("fit_drop", func(l *result.Learned) float64 { return l.FitDrop }),
		value("test_drop", func(l *result.Learned) float64 { return l.TestDrop }),
		value("flops", func(l *result.Learned) float64 { return l.FLOPs }),
		value("overhead", func(l *result.Learned) float64 { return l.Overhead }),
	}
	out = append(out, judged("held", func(l *result.Learned) result.Judged { return l.Held })...)
	out = append(out, judged("fold", func(l *result.Learned) result.Judged { return l.OutOfFold })...)
	return append(out, judged("test", func(l *result.Learned) result.Judged { return l.Test })...)
}

// byCost reports whether thresholds minimise the cost of the deferred records, not their number.
func byCost(c *result.Cascade) bool { return policy.Objective(c.Objective).Summed() }

// objectiveUnit is what thresholds minimise is counted in.
func objectiveUnit(c *result.Cascade) string {
	switch {
	case !byCost(c):
		return "records"
	case c.Objective == string(policy.Latency):
		return "seconds"
	case c.Unit == "":
		return "the study's unit of cost"
	}
	return c.Unit
}

// title is a row's title, or the policy's identifier where it has no row.
func title(d *result.Dataset, policy string) string {
	for _, r := range d.Rows {
		if r.Policy == policy && r.Title != "" {
			return r.Title
		}
	}
	return policy
}
