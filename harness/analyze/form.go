package analyze

import (
	"fmt"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/population"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/harness/split"
)

// formFolds is the number of folds by which excess errors are estimated out of
// fold.
const formFolds = 5

// generalised adds the policy without threshold form: it accepts where the
// estimated excess error of the student is small enough, wherever that is.
func (b *Bench) generalised(s *scorer, exact policy.Policy) error {
	p := b.in.Study.Policy
	records := b.Pair(b.Fit)
	options := population.Options{Setting: p.Setting, Target: p.Target}
	folds, err := split.KFold(split.FoldOptions{Seed: b.in.Study.Seed, Name: b.Stream() + "/generalised", K: formFolds}, b.Items(b.Fit))
	if err != nil {
		return err
	}
	form, err := population.MeasureForm(records, folds.Of, options)
	if err != nil {
		return err
	}
	b.form = &form
	freely := make(policy.Decisions, len(b.Fit)) // out of fold, as the form was measured
	for k, x := range form.Estimates {
		freely[k] = !form.Free.Accept(x)
	}
	estimate, err := population.New(records, options)
	if err != nil {
		return err
	}
	test := b.Pair(b.Test)
	d := make(policy.Decisions, len(b.Test))
	for k := range d {
		class := estimate.Classes[b.classOf(test, k)]
		d[k] = class.P == 0 || !form.Free.Accept(class.Excess.At(test.Beta[k]))
	}
	name := b.main() + "-" + string(spec.Generalised)
	row, err := s.row(name, b.title(name), weights(d), cost.Cascade)
	if err != nil {
		return err
	}
	row.Compared = b.beside(exact, form.Free.Outcome.Error.Float(), float64(form.Free.Outcome.Deferred), float64(records.Value(freely, p.Objective)), form.Free.Feasible)
	row.Notes = append(row.Notes, result.NewNote(note.FreeForm{
		Level: form.Free.Level, Deferred: form.Free.Outcome.Deferred, Exact: exact.FitDeferred, ByCost: b.byCost(row.Compared),
	}))
	b.out.Rows = append(b.out.Rows, row)
	b.decide(name, b.Test, d)
	return nil
}

// classOf is the class of test record k; 0 where the task has none.
func (b *Bench) classOf(r policy.Records, k int) int {
	if len(b.Dataset.Labels) == 0 {
		return 0
	}
	return r.Class[k]
}

// judgeForm asks whether thresholds are the right form on this data: does the
// excess error fall as the student's confidence rises?
func (b *Bench) judgeForm() error {
	records := b.Pair(b.Fit)
	rng := seed.Stream(b.in.Study.Seed, "monotone risk", b.Dataset.Name)
	risk, err := population.MonotoneRisk(rng, records, population.MonotoneOptions{Setting: b.in.Study.Policy.Setting, Cluster: b.Clusters(b.Fit)})
	if err != nil {
		return err
	}
	b.out.Form = risk.Verdict(b.form, func(class int) string {
		if class >= 0 && class < len(b.out.Labels) {
			return b.out.Labels[class]
		}
		return fmt.Sprint(class)
	})
	for _, c := range risk.Classes {
		r := result.Rising{ExcessP: c.Excess.P, ExcessHolm: c.Excess.Holm, StudentP: c.Student.P, StudentHolm: c.Student.Holm, Records: c.N}
		if c.Class < len(b.out.Labels) {
			r.Class = b.out.Labels[c.Class]
		}
		b.out.Rising = append(b.out.Rising, r)
	}
	return nil
}
