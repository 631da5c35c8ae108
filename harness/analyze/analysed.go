package analyze

import (
	"context"
	"strconv"

	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/pool"
	"infnet/harness/population"
	"infnet/harness/records"
	"infnet/harness/result"
)

// student is the position of a cascade's first model.
const student = 0

// Analysed is one analysed cascade on one dataset: its results, and what they leave
// out.
type Analysed struct {
	*records.Records
	Result result.Dataset

	rows    rows
	fitted  []Fitted
	mixture *policy.Mixture
	serial  []series // chains of three models or more; nil where there are two
	trained []Trained
	program string // infnet's version
}

// Fitted is a fitted policy and the row it belongs to.
type Fitted struct {
	Name      string
	Policy    policy.Policy
	Promise   *guarantee.Result // of certified rows; Policy is its policy
	OwnBudget bool              // its budget is not that of the single threshold (target min)
}

// row is a row of the table, with the data that other parts of the results need.
type row struct {
	result.Row
	plan      plan          // on the test part
	contest   *pool.Contest // nil = it has no rival
	decisions *decisions
	fitted    *Fitted              // nil = it has no thresholds of its own
	mixture   *policy.Mixture      // of the randomised row
	form      *population.FormLoss // of the row without threshold form
	learned   *result.Learned      // of baselines that learn
	family    *family              // of baselines that learn
}

// decisions are a row's decisions by example.
type decisions struct {
	made  []verdict
	ways  []path    // of rows of more than two models or in parallel: the paths there are; nil for others
	way   []int32   // which of them an example takes
	theta []float64 // of chains, by stage

	// Of policies that compare a score of their own with one threshold.
	scores []float64 // out of fold on the fit part; nil for others
	cut    float64
}

// verdict is a row's decision about one example.
type verdict uint8

// The verdicts. An example may have none.
const (
	undecided verdict = iota
	stays             // the last model is not asked
	defers
)

// path is the models that one query asked, in order, and the one whose answer is
// final.
type path struct {
	asked []int // positions in the cascade
	final int
}

// analyzed analyses one cascade on one dataset. It reads as a table of contents of
// the results.
func analyzed(ctx context.Context, in Input, r *records.Records) (*Analysed, error) {
	a := &Analysed{Records: r, program: in.Program}
	var err error
	if a.Result, err = describeDataset(r, in.Origins[r.Dataset.Name]); err != nil {
		return nil, err
	}
	if r.IsChain() {
		err = a.chain()
	} else {
		err = a.pair(ctx, in)
	}
	if err != nil {
		return nil, err
	}
	a.Result.Repeats, err = repeats(ctx, in, a)
	return a, err
}

// pair analyses a cascade of two models.
func (a *Analysed) pair(ctx context.Context, in Input) error {
	r, out := a.Records, &a.Result
	t, err := pairTable(ctx, in, r)
	if err != nil {
		return err
	}
	s, single := t.measurer, t.rows.named(Single).fitted.Policy
	a.rows, a.fitted, a.trained = t.rows, t.rows.fitted(), t.trained
	out.Sufficiency, out.Notes = t.sufficiency, append(out.Notes, t.notes...)
	out.Rows, out.Learned = t.rows.results(), t.rows.learned()
	for _, f := range a.fitted {
		out.Policies = append(out.Policies, describe(r, f))
	}
	out.Budget = budgetOf(r, single.Budget)
	var form *population.FormLoss
	for _, x := range t.rows {
		if x.mixture != nil {
			a.mixture = x.mixture
		}
		if x.form != nil {
			form = x.form
		}
	}
	front, err := classFrontier(r, t.rows)
	if err != nil {
		return err
	}
	families, err := familiesOf(r, t.rows, front)
	if err != nil {
		return err
	}
	if out.Diagnostics, err = diagnose(s); err != nil {
		return err
	}
	if out.Reliability, err = reliability(r); err != nil {
		return err
	}
	if multi := t.rows.named(Multi); multi != nil {
		if out.Boundaries, err = boundaries(r, single, multi.fitted.Policy, front); err != nil {
			return err
		}
	}
	if out.Sweep, err = describeSweep(r, single); err != nil {
		return err
	}
	var notes []result.Note
	if out.Curves, out.Matched, notes, err = compareFamilies(s, families); err != nil {
		return err
	}
	out.Notes = append(out.Notes, notes...)
	if out.Tests, err = significance(s, t.rows); err != nil {
		return err
	}
	out.Form, out.Rising, err = judgeForm(r, form)
	return err
}

// chain analyses a cascade of three models or more.
func (a *Analysed) chain() error {
	r, out := a.Records, &a.Result
	t, err := chainTable(r)
	if err != nil {
		return err
	}
	a.rows, a.serial = t.rows, t.fit.series()
	out.Notes, out.Rows = append(out.Notes, t.notes...), t.rows.results()
	out.Policies, out.Budget = t.fit.describe(r), budgetOf(r, t.fit.chain.Budget)
	var verdict result.Note
	if out.Extra, verdict, err = extra(t); err != nil {
		return err
	}
	for k := range out.Rows {
		if out.Rows[k].Policy == Chain {
			out.Rows[k].Notes = append(out.Rows[k].Notes, verdict)
		}
	}
	if out.Diagnostics, err = diagnose(t.measurer); err != nil {
		return err
	}
	if out.Reliability, err = reliability(r); err != nil {
		return err
	}
	out.Tests, err = significance(t.measurer, t.rows)
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

// rows are the rows of a table, in order.
type rows []row

// named returns the row of this name, or nil.
func (all rows) named(name string) *row {
	for k := range all {
		if all[k].Policy == name {
			return &all[k]
		}
	}
	return nil
}

// results converts the rows to those of the results.
func (all rows) results() (out []result.Row) {
	for _, x := range all {
		out = append(out, x.Row)
	}
	return out
}

// fitted are the fitted thresholds of all rows.
func (all rows) fitted() (out []Fitted) {
	for _, x := range all {
		if x.fitted != nil {
			out = append(out, *x.fitted)
		}
	}
	return out
}

// learned are the baselines that learned.
func (all rows) learned() (out []result.Learned) {
	for _, x := range all {
		if x.learned != nil {
			out = append(out, *x.learned)
		}
	}
	return out
}

// fraction formats a number as its shortest decimal.
func fraction(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
