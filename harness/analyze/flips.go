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
	"infnet/harness/records"
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
		whom := t.Whom(a.Cascade.Models)
		now, ratio, to := whom.Ratio()
		x.Rival.RivalFlips = []result.Flip{{Change: result.FlipRatio, Now: now, To: ratio, Verdict: string(to)},
			a.gradeFlip(whom, rs, x)}
	}
	verdict, saved, err := a.budgetFlips(t, rs, x)
	if err != nil {
		return nil, fmt.Errorf("row %s at other budgets: %w", x.Policy, err)
	}
	x.Rival.SavedFlips = saved
	return append(out, verdict...), nil
}

// recordIDs are the records at some places of the test part, up to a hundred.
func recordIDs(r *records.Records, of []int) (out []string) {
	for _, i := range of[:min(len(of), flipNamed)] {
		out = append(out, r.Set.Examples[r.Test[i]].ID)
	}
	return out
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
		out.Records = recordIDs(a.Records, g.Records)
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

// budgetFlips find the nearest error budgets whose thresholds get another verdict, and another sign of what is saved.
// They are not known, and none, for other solvers than exact ones, soft errors, and chains of more than three models.
func (a *Analysed) budgetFlips(t *pool.Trial, rs *infer.Resamples, x *row) (verdict, saved []result.Flip, err error) {
	now := x.fitted.Policy.Budget.Errors.Float()
	if _, counted := a.Study.Policy.Method.Counted(); !counted || x.fitted.Policy.Budget.Errors.Scale != 1 {
		return nil, nil, nil
	}
	list, err := a.budgets(x.fitted)
	if err != nil || len(list) == 0 {
		return nil, nil, err
	}
	slices.SortStableFunc(list, func(x, y budgeted) int {
		return cmp.Compare(math.Abs(x.nearest(now)-now), math.Abs(y.nearest(now)-now))
	})
	plans := map[int]plan{}
	at := func(k int) plan {
		p, ok := plans[k]
		if !ok {
			thresholds, failed := list[k].thresholds()
			if failed != nil {
				err = failed
				return x.plan
			}
			p = a.planned(x, thresholds)
			plans[k] = p
		}
		return p
	}
	judge := func(p plan) string { return string(t.Policy(rs, measured(x, p), p.single())) }
	if judge(at(0)) != string(t.Verdict) || err != nil {
		return nil, nil, err // its thresholds are not those of the frontier
	}
	nearest := func(answer func(p plan) string) []result.Flip {
		f, old := result.Flip{Change: result.FlipBudget, Now: now}, answer(at(0))
		if k := pool.Nearest(len(list)-1, func(k int) bool { return answer(at(k)) != old }); k > 0 {
			f.To, f.Verdict = list[k].nearest(now), answer(at(k))
		}
		return []result.Flip{f}
	}
	return nearest(judge), nearest(a.saves), err
}

// saves says whether a plan costs less than the last model alone, by the costs of the fit part.
func (a *Analysed) saves(p plan) string {
	var fixed byModel
	for _, m := range a.Models {
		fixed = append(fixed, slices.Repeat([]float64{m.Cost.Summary}, len(a.Test)))
	}
	more := 0.0
	for _, paid := range p.paid(fixed) {
		more += paid - a.Master().Cost.Summary
	}
	if more > 0 {
		return "costs more"
	}
	return "saves"
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

// planned is the plan of a row's policy with other thresholds.
func (a *Analysed) planned(x *row, thresholds policy.Thresholds) plan {
	f := *x.fitted
	f.Policy.Thresholds = thresholds
	p := plan{models: x.plan.models, charge: cost.Cascade}
	p.final = certainly(len(p.models), f.places(a.Records, a.Test))
	return p
}

// measured measures another plan of a row.
func measured(x *row, p plan) pool.Measured {
	var costs, errs byModel
	for _, m := range x.contest.Claim().Models {
		costs, errs = append(costs, m.Cost), append(errs, m.Error)
	}
	return pool.Measured{Cost: p.paid(costs), Error: p.mix(errs)}
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

// targetFlips finds what would change the verdict on the error that a study allows: the fewest grades of answers of one
// model that count. A master that is the reference has none.
func (s *measurer) targetFlips(x *row, b *result.Budget) error {
	if _, numeric := s.r.Study.Policy.Target.Numeric(); !numeric || b.Records == 0 || len(s.truth) > flipRecords {
		return nil
	}
	allowed, errs := b.Errors/float64(b.Records), x.plan.mix(s.errors)
	now := targetVerdict(x.Error, allowed)
	grades := result.Flip{Change: result.FlipGrades, Now: float64(len(errs))}
	of := make([][2][]int, len(s.r.Models)) // the records by whose answer counts, and its error
	for i, e := range errs {
		place := x.plan.certain(i)
		if place < 0 || e != 0 && e != 1 {
			continue
		}
		if m := x.plan.models[place]; s.r.Study.Policy.Setting != policy.Oracle || m != s.r.Last() {
			of[m][int(e)] = append(of[m][int(e)], i)
		}
	}
	var failed error
	flips := func(k int) bool {
		for m := range of {
			for from, wrong := range []bool{true, false} {
				if k > len(of[m][from]) {
					continue
				}
				changed := slices.Clone(errs)
				for _, i := range of[m][from][:k] {
					changed[i] = 1 - changed[i]
				}
				iv, err := s.resamples.RateOf(changed)
				if err != nil {
					failed = err
				}
				if v := targetVerdict(iv, allowed); v != now {
					grades.Model, grades.To, grades.Wrong, grades.Verdict = s.r.Cascade.Models[m], float64(k), wrong, v
					return true
				}
			}
		}
		return false
	}
	if pool.Nearest(len(errs), flips) == 0 {
		grades.Verdict = ""
	}
	b.Flips = []result.Flip{grades}
	return failed
}
