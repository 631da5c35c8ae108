package analyze

import (
	"cmp"
	"fmt"
	"strings"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/population"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/harness/split"
)

// compare adds the comparison rows that the study asks for, with a threshold per
// class where there are classes.
func (t *table) compare() error {
	if t.r.IsChain() || len(t.r.Study.Policy.Compare) == 0 {
		return nil
	}
	exact, err := solve(t.r, spec.Solver(policy.Exact), t.r.PerClass())
	if err != nil {
		return err
	}
	for _, c := range t.r.Study.Policy.Compare {
		var x row
		switch c {
		case spec.Randomised:
			x, err = randomised(t.s, exact)
		case spec.Generalised:
			x, err = generalised(t.s, exact)
		default:
			x, err = solved(t.s, spec.Solver(c), exact)
		}
		if err := t.add(x, err); err != nil {
			return fmt.Errorf("compare with %s: %w", c, err)
		}
	}
	return nil
}

func solved(s *measurer, solver spec.Solver, exact policy.Policy) (row, error) {
	p, err := solve(s.r, solver, s.r.PerClass())
	if err != nil {
		return row{}, err
	}
	x, err := fittedRow(s, Fitted{Name: mainRow(s.r) + "-" + string(solver), Policy: chain.Policy{Policy: p}})
	if err != nil {
		return x, err
	}
	columns := s.r.Pair(s.r.Fit)
	x.Compared = compared(s.r, exact, result.Compared{Errors: p.FitError.Float(), Deferred: float64(p.FitDeferred),
		Met: p.Feasible}, float64(columns.Value(p.Decide(columns), exact.Objective)))
	return x, nil
}

// randomised is the row of the mixture of two neighbouring policies of the hull
// that meets the budget exactly: its expectation over coins.
func randomised(s *measurer, exact policy.Policy) (row, error) {
	front, err := frontier(s.r, s.r.PerClass())
	if err != nil {
		return row{}, err
	}
	mix, err := front.Mix(s.r.Study.Policy.Target)
	if err != nil {
		return row{}, err
	}
	c := compared(s.r, exact, result.Compared{Errors: mix.Error, Deferred: mix.Deferred, Met: mix.Feasible}, mix.Value)
	name := mainRow(s.r) + "-randomised"
	x, err := s.row(entry{name: name, title: title(s.r, name), charge: cost.Cascade,
		chance: deferring(mix.Expected(s.r.Pair(s.r.Test))),
		notes: []result.Note{note.Say("randomised", "An expectation: each query follows the stricter of two neighbouring "+
			"policies with probability %.4f. On the fit part %s.", mix.Alpha, beside(s.r, c, fmt.Sprintf("%.1f", mix.Deferred),
			fmt.Sprintf("defers %d", exact.FitDeferred), "best deterministic policy"))}})
	x.mixture, x.Compared = &mix, c
	return x, err
}

// compared completes a comparison with the exact policy's result on the fit part and,
// for the cost objective, the cost of both policies. value is in the objective's units.
func compared(r *records.Records, exact policy.Policy, c result.Compared, value float64) *result.Compared {
	c.With, c.Exact = mainRow(r), exact.FitDeferred
	if exact.Objective == policy.Cost {
		unit := r.Pair(r.Fit).Unit(exact.Objective)
		c.Cost, c.ExactCost = unit*value, unit*float64(exact.Certificate.Value)
	}
	return &c
}

// beside sets a row next to the exact policy on the fit part: what is deferred, or what that costs where policies
// minimise it.
func beside(r *records.Records, c *result.Compared, deferred, exactly, than string) string {
	if r.Study.Policy.Objective == policy.Cost {
		return fmt.Sprintf("its deferrals cost %.4g %s where those of the %s cost %.4g", c.Cost, costUnit(r), than,
			c.ExactCost)
	}
	return fmt.Sprintf("it defers %s records where the %s %s", deferred, than, exactly)
}

// costUnit returns the name of the unit of costs; "" = a unit of the spec's own.
func costUnit(r *records.Records) string {
	return r.Study.Cost.Model.Unit(currency(r.Study, r.Cascade))
}

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
		d[k] = class.P == 0 || !form.Free.Accept(class.Excess(test.Beta[k]))
	}
	free := form.Free
	c := compared(s.r, exact, result.Compared{Errors: free.Outcome.Error.Float(), Deferred: float64(free.Outcome.Deferred),
		Met: free.Feasible}, float64(columns.Value(freely, p.Objective)))
	name := mainRow(s.r) + "-" + string(spec.Generalised)
	x, err := s.row(entry{name: name, title: title(s.r, name), charge: cost.Cascade, test: places(d),
		notes: []result.Note{note.Say("generalised", "No threshold form: accepts where the estimated excess error is at "+
			"most %.4f. Out of fold on the fit part %s. No thresholds, so no file in the folder of policies either.", free.Level,
			beside(s.r, c, fmt.Sprint(free.Outcome.Deferred), fmt.Sprintf("defer %d", exact.FitDeferred), "best thresholds"))}})
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
			Records: c.N, Class: className(r, c.Class)}
		rising = append(rising, x)
	}
	worse, least := risk.Rising()
	var which []string
	for _, c := range worse {
		which = append(which, fmt.Sprintf("%s (adjusted p = %.3g)", cmp.Or(className(r, c.Class), fmt.Sprint(c.Class)),
			c.Excess.Holm))
	}
	return formWords(len(risk.Classes), least, which, form), rising, nil
}

// formWords say whether the threshold form loses anything: of so many classes, these rise, and the least adjusted p.
func formWords(classes int, least float64, rising []string, form *population.FormLoss) (text string) {
	switch {
	case classes == 0:
		text = "No records: nothing can be said about the threshold form."
	case len(rising) == 0 && classes == 1:
		text = fmt.Sprintf("No sign that the threshold form loses anything: the student's excess error does not rise with "+
			"its confidence beyond chance (p = %.3g).", least)
	case len(rising) == 0:
		text = fmt.Sprintf("No sign that the threshold form loses anything: in none of %d classes does the student's "+
			"excess error rise with its confidence beyond chance (smallest adjusted p = %.3g).", classes, least)
	case classes == 1:
		text = fmt.Sprintf("The threshold form may lose: the student's excess error rises with its confidence somewhere "+
			"(p = %.3g), so some surer answers deserve deferral before less sure ones.", least)
	default:
		text = fmt.Sprintf("The threshold form may lose: in %d of %d classes the student's excess error rises with its "+
			"confidence somewhere, so some surer answers deserve deferral before less sure ones: %s.", len(rising), classes,
			strings.Join(rising, ", "))
	}
	if form == nil {
		return text
	}
	loss, met := form.Loss()
	if !met {
		return text + " Its price could not be measured: the budget was not met both with and without it."
	}
	n := float64(max(form.Exact.N, 1))
	text += fmt.Sprintf(" The best thresholds for these records defer %.1f %% of the queries, accepting by estimated "+
		"excess error (out of fold) %.1f %%: ", 100*float64(form.Exact.FitDeferred)/n,
		100*float64(form.Free.Outcome.Deferred)/n)
	if loss > 0 {
		return text + fmt.Sprintf("the form costs %.1f points at least.", 100*loss)
	}
	return text + "giving up the form gains nothing that these records can show."
}
