package analyze

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"infnet/backends"
	"infnet/harness/baseline"
	"infnet/harness/choice"
	"infnet/harness/confidence"
	"infnet/harness/policy"
	"infnet/harness/population"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
	"infnet/metrics"
)

const student = 0

// Analysed is one analysed cascade on one dataset: its results, and what they leave
// out.
type Analysed struct {
	Records *records.Records
	Result  result.Dataset

	rows    rows
	abstain []abstains
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
	a.rows = t.rows
	out.Sufficiency, out.Notes = t.sufficiency, append(out.Notes, t.notes...)
	for _, x := range t.rows {
		if x.fitted != nil {
			out.Policies = append(out.Policies, x.fitted.describe(r))
		}
		if x.learned != nil {
			out.Learned = append(out.Learned, *x.learned)
		}
	}
	if out.Diagnostics, err = diagnose(t.s); err != nil {
		return nil, err
	}
	if out.Reliability, err = reliability(r); err != nil {
		return nil, err
	}
	main := t.rows.named(mainRow(r))
	b := main.fitted.Policy.Budget
	if !r.IsChain() {
		b = t.rows.named(Single).fitted.Policy.Budget
	}
	out.Budget = result.Budget{Target: r.Study.Policy.Target.String(), Errors: b.Errors.Float(), Records: b.N}
	if r.IsChain() {
		err = t.chain(out)
	} else if err = t.pair(out); err == nil {
		out.Signals, err = t.signals(ctx, in)
	}
	if err != nil {
		return nil, err
	}
	a.abstain = t.abstain
	for k := range t.rows {
		if x := &t.rows[k]; x != main {
			x.contest = nil // only the main row is judged again
		}
	}
	out.Rows = t.rows.results()
	if out.Tests, err = significance(t.s, t.rows); err != nil {
		return nil, err
	}
	out.Repeats, err = repeats(ctx, in, a)
	return a, err
}

// fraction formats a number as its shortest decimal.
func fraction(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// table is the table of a cascade on one dataset, with what its rows rest on.
type table struct {
	s           *measurer
	r           *records.Records
	rows        rows
	sufficiency *result.Sufficiency // of a pair
	notes       []result.Note
	priced      *policy.Records // the fit part with the master's costs; nil = errors have no price
	abstain     []abstains
}

// newTable fits and measures the rows: baselines, each model between the first and the
// last, ours, what ours are compared with, and those with a guarantee.
func newTable(ctx context.Context, in Input, r *records.Records) (*table, error) {
	t := &table{r: r}
	ours, err := fitOurs(r)
	if err != nil {
		return nil, err
	}
	var learned lessons
	if r.IsChain() {
		if slices.ContainsFunc(r.Study.Baselines, func(b spec.Baseline) bool { return b.Kind.Learns() }) {
			var titles []string
			for _, kind := range baseline.Learners() {
				titles = append(titles, baseline.Of(kind).Title)
			}
			t.notes = []result.Note{note.Say("two-models", "%s decide between two models: their rows are in the tables of the "+
				"pairs that this chain contains.", choice.And(titles))}
		}
	} else {
		if r.Repeat == 0 {
			if t.sufficiency, err = testSufficiency(ctx, in, r, ours[0].Policy.Budget); err != nil {
				return nil, err
			}
		}
		if learned, t.notes, err = train(ctx, in, r, ours[len(ours)-1].Policy.Policy); err != nil {
			return nil, err
		}
	}
	if t.s, err = newMeasurer(r); err != nil {
		return nil, err
	}
	if err := t.samples(); err != nil {
		return nil, err
	}
	if err := t.baselines(learned.policies); err != nil {
		return nil, err
	}
	certify := func() error {
		list, err := certified(t.r)
		if err != nil {
			return err
		}
		return t.fitted(list...)
	}
	for _, more := range []func() error{func() error { return t.fitted(ours...) }, t.price, t.compare, certify} {
		if err := more(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t *table) add(x row, err error) error {
	t.rows = append(t.rows, x)
	return err
}

func (t *table) fitted(list ...Fitted) error {
	for _, f := range list {
		if err := t.add(fittedRow(t.s, f)); err != nil {
			return err
		}
	}
	return nil
}

// samples says of every model that votes how often single samples are right on the test part: pass@1, and pass@n of all
// its n samples; and of every decision model whose reported confidence is β which statistic that is.
func (t *table) samples() error {
	var vendors []result.Note
	for m, name := range t.r.Cascade.Models {
		of := &t.r.Models[m]
		if t.r.ConfidenceName(m) == string(confidence.Vendor) {
			statistic := confidence.Statistic(func(yield func(backends.Answer) bool) {
				for _, i := range t.r.Fit {
					if !yield(of.At(i)) {
						return
					}
				}
			})
			vendors = append(vendors, note.Say("vendor", "The confidence of %s is what its server reports: %s.", name,
				cmp.Or(statistic, "a statistic of its own, which its probabilities do not tell")))
		}
		if of.Passed == nil {
			continue
		}
		n := of.Spec.Samples.N
		var at [2]string
		for k, among := range []int{1, n} {
			var x []float64
			for _, i := range t.r.Test {
				x = append(x, metrics.PassAtK(n, of.Passed[i], among))
			}
			iv, err := t.s.resamples.RateOf(x)
			if err != nil {
				return err
			}
			at[k] = fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*iv.Value, 100*iv.Low, 100*iv.High)
		}
		t.notes = append(t.notes, note.Say("samples", "%s answers %d times and its answers vote: pass@1 %s, pass@%d %s of "+
			"%d test records. Its cost is that of all answers, and its confidence a multiple of 1/%d.", name, n, at[0], n, at[1],
			len(t.r.Test), n))
	}
	t.notes = append(t.notes, vendors...)
	return nil
}

func (t *table) pair(out *result.Dataset) (err error) {
	r, single := t.r, t.rows.named(Single).fitted.Policy.Policy
	var front *policy.Frontier
	multi := t.rows.named(Multi)
	if multi != nil {
		if front, err = frontier(r, true); err != nil {
			return err
		}
	}
	families, err := familiesOf(r, t.rows, front)
	if err != nil {
		return err
	}
	out.Sweep = describeSweep(r, single)
	if err := compareFamilies(t.s, families, out); err != nil {
		return err
	}
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

func (t *table) chain(out *result.Dataset) (err error) {
	own := t.rows.named(Chain)
	var verdict result.Note
	if out.Extra, verdict, err = t.extra(); err != nil {
		return err
	}
	own.Notes = append(own.Notes, verdict)
	families, err := familiesOf(t.r, t.rows, nil)
	if err != nil || t.r.Repeat > 0 {
		return err
	}
	return compareFamilies(t.s, families, out)
}
