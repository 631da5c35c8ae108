package analyze

import (
	"context"
	"fmt"
	"slices"

	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/sufficiency"
	"infnet/sufficiency/gbdt"
)

// addsCode is the version of the computation behind cached tests of signals: raise it when the same inputs lead to
// different numbers.
const addsCode = 1

// adding asks of every ordered pair of the signals that cost nothing whether the second tells more of "student wrong,
// master right" once the first is known: by the test of sufficiency on the fit part, with the first signal in the place
// of β. adjustSignals adjusts its p-values.
func (t *table) adding(ctx context.Context, in Input, free []records.Signal) (
	out []result.Added, alpha float64, err error) {
	r := t.r
	if len(free) < 2 || r.Roles.Signals.Of == nil {
		return nil, 0, nil
	}
	o := sufficiency.Options{
		Seed: r.Study.Seed, Name: r.SignalsName(), Folds: sufficiency.Folds, Nulls: []sufficiency.Null{sufficiency.Beta},
		Learner: gbdt.Options{Trees: sufficiency.Trees, Depth: sufficiency.Depth}, Alpha: sufficiency.Alpha,
		Splits: sufficiency.Splits, Resamples: r.Study.Report.Bootstrap, Level: r.Study.Report.Level,
	}
	values := map[string][]float64{}
	for _, s := range free {
		values[s.Name] = units(s.Values, r.Fit)
	}
	for k, given := range free {
		full := sufficiencyInput(r)
		fit := sufficiency.Input{IDs: full.IDs, Groups: full.Groups, Beta: values[given.Name]}
		for i, e := range full.StudentErr {
			fit.Delta = append(fit.Delta, e-full.MasterErr[i])
		}
		for j, x := range free {
			if j != k {
				fit.Sets = append(fit.Sets, sufficiency.Set{Name: x.Name,
					Columns: []sufficiency.Covariate{{Name: x.Name, Values: values[x.Name]}}})
			}
		}
		rows, err := cachedRows(ctx, in, fit, o, func(done, total int) {
			if in.Progress != nil {
				in.Progress("signals · "+r.Dataset.Name, k*total+done, len(free)*total)
			}
		})
		if err != nil {
			return nil, 0, fmt.Errorf("does a signal add to %s: %w", given.Name, err)
		}
		from := len(out)
		for _, row := range rows {
			out = append(out, result.Added{Given: given.Name, Adds: row.Set, State: row.State, P: row.P, R2: row.R2,
				Notes: row.Notes})
		}
		if err := t.worth(ctx, in, free, k, out[from:]); err != nil {
			return nil, 0, fmt.Errorf("what signals add to %s: %w", given.Name, err)
		}
	}
	return out, o.Alpha, nil
}

// worth compares a threshold on a signal, fitted to the study's budget, with thresholds on its combinations with the
// others, at its error on the fit part.
func (t *table) worth(ctx context.Context, in Input, free []records.Signal, given int, out []result.Added) error {
	alone := scored{fit: units(free[given].Values, t.r.Fit), test: units(free[given].Values, t.r.Test)}
	own, err := t.thresholdOn(&alone)
	if err != nil {
		return err
	}
	families, of := []family{own}, []*result.Added{nil}
	for k := range out {
		if !out[k].Tested() {
			continue
		}
		at := slices.IndexFunc(free, func(s records.Signal) bool { return s.Name == out[k].Adds })
		x, _, err := combination(ctx, in, t.r, []records.Signal{free[given], free[at]})
		if err != nil {
			return err
		}
		f := own
		f.fit, f.test, f.chosen = x.fit, x.test, nil
		families, of = append(families, f), append(of, &out[k])
	}
	c, without := newContest(t.s, families)
	if c == nil || len(without) > 0 { // all have the same charge: deferring nothing saves nothing
		return nil
	}
	for i := 1; i < len(families); i++ {
		found, err := c.fitted(familyPair{0, i}, true)
		if err != nil {
			return err
		}
		of[i].Value = savedBeside(found)
	}
	return nil
}

// cachedRows returns the rows of tests from the cache, or computes and caches them.
func cachedRows(ctx context.Context, in Input, fit sufficiency.Input, o sufficiency.Options,
	report func(done, total int)) ([]sufficiency.Row, error) {
	parts := []any{"signals", addsCode, sufficiencyCode, o, fit.IDs, fit.Groups, fit.Beta, fit.Delta}
	for _, s := range fit.Sets {
		parts = append(parts, s.Name, s.Columns[0].Values)
	}
	key, err := digest(parts...)
	if err != nil {
		return nil, err
	}
	whole := func(rows []sufficiency.Row) bool { return len(rows) == len(fit.Sets) }
	o.Threads = max(1, in.Threads)
	return remembered(in.Cache, key, whole, func() ([]sufficiency.Row, error) {
		found, err := sufficiency.Run(ctx, fit, o, func(_ string, _ sufficiency.Null, done, total int) {
			report(done, total)
		})
		return found.Rows, err
	})
}

// adjustSignals sets the adjusted p-values of the tests of signals: all pairs of a study are one table, and so one
// family.
func adjustSignals(s *result.Results) {
	var rows []*sufficiency.Row
	var of []*result.Added
	for _, c := range s.Cascades {
		for _, d := range c.Datasets {
			for k := 0; d.Signals != nil && k < len(d.Signals.Adds); k++ {
				a := &d.Signals.Adds[k]
				rows, of = append(rows, &sufficiency.Row{State: a.State, P: a.P}), append(of, a)
			}
		}
	}
	sufficiency.Adjust(rows)
	for k, a := range of {
		a.Holm = rows[k].Holm
	}
}
