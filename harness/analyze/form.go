package analyze

import (
	"fmt"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/population"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/harness/split"
)

// formFolds is the number of folds for out-of-fold estimates of excess errors.
const formFolds = 5

// generalised returns the row of the policy without threshold form: it accepts
// wherever the student's estimated excess error is small enough.
func generalised(s *measurer, exact policy.Policy) (row, error) {
	p := s.r.Study.Policy
	columns := s.r.Pair(s.r.Fit)
	options := population.Options{Setting: p.Setting, Target: p.Target}
	folds, err := split.KFold(split.FoldOptions{Seed: s.r.Study.Seed, Name: s.r.Stream() + "/generalised", K: formFolds},
		s.r.Items(s.r.Fit))
	if err != nil {
		return row{}, err
	}
	form, err := population.MeasureForm(columns, folds.Of, options)
	if err != nil {
		return row{}, err
	}
	freely := make(policy.Decisions, len(s.r.Fit)) // out of fold, as the form was measured
	for k, x := range form.Estimates {
		freely[k] = !form.Free.Accept(x)
	}
	estimate, err := population.New(columns, options)
	if err != nil {
		return row{}, err
	}
	test := s.r.Pair(s.r.Test)
	d := make(policy.Decisions, len(s.r.Test))
	for k := range d {
		class := estimate.Classes[classOf(test, k)]
		d[k] = class.P == 0 || !form.Free.Accept(class.Excess.At(test.Beta[k]))
	}
	name := mainRow(s.r) + "-" + string(spec.Generalised)
	x, err := s.row(name, title(s.r, name), weights(d), cost.Cascade)
	if err != nil {
		return x, err
	}
	free := form.Free
	x.form = &form
	x.Compared = &result.Compared{
		Errors: free.Outcome.Error.Float(), Deferred: float64(free.Outcome.Deferred), Met: free.Feasible,
	}
	completeComparison(s.r, x.Compared, exact, float64(columns.Value(freely, p.Objective)))
	x.Notes = append(x.Notes, result.NewNote(note.FreeForm{
		Level: free.Level, Deferred: free.Outcome.Deferred, Exact: exact.FitDeferred, ByCost: byCost(s.r, x.Compared),
	}))
	x.decide(s.r.Test, d)
	return x, nil
}

// classOf is the class of record k; 0 where the task has none.
func classOf(columns policy.Records, k int) int {
	if columns.Classes == 1 {
		return 0
	}
	return columns.Class[k]
}

// judgeForm tests whether thresholds are the right form for these records: does the
// excess error fall as the student's confidence rises? form is what thresholds
// lose to the generalised policy; nil = it was not fitted.
func judgeForm(r *records.Records, form *population.FormLoss) (verdict string, rising []result.Rising, err error) {
	rng := seed.Stream(r.Study.Seed, "monotone risk", r.Dataset.Name)
	options := population.MonotoneOptions{Setting: r.Study.Policy.Setting, Cluster: r.Clusters(r.Fit)}
	risk, err := population.MonotoneRisk(rng, r.Pair(r.Fit), options)
	if err != nil {
		return "", nil, err
	}
	for _, c := range risk.Classes {
		x := result.Rising{ExcessP: c.Excess.P, ExcessHolm: c.Excess.Holm, StudentP: c.Student.P, StudentHolm: c.Student.Holm,
			Records: c.N}
		if c.Class < len(r.Dataset.Labels) {
			x.Class = r.Dataset.Labels[c.Class].Class
		}
		rising = append(rising, x)
	}
	verdict = risk.Verdict(form, func(class int) string {
		if class >= 0 && class < len(r.Dataset.Labels) {
			return r.Dataset.Labels[class].Class
		}
		return fmt.Sprint(class)
	})
	return verdict, rising, nil
}
