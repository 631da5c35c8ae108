package analyze

import (
	"fmt"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/pool"
	"infnet/harness/result"
	"infnet/metrics/infer"
)

// flipRecords is the most test records of which single grades, and other budgets, are tried.
const flipRecords = 10_000

// flips finds what would change the verdict on a row that was judged together with others.
func (a *Analysed) flips(t *pool.Trial, x *row) ([]result.Flip, error) {
	var out []result.Flip
	var claim = x.contest.Claim()
	if claim.Single == pool.None {
		now, ratio, to := t.Ratio()
		records, by := t.Records()
		out = append(out,
			result.Flip{Change: result.FlipRatio, Now: now, To: ratio, Verdict: string(to)},
			result.Flip{Change: result.FlipRecords, Now: float64(t.Units), To: float64(records), Verdict: string(by)})
	}
	if len(a.Test) > flipRecords {
		return out, nil
	}
	rs, err := newResamples(a.Records)
	if err != nil {
		return nil, err
	}
	if claim.Single == pool.None {
		out = append(out, a.gradeFlip(t, rs, x))
	}
	b, ok, err := a.budgetFlip(t, rs, x)
	if err != nil {
		return nil, fmt.Errorf("row %s at other budgets: %w", x.Policy, err)
	}
	if ok {
		out = append(out, b)
	}
	return out, nil
}

// gradeFlip is the fewest grades of one model. A master that is the reference has none.
func (a *Analysed) gradeFlip(t *pool.Trial, rs *infer.Resamples, x *row) result.Flip {
	out := result.Flip{Change: result.FlipGrades, Now: float64(len(a.Test))}
	answers, graded := make([]int, len(a.Test)), everyModel(a.Records)
	for i := range answers {
		answers[i] = x.plan.models[x.plan.certain(i)]
	}
	if a.Study.Policy.Setting == policy.Oracle {
		graded = graded[:a.Last()]
	}
	if g, ok := t.Grades(rs, graded, answers); ok {
		out.Model, out.Wrong = a.Cascade.Models[g.Model], g.Wrong
		out.To, out.Verdict = float64(g.Count), string(g.Verdict)
	}
	return out
}

// budgeted are thresholds, and the smallest and the largest budget for which they are chosen.
type budgeted struct {
	thresholds  policy.Thresholds
	least, most float64
}

// budgetFlip finds the nearest error budget whose thresholds get another verdict; ok is false where they are not known:
// for other solvers than exact ones, soft errors, and chains of more than three models.
func (a *Analysed) budgetFlip(t *pool.Trial, rs *infer.Resamples, x *row) (out result.Flip, ok bool, err error) {
	out = result.Flip{Change: result.FlipBudget, Now: x.fitted.Policy.Budget.Errors.Float()}
	if _, counted := a.Study.Policy.Method.Counted(); !counted || x.fitted.Policy.Budget.Errors.Scale != 1 {
		return out, false, nil
	}
	at, down, up, err := a.budgets(x.fitted)
	if err != nil || at == nil {
		return out, false, err
	}
	judge := func(k int) (b budgeted, v pool.Verdict) {
		if b, err = at(k); err != nil {
			return b, t.Verdict
		}
		ours, single := a.played(x, b.thresholds)
		return b, t.Policy(rs, ours, single)
	}
	if _, v := judge(0); v != t.Verdict || err != nil {
		return out, false, err // its thresholds are not those of the frontier
	}
	for _, way := range []struct{ sign, most int }{{1, up}, {-1, down}} {
		k := pool.Nearest(way.most, func(k int) bool {
			_, v := judge(way.sign * k)
			return v != t.Verdict
		})
		if k == 0 || err != nil {
			continue
		}
		b, v := judge(way.sign * k)
		to := b.least
		if way.sign < 0 {
			to = b.most
		}
		if out.Verdict == "" || to-out.Now < out.Now-out.To { // the first is above, the second below
			out.To, out.Verdict = to, string(v)
		}
	}
	return out, err == nil, err
}

