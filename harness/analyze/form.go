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
	p, columns := s.r.Study.Policy, s.r.Pair(s.r.Fit)
	options := population.Options{Setting: p.Setting, Target: p.Target}
	folds, err := split.KFold(split.FoldOptions{Seed: s.r.Study.Seed, Name: s.r.Stream() + "/generalised", K: formFolds},
		s.r.Sheet.Items(s.r.Fit))
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
		class := estimate.Population[min(test.Class[k], test.Classes-1)]
		d[k] = class.P == 0 || !form.Free.Accept(class.Excess.At(test.Beta[k]))
	}
	free := form.Free
	c := compared(s.r, exact, result.Compared{Errors: free.Outcome.Error.Float(), Deferred: float64(free.Outcome.Deferred),
		Met: free.Feasible}, float64(columns.Value(freely, p.Objective)))
	name := mainRow(s.r) + "-" + string(spec.Generalised)
	x, err := s.row(entry{name: name, title: title(s.r, name), charge: cost.Cascade, test: places(d),
		notes: []result.Note{note.FreeForm(free.Level, free.Outcome.Deferred, exact.FitDeferred, byCost(s.r, c))}})
	x.form, x.Compared = &form, c
	return x, err
}

// judgeForm tests whether thresholds are the right form for these records: does the
// excess error fall as the student's confidence rises? form is what thresholds
// lose to the generalised policy; nil = it was not fitted.
func judgeForm(r *records.Records, form *population.FormLoss) (verdict string, rising []result.Rising,
	err error) {
	rng := seed.Stream(r.Study.Seed, "monotone risk", r.Dataset.Name)
	options := population.MonotoneOptions{Setting: r.Study.Policy.Setting, Cluster: records.Clusters(r, r.Fit)}
	risk, err := population.MonotoneRisk(rng, r.Pair(r.Fit), options)
	if err != nil {
		return verdict, nil, err
	}
	for _, c := range risk.Classes {
		x := result.Rising{ExcessP: c.Excess.P, ExcessHolm: c.Excess.Holm, StudentP: c.Student.P, StudentHolm: c.Student.Holm,
			Records: c.N}
		if c.Class < len(r.Dataset.Labels) {
			x.Class = r.Dataset.Labels[c.Class].Class
		}
		rising = append(rising, x)
	}
	worse, least := risk.Rising()
	about := note.Form{Classes: len(risk.Classes), Least: least}
	for _, c := range worse {
		name := fmt.Sprint(c.Class)
		if c.Class < len(r.Dataset.Labels) {
			name = r.Dataset.Labels[c.Class].Class
		}
		about.Rising = append(about.Rising, note.RisingClass{Class: name, P: c.Excess.Holm})
	}
	if form != nil {
		loss, met := form.Loss()
		n := float64(max(form.Exact.N, 1))
		about.Price = &note.FormPrice{Met: met, With: 100 * float64(form.Exact.FitDeferred) / n,
			Without: 100 * float64(form.Free.Outcome.Deferred) / n, Loss: 100 * loss}
	}
	return about.String(), rising, nil
}
