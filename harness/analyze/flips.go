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
func flips(r *records.Records, t *pool.Trial, x *row) (out []result.Flip, err error) {
	ratio := func(t *pool.Trial) result.Flip {
		now, ratio, to := t.Ratio()
		return result.Flip{Change: result.FlipRatio, Now: now, To: ratio, Verdict: string(to)}
	}
	judged := x.contest.Claim().Single == pool.None
	if judged {
		records, by := t.Records()
		out = append(out, ratio(t),
			result.Flip{Change: result.FlipRecords, Now: float64(t.Units), To: float64(records), Verdict: string(by)})
	}
	if len(r.Test) > flipRecords {
		return out, nil
	}
	rs, err := newResamples(r)
	if err != nil {
		return nil, err
	}
	if judged {
		out = append(out, gradeFlip(r, t, rs, x))
		whom := t.Whom(r.Cascade.Models)
		x.Rival.RivalFlips = []result.Flip{ratio(whom), gradeFlip(r, whom, rs, x)}
	}
	verdict, saved, err := budgetFlips(r, t, rs, x)
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
func gradeFlip(r *records.Records, t *pool.Trial, rs *infer.Resamples, x *row) result.Flip {
	out := result.Flip{Change: result.FlipGrades, Now: float64(len(r.Test))}
	answers, graded := make([]int, len(r.Test)), everyModel(r)
	for i := range answers {
		answers[i] = x.plan.models[x.plan.certain(i)]
	}
	if r.Study.Policy.Setting == policy.Oracle {
		graded = graded[:r.Last()]
	}
	if g, ok := t.Grades(rs, graded, answers); ok {
		out.Model, out.Wrong = r.Cascade.Models[g.Model], g.Wrong
		out.To, out.Verdict, out.Records = float64(len(g.Records)), string(g.Verdict), recordIDs(r, g.Records)
	}
	return out
}

// budgeted are the thresholds that are chosen for budgets between two.
type budgeted struct {
	least, most float64
	thresholds  func() (policy.Thresholds, error)
}

func (b *budgeted) nearest(now float64) float64 { return min(max(now, b.least), b.most) }

// budgetFlips find the nearest error budgets whose thresholds get another verdict, and another sign of what is saved by
// the costs of the fit part. They are not known, and none, for other solvers than exact ones, soft errors, and chains
// of more than three models.
func budgetFlips(r *records.Records, t *pool.Trial, rs *infer.Resamples, x *row) (verdict, saved []result.Flip,
	err error) {
	now := x.fitted.Policy.Budget.Errors.Float()
	if _, counted := r.Study.Policy.Method.Counted(); !counted || x.fitted.Policy.Budget.Errors.Scale != 1 {
		return nil, nil, nil
	}
	list, err := budgets(r, x.fitted)
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
			f := *x.fitted
			var failed error
			if f.Policy.Thresholds, failed = list[k].thresholds(); failed != nil {
				err = failed
				return x.plan
			}
			p = plan{models: x.plan.models, charge: cost.Cascade}
			p.final = certainly(len(p.models), f.places(r, r.Test))
			plans[k] = p
		}
		return p
	}
	var fixed, costs, errs byModel
	for m, of := range x.contest.Claim().Models {
		fixed = append(fixed, slices.Repeat([]float64{r.Models[m].Cost.Summary}, len(r.Test)))
		costs, errs = append(costs, of.Cost), append(errs, of.Error)
	}
	judge := func(p plan) string {
		return string(t.Policy(rs, pool.Measured{Cost: p.paid(costs), Error: p.mix(errs)}, p.single()))
	}
	if judge(at(0)) != string(t.Verdict) || err != nil {
		return nil, nil, err // its thresholds are not those of the frontier
	}
	saves := func(p plan) string {
		more := 0.0
		for _, paid := range p.paid(fixed) {
			more += paid - r.Master().Cost.Summary
		}
		if more > 0 {
			return "costs more"
		}
		return "saves"
	}
	nearest := func(answer func(p plan) string) []result.Flip {
		f, old := result.Flip{Change: result.FlipBudget, Now: now}, answer(at(0))
		if k := pool.Nearest(len(list)-1, func(k int) bool { return answer(at(k)) != old }); k > 0 {
			f.To, f.Verdict = list[k].nearest(now), answer(at(k))
		}
		return []result.Flip{f}
	}
	return nearest(judge), nearest(saves), err
}

// budgets are all error budgets that have thresholds of their own; none = they are not known.
func budgets(r *records.Records, f *Fitted) (out []budgeted, err error) {
	now := f.Policy.Budget
	switch {
	case len(r.Models) > 3:
		return nil, nil
	case r.IsChain():
		columns := r.Series(r.Fit)
		for errs := int64(0); errs <= int64(now.N); errs++ {
			b, o := now, promised(r)
			b.Errors.Units = errs
			o.Target = b.AsTarget()
			out = append(out, budgeted{float64(errs), float64(errs), func() (policy.Thresholds, error) {
				p, err := chain.Fit(columns, o)
				return p.Thresholds, err
			}})
		}
		return out, nil
	}
	front, err := frontier(r, !f.isSingle())
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

// targetVerdict says whether a target that is a number was kept.
func targetVerdict(e infer.Interval, allowed float64) string {
	switch {
	case e.Low > allowed:
		return "exceeded"
	case e.High <= allowed:
		return "kept"
	}
	return "open"
}

// targetFlips finds what would change the verdict on the error that a study allows: the fewest grades of answers of one
// model that count. A master that is the reference has none.
func targetFlips(s *measurer, x *row, b *result.Budget) (err error) {
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
	pool.Nearest(len(errs), func(k int) bool {
		for m := range of {
			for from := range of[m] {
				if k > len(of[m][from]) {
					continue
				}
				changed := slices.Clone(errs)
				for _, i := range of[m][from][:k] {
					changed[i] = 1 - changed[i]
				}
				iv := kept[infer.Interval](&err)(s.resamples.RateOf(changed))
				if v := targetVerdict(iv, allowed); v != now {
					grades.Model, grades.To, grades.Wrong, grades.Verdict = s.r.Cascade.Models[m], float64(k), from == 0, v
					return true
				}
			}
		}
		return false
	})
	b.Flips = []result.Flip{grades}
	return err
}