// budgets returns the thresholds some steps from those of a fitted policy, and how many steps there are.
func (a *Analysed) budgets(f *Fitted) (at func(k int) (budgeted, error), down, up int, err error) {
	now := f.Policy.Budget
	switch {
	case a.IsChain() && len(a.Models) > 3:
		return nil, 0, 0, nil
	case a.IsChain():
		columns, o := a.Series(a.Fit), promised(a.Records)
		return func(k int) (budgeted, error) {
			b := now
			b.Errors.Units += int64(k)
			o.Target = b.AsTarget()
			p, err := chain.Fit(columns, o)
			return budgeted{p.Thresholds, b.Errors.Float(), b.Errors.Float()}, err
		}, int(now.Errors.Units), now.N - int(now.Errors.Units), nil
	}
	frontier := policy.FrontierSingle
	if !f.isSingle() {
		frontier = policy.FrontierMulti
	}
	front, err := frontier(a.Pair(a.Fit), policy.Options{Setting: a.Study.Policy.Setting,
		Target: a.Study.Policy.Target, Objective: a.Study.Policy.Objective})
	if err != nil || !front.Whole() {
		return nil, 0, 0, err
	}
	here := 0 // an infeasible budget takes the fewest errors
	for here+1 < front.Len() && front.Point(here+1).Error.Units <= now.Errors.Units {
		here++
	}
	return func(k int) (budgeted, error) {
		p := front.Point(here + k)
		out := budgeted{p.Thresholds, p.Error.Float(), float64(now.N)}
		if here+k+1 < front.Len() {
			out.most = front.Point(here+k+1).Error.Float() - 1
		}
		return out, nil
	}, here, front.Len() - 1 - here, nil
}

// played measures other thresholds of a row's policy, and says which model's answer counts on every record.
func (a *Analysed) played(x *row, thresholds policy.Thresholds) (ours pool.Measured, single int) {
	f := *x.fitted
	f.Policy.Thresholds = thresholds
	p := plan{models: x.plan.models, charge: cost.Cascade}
	p.final = certainly(len(p.models), f.places(a.Records, a.Test))
	var costs, errs byModel
	for _, m := range x.contest.Claim().Models {
		costs, errs = append(costs, m.Cost), append(errs, m.Error)
	}
	return pool.Measured{Cost: p.paid(costs), Error: p.mix(errs)}, p.single()
}

// verdicts on a target that is a number.
const (
	targetKept     = "kept"
	targetExceeded = "exceeded"
	targetOpen     = "open"
)

func targetVerdict(e infer.Interval, allowed float64) string {
	switch {
	case e.Low > allowed:
		return targetExceeded
	case e.High <= allowed:
		return targetKept
	}
	return targetOpen
}

// targetFlips finds what would change the verdict on the error that a study allows: the fewest answers of ours graded
// otherwise, and the nearest error.
func (s *measurer) targetFlips(x *row, b *result.Budget) error {
	if _, numeric := s.r.Study.Policy.Target.Numeric(); !numeric || b.Records == 0 || len(s.truth) > flipRecords {
		return nil
	}
	allowed, errs := b.Errors/float64(b.Records), x.plan.mix(s.errors)
	now := targetVerdict(x.Error, allowed)
	grades := result.Flip{Change: result.FlipGrades, Now: float64(len(errs))}
	for from, wrong := range []bool{true, false} {
		var of []int
		for i, e := range errs {
			if e == float64(from) {
				of = append(of, i)
			}
		}
		var failed error
		regraded := func(k int) string {
			changed := append([]float64(nil), errs...)
			for _, i := range of[:k] {
				changed[i] = 1 - changed[i]
			}
			iv, err := s.resamples.RateOf(changed)
			if err != nil {
				failed = err
			}
			return targetVerdict(iv, allowed)
		}
		k := pool.Nearest(len(of), func(k int) bool { return regraded(k) != now })
		if failed != nil {
			return failed
		}
		if k > 0 && (grades.Verdict == "" || float64(k) < grades.To) {
			grades.To, grades.Wrong, grades.Verdict = float64(k), wrong, regraded(k)
		}
	}
	b.Flips = []result.Flip{grades}
	return nil
}
