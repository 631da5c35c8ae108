package reports

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// The columns that the file of policies alone has. What does not apply to a row is empty.

// rivalColumns compare a policy with single models, and with two mixed at random.
func rivalColumns() []column[policyRow] {
	of := within("", func(x policyRow) *result.Rival { return x.r.Rival })
	return []column[policyRow]{
		of("worth_it", func(r *result.Rival) any { return r.Verdict }),
		of("best_single", func(r *result.Rival) any {
			if r.P > 0 {
				return fmt.Sprintf("%s %.4g, %s %.4g", r.First, 1-r.P, r.Second, r.P)
			}
			return r.First
		}),
		of("saved_of_best_single", func(r *result.Rival) any { return interval(r.Saved, 4) }),
		of("error_difference", func(r *result.Rival) any { return interval(r.Error, 4) }),
		of("price_ratio", func(r *result.Rival) any {
			if r.BreakEven == nil {
				return none
			}
			return exactly(r.Ratio, 4)
		}, exact),
		of("break_even_ratio", func(r *result.Rival) any { return orEmpty(r.BreakEven) }),
	}
}

func orEmpty(iv *infer.Interval) any {
	if iv == nil {
		return nil
	}
	return interval(*iv, 4)
}

// fittedColumns are what was fitted: thresholds, how they do on the fit part, and what is proved about them.
func fittedColumns() []column[policyRow] {
	of := within("", func(x policyRow) *result.Policy { return fittedFor(x.d, x.r.Policy) }, exact)
	certified := within("", func(x policyRow) *result.Certificate {
		if p := fittedFor(x.d, x.r.Policy); p != nil {
			return p.Certificate
		}
		return nil
	}, exact)
	unit := hidden("objective_unit", func(x policyRow) any { // of what thresholds minimise
		switch {
		case fittedFor(x.d, x.r.Policy) == nil:
			return nil
		case policy.Objective(x.c.Objective) != policy.Cost:
			return "records"
		}
		return cmp.Or(x.c.Unit, "the study's unit of cost")
	})
	return []column[policyRow]{
		of("thresholds", func(p *result.Policy) any {
			var parts []string
			for _, th := range p.Thresholds { // of each class, or of each model
				parts = append(parts, strings.TrimSpace(short(th.Class+th.Model)+" "+table.Raw(float64(th.Theta))))
			}
			return strings.Join(parts, "; ")
		}),
		of("fit_errors", func(p *result.Policy) any { return p.FitErrors }),
		of("fit_deferred", func(p *result.Policy) any { return p.FitDeferred }),
		of("method", func(p *result.Policy) any { return p.Method }),
		certified("gap", func(c *result.Certificate) any { return c.Gap }),
		certified("lower_bound", func(c *result.Certificate) any { return c.LowerBound }),
		unit,
		of("optimal", func(p *result.Policy) any { return p.Certificate != nil && p.Certificate.Optimal }),
		of("min_errors", func(p *result.Policy) any { return p.MinErrors }),
		of("feasible", func(p *result.Policy) any { return p.Feasible }),
	}
}

// comparedColumns are what other solvers and forms do on the fit part, beside the exact thresholds.
func comparedColumns() []column[policyRow] {
	of := within("", func(x policyRow) *result.Compared { return x.r.Compared }, exact)
	return []column[policyRow]{
		of("compared_errors", func(c *result.Compared) any { return c.Errors }),
		of("compared_deferred", func(c *result.Compared) any { return c.Deferred }),
		of("exact_deferred", func(c *result.Compared) any { return c.Exact }),
		of("compared_cost", func(c *result.Compared) any { return c.Cost }),
		of("exact_cost", func(c *result.Compared) any { return c.ExactCost }),
		of("budget_met", func(c *result.Compared) any { return c.Met }),
	}
}

// learnedColumns are of the baselines that learn: on how many records each was trained, how well it ranks, and what
// evaluating it costs.
func learnedColumns() []column[policyRow] {
	of := within("learner_", func(x policyRow) *result.Learned {
		return result.Find(x.d.Learned, func(l *result.Learned) bool { return l.Policy == x.r.Policy })
	}, exact)
	out := []column[policyRow]{
		of("name", func(l *result.Learned) any { return l.Name }),
		of("reads", func(l *result.Learned) any { return l.Reads }),
		of("predicts", func(l *result.Learned) any { return l.Predicts }),
		of("quality", func(l *result.Learned) any { return l.Quality }),
		of("released", func(l *result.Learned) any { return l.Released }),
		of("feasible", func(l *result.Learned) any { return l.Feasible }),
		of("records", func(l *result.Learned) any { return l.Records }),
		of("ones", func(l *result.Learned) any { return l.Ones }),
		of("epochs", func(l *result.Learned) any { return l.Epochs }),
		of("passes", func(l *result.Learned) any { return l.Passes }),
		of("theta", func(l *result.Learned) any { return float64(l.Theta) }),
		of("fit_deferred", func(l *result.Learned) any { return l.FitDeferred }),
		of("delta", func(l *result.Learned) any { return l.Delta }),
		of("fit_drop", func(l *result.Learned) any { return l.FitDrop }),
		of("test_drop", func(l *result.Learned) any { return l.TestDrop }),
		of("flops", func(l *result.Learned) any { return l.FLOPs }),
		of("overhead", func(l *result.Learned) any { return l.Overhead }),
	}
	for i, part := range []string{"held", "fold", "test"} {
		judged := func(field string, value func(j *result.Judged) any) column[policyRow] {
			return of(part+"_"+field, func(l *result.Learned) any {
				return value([]*result.Judged{&l.Held, &l.OutOfFold, &l.Test}[i])
			})
		}
		known := func(j *result.Judged, v float64) float64 {
			if j.Records == 0 {
				return math.NaN()
			}
			return v
		}
		out = append(out,
			judged("records", func(j *result.Judged) any { return j.Records }),
			judged("loss", func(j *result.Judged) any { return known(j, j.Loss) }),
			judged("accuracy", func(j *result.Judged) any { return known(j, j.Accuracy) }),
			judged("auroc", func(j *result.Judged) any {
				if j.AUROC == nil {
					return none
				}
				return *j.AUROC
			}))
	}
	return out
}
