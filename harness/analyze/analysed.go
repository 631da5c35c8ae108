package analyze

import (
	"context"
	"strconv"

	"infnet/harness/policy"
	"infnet/harness/population"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/spec"
)

// student is the position of a cascade's first model.
const student = 0

// Analysed is one analysed cascade on one dataset: its results, and what they leave
// out.
type Analysed struct {
	*records.Records
	Result result.Dataset

	rows    rows
	abstain []abstains
	trained []Trained
	program string // infnet's version
}

// analyzed analyses one cascade on one dataset. It reads as a table of contents of
// the results.
func analyzed(ctx context.Context, in Input, r *records.Records) (*Analysed, error) {
	a := &Analysed{Records: r, program: in.Program}
	out := &a.Result
	var err error
	if *out, err = describeDataset(r, in.Origins[r.Dataset.Name]); err != nil {
		return nil, err
	}
	t, err := newTable(ctx, in, r)
	if err != nil {
		return nil, err
	}
	a.rows, a.trained = t.rows, t.trained
	out.Sufficiency, out.Notes = t.sufficiency, append(out.Notes, t.notes...)
	for _, x := range t.rows {
		if x.fitted != nil {
			out.Policies = append(out.Policies, x.fitted.describe(r))
		}
		if x.learned != nil {
			out.Learned = append(out.Learned, *x.learned)
		}
	}
	if out.Diagnostics, err = diagnose(t.measurer); err != nil {
		return nil, err
	}
	if out.Reliability, err = reliability(r); err != nil {
		return nil, err
	}
	if r.IsChain() {
		err = a.chain(t)
	} else if err = a.pair(t); err == nil {
		out.Signals, err = t.signals(ctx, in)
	}
	if err != nil {
		return nil, err
	}
	a.abstain = t.abstain
	main := t.rows.named(mainRow(r))
	for k := range t.rows {
		if x := &t.rows[k]; x != main {
			x.contest = nil // only the main row is judged again
		}
	}
	if err := t.targetFlips(main, &out.Budget); err != nil {
		return nil, err
	}
	out.Rows = t.rows.results()
	if out.Tests, err = significance(t.measurer, t.rows); err != nil {
		return nil, err
	}
	out.Repeats, err = repeats(ctx, in, a)
	return a, err
}

// pair adds what only a cascade of two models has.
func (a *Analysed) pair(t *table) error {
	r, out, single := a.Records, &a.Result, t.rows.named(Single).fitted.Policy.Policy
	out.Budget = budgetOf(r, single.Budget)
	front, err := classFrontier(r, t.rows)
	if err != nil {
		return err
	}
	families, err := familiesOf(r, t.rows, front)
	if err != nil {
		return err
	}
	if multi := t.rows.named(Multi); multi != nil {
		if out.Boundaries, err = boundaries(r, single, multi.fitted.Policy.Policy, front); err != nil {
			return err
		}
	}
	out.Sweep = describeSweep(r, single)
	var notes []result.Note
	if out.Curves, out.Matched, notes, err = compareFamilies(t.measurer, families); err != nil {
		return err
	}
	out.Notes = append(out.Notes, notes...)
	if out.Price, err = t.losses(); err != nil {
		return err
	}
	var form *population.FormLoss
	if x := t.rows.named(mainRow(r) + "-" + string(spec.Generalised)); x != nil {
		form = x.form
	}
	out.Form, out.Rising, err = judgeForm(r, form)
	return err
}

// chain adds what only a cascade of three models or more has.
func (a *Analysed) chain(t *table) (err error) {
	own := t.rows.named(Chain)
	a.Result.Budget = budgetOf(a.Records, own.fitted.Policy.Budget)
	var verdict result.Note
	if a.Result.Extra, verdict, err = t.extra(); err != nil {
		return err
	}
	own.Notes = append(own.Notes, verdict)
	families, err := chainFamilies(a.Records, t.rows)
	if err != nil || a.Repeat > 0 {
		return err
	}
	var notes []result.Note
	a.Result.Curves, a.Result.Matched, notes, err = compareFamilies(t.measurer, families)
	a.Result.Notes = append(a.Result.Notes, notes...)
	return err
}

// budgetOf describes the error budget of a study's thresholds.
func budgetOf(r *records.Records, b policy.Budget) result.Budget {
	return result.Budget{Target: r.Study.Policy.Target.String(), Errors: b.Errors.Float(), Records: b.N}
}

// incomplete reports whether more records lack an answer than the study allows.
func (a *Analysed) incomplete() bool {
	lost := a.Result.Counts.Records - a.Result.Counts.Used
	return float64(lost) > a.Study.Collect.MaxMissing*float64(a.Result.Counts.Records)
}

// fraction formats a number as its shortest decimal.
func fraction(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
