package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/pool"
	"infnet/harness/result"
	"infnet/metrics/infer"
)

// flipRecords is the most test records of which single grades, and other budgets, are tried.
const flipRecords = 10_000

// flipNamed is how many of the records are named whose grades change.
const flipNamed = 100

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
		out.To, out.Verdict = float64(len(g.Records)), string(g.Verdict)
		for _, i := range g.Records[:min(len(g.Records), flipNamed)] {
			out.Records = append(out.Records, a.Set.Examples[a.Test[i]].ID)
		}
	}
	return out
}

// budgeted are the thresholds that are chosen for budgets between two.
type budgeted struct {
	least, most float64
	thresholds  func() (policy.Thresholds, error)
}

// nearest is the one of these budgets that is nearest to another.
func (b *budgeted) nearest(now float64) float64 { return min(max(now, b.least), b.most) }

// budgetFlip finds the nearest error budget whose thresholds get another verdict; ok is false where they are not known:
// for other solvers than exact ones, soft errors, and chains of more than three models.
func (a *Analysed) budgetFlip(t *pool.Trial, rs *infer.Resamples, x *row) (out result.Flip, ok bool, err error) {
	now := x.fitted.Policy.Budget.Errors.Float()
	out = result.Flip{Change: result.FlipBudget, Now: now}
	if _, counted := a.Study.Policy.Method.Counted(); !counted || x.fitted.Policy.Budget.Errors.Scale != 1 {
		return out, false, nil
	}
	list, err := a.budgets(x.fitted)
	if err != nil || len(list) == 0 {
		return out, false, err
	}
	slices.SortStableFunc(list, func(x, y budgeted) int {
		return cmp.Compare(math.Abs(x.nearest(now)-now), math.Abs(y.nearest(now)-now))
	})
	judge := func(k int) pool.Verdict {
		thresholds, failed := list[k].thresholds()
		if failed != nil {
			err = failed
			return t.Verdict
		}
		ours, single := a.played(x, thresholds)
		return t.Policy(rs, ours, single)
	}
	if judge(0) != t.Verdict || err != nil {
		return out, false, err // its thresholds are not those of the frontier
	}
	if k := pool.Nearest(len(list)-1, func(k int) bool { return judge(k) != t.Verdict }); k > 0 {
		out.To, out.Verdict = list[k].nearest(now), string(judge(k))
	}
	return out, err == nil, err
}

// budgets are all error budgets that have thresholds of their own; none = they are not known.
func (a *Analysed) budgets(f *Fitted) (out []budgeted, err error) {
	now := f.Policy.Budget
	switch {
	case a.IsChain() && len(a.Models) > 3:
		return nil, nil
	case a.IsChain():
		columns := a.Series(a.Fit)
		for errs := int64(0); errs <= int64(now.N); errs++ {
			b, o := now, promised(a.Records)
			b.Errors.Units = errs
			o.Target = b.AsTarget()
			out = append(out, budgeted{float64(errs), float64(errs), func() (policy.Thresholds, error) {
				p, err := chain.Fit(columns, o)
				return p.Thresholds, err
			}})
		}
		return out, nil
	}
	frontier := policy.FrontierSingle
	if !f.isSingle() {
		frontier = policy.FrontierMulti
	}
	front, err := frontier(a.Pair(a.Fit), policy.Options{Setting: a.Study.Policy.Setting,
		Target: a.Study.Policy.Target, Objective: a.Study.Policy.Objective})
	if err != nil || !front.Whole() {
		return nil, err
	}
	for k := range front.Len() {
		p, most := front.Point(k), float64(now.N)
		if k+1 < front.Len() {
			most = front.Point(k+1).Error.Float() - 1
		}
		least := p.Error.Float()
		if k == 0 {
			least = 0 // an infeasible budget takes the fewest errors
		}
		out = append(out, budgeted{least, most, func() (policy.Thresholds, error) { return p.Thresholds, nil }})
	}
	return out, nil
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
	of := [2][]int{} // the records by error
	for i, e := range errs {
		if e == 0 || e == 1 {
			of[int(e)] = append(of[int(e)], i)
		}
	}
	var failed error
	flips := func(k int) bool {
		for from, wrong := range []bool{true, false} {
			if k > len(of[from]) {
				continue
			}
			changed := slices.Clone(errs)
			for _, i := range of[from][:k] {
				changed[i] = 1 - changed[i]
			}
			iv, err := s.resamples.RateOf(changed)
			if err != nil {
				failed = err
			}
			if v := targetVerdict(iv, allowed); v != now {
				grades.To, grades.Wrong, grades.Verdict = float64(k), wrong, v
				return true
			}
		}
		return false
	}
	if pool.Nearest(max(len(of[0]), len(of[1])), flips) == 0 {
		grades.Verdict = ""
	}
	if failed != nil {
		return failed
	}
	b.Flips = []result.Flip{grades}
	return nil
}
