package analyze

import (
	"context"
	"slices"

	"infnet/harness/baseline"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// table is the table of a cascade on one dataset, with what its rows rest on.
type table struct {
	*measurer
	rows        rows
	sufficiency *result.Sufficiency // of a pair
	notes       []result.Note
	priced      *priced // nil = errors have no price
	trained     []Trained
	abstain     []abstains
}

// newTable fits and measures the rows: baselines, each model between the first and the
// last, ours, what ours are compared with, those with a guarantee, and ensembles.
func newTable(ctx context.Context, in Input, r *records.Records) (*table, error) {
	t := &table{}
	ours, err := fitOurs(r)
	if err != nil {
		return nil, err
	}
	var learned lessons
	if r.IsChain() {
		t.notes = noTwoModels(r)
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
	t.trained = learned.trained
	if t.measurer, err = newMeasurer(r); err != nil {
		return nil, err
	}
	passes, err := t.passes()
	if err != nil {
		return nil, err
	}
	t.notes = append(append(t.notes, passes...), t.vendors()...)
	if err := t.baselines(learned.policies); err != nil {
		return nil, err
	}
	for _, f := range ours {
		if err := t.add(fittedRow(t.measurer, f)); err != nil {
			return nil, err
		}
	}
	for _, more := range []func() error{t.price, t.compare, t.certify, t.ensembles} {
		if err := more(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// add adds a row that was measured.
func (t *table) add(x row, err error) error {
	t.rows = append(t.rows, x)
	return err
}

// certify adds the rows with a guarantee.
func (t *table) certify() error {
	list, err := certified(t.r)
	for _, f := range list {
		if err := t.add(fittedRow(t.measurer, f)); err != nil {
			return err
		}
	}
	return err
}

// noTwoModels says why a chain has no rows of baselines that learn, where the
// study asks for some.
func noTwoModels(r *records.Records) []result.Note {
	if !slices.ContainsFunc(r.Study.Baselines, func(b spec.Baseline) bool { return b.Kind.Learns() }) {
		return nil
	}
	var titles []string
	for _, kind := range baseline.Learners() {
		titles = append(titles, baseline.Of(kind).Title)
	}
	return []result.Note{note.TwoModels(titles)}
}
