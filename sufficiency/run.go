package sufficiency

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"infnet/harness/seed"
	"infnet/metrics/infer"
	"infnet/sufficiency/gbdt"
)

// Progress receives the test that is running, and how many of the steps of all
// tests (random halves, or permutations) are done or no longer needed. It is
// called from one goroutine at a time.
type Progress func(set string, null Null, done, total int)

// counter counts steps over all tests.
type counter struct {
	report      Progress
	past, total int
}

// test returns the progress function of one test, nil where nobody listens.
func (c *counter) test(set string, null Null) func(known int) {
	if c.report == nil {
		return nil
	}
	return func(known int) { c.report(set, null, c.past+known, c.total) }
}

// Run tests every set against every null. It fails on input that cannot be
// tested (missing values, fewer records than folds, a set without columns) and
// when ctx ends. A question without an answer (J determined by β, or a constant
// Δ) is not an error: its row's State says so. progress may be nil.
func Run(ctx context.Context, in Input, o Options, progress Progress) (Result, error) {
	o, err := o.withDefaults(in)
	if err != nil {
		return Result{}, fmt.Errorf("sufficiency: %w", err)
	}
	c, err := check(in, o)
	if err != nil {
		return Result{}, fmt.Errorf("sufficiency: %w", err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(30)) // a heap of long columns: no pointers to follow
	out := Result{Records: c.n, Folds: c.folds.K}
	each := o.Permutations
	if o.Method == PCM {
		each = o.Splits
	}
	count := &counter{report: progress, total: each * len(o.Nulls) * len(c.Sets)}
	for _, null := range o.Nulls {
		s := &nullTests{checked: c, o: o, null: null, fit: newCrossfit(c, o), count: count}
		if err := s.prepare(ctx); err != nil {
			return Result{}, fmt.Errorf("sufficiency: null %s: %w", null, err)
		}
		for _, set := range c.Sets {
			row, err := s.test(ctx, set)
			if err != nil {
				return Result{}, fmt.Errorf("sufficiency: set %q, null %s: %w", set.Name, null, err)
			}
			out.Rows = append(out.Rows, row)
			if count.past = each * len(out.Rows); progress != nil { // all steps up to here are done, or no longer needed
				progress(set.Name, null, count.past, count.total)
			}
		}
	}
	place := func(r Row) int { return slices.IndexFunc(c.Sets, func(s Set) bool { return s.Name == r.Set }) }
	slices.SortStableFunc(out.Rows, func(a, b Row) int { return place(a) - place(b) })
	var rows []*Row
	for i := range out.Rows {
		rows = append(rows, &out.Rows[i])
	}
	Adjust(rows)
	for _, r := range rows {
		r.Notes = append(r.Facts.Notes(), testedWords(r, out.Records)...)
	}
	return out, nil
}

// nullTests are the tests against one null, whose model is fitted once.
type nullTests struct {
	*checked
	o     Options
	null  Null
	fit   *crossfit
	count *counter

	known     gbdt.View // the null's columns
	predicted []float64 // Δ from them, out of fold
	errors    []float64 // squared
	resamples *infer.Resamples
	constant  bool // Δ is the same on every record
}

// prepare fits the null model.
func (s *nullTests) prepare(ctx context.Context) error {
	if slices.Min(s.delta) == slices.Max(s.delta) {
		s.constant = true
		return nil
	}
	var err error
	if s.known, err = s.knownColumns(); err != nil {
		return err
	}
	if s.predicted, err = s.fit.all(ctx, s.known, s.delta); err != nil {
		return err
	}
	s.errors = squares(s.delta, s.predicted)
	groups := s.Groups
	if groups == nil {
		groups = make([]string, s.n)
	}
	s.resamples, err = infer.NewResamples(seed.Stream(s.o.Seed, "sufficiency", s.o.Name, "bootstrap"), groups,
		infer.Options{Count: s.o.Resamples, Level: s.o.Level})
	return err
}

// knownColumns are what the null knows: β, and a column for each class but the
// first.
func (s *nullTests) knownColumns() (gbdt.View, error) {
	columns := [][]float64{s.Beta}
	if s.null == BetaAndClass {
		ks := distinct(s.Class)
		for _, k := range ks[1:] {
			column := make([]float64, s.n)
			for i, c := range s.Class {
				if c == k {
					column[i] = 1
				}
			}
			columns = append(columns, column)
		}
	}
	table, err := gbdt.NewFeatures(s.n, columns)
	if err != nil {
		return gbdt.View{}, err
	}
	return table.View(), nil
}

// test tests one set.
func (s *nullTests) test(ctx context.Context, set Set) (Row, error) {
	row := Row{Set: set.Name, Null: s.null, State: Tested, Method: s.o.Method,
		Facts: Facts{Truncated: set.Truncated}}
	if s.constant {
		row.State, row.Facts.Delta = Degenerate, &s.delta[0]
		return row, nil
	}
	use, dropped := testable(s.checked, set, s.null)
	row.Columns, row.Dropped = len(use), dropped
	if len(use) == 0 {
		row.State = Determined
		return row, nil
	}
	row.Facts.FlatBeta = slices.Min(s.Beta) == slices.Max(s.Beta)
	columns := make([][]float64, len(use))
	for i, c := range use {
		columns[i] = c.Values
	}
	extra, err := gbdt.NewFeatures(s.n, columns)
	if err != nil {
		return row, err
	}
	full, err := s.fit.all(ctx, gbdt.Join(s.known, extra.View()), s.delta)
	if err != nil {
		return row, err
	}
	errors := squares(s.delta, full)
	row.MSENull, row.MSEFull = s.fit.mse(s.errors), s.fit.mse(errors)
	if err := s.effect(&row, errors); err != nil {
		return row, err
	}
	if s.o.Method == PCM {
		err = s.testByPCM(ctx, &row, extra)
	} else {
		err = s.testByPermutation(ctx, &row, extra, errors)
	}
	if err != nil || !row.Measured() {
		return row, err
	}
	row.Finding = row.State == Tested && row.P <= s.o.Alpha
	if s.StudentErr != nil {
		if row.Value, err = s.value(full); err != nil {
			return row, err
		}
	}
	return row, nil
}

// effect sets ΔMSE and the R² gained, with intervals over the records; models are
// not refitted.
func (s *nullTests) effect(row *Row, full []float64) (err error) {
	if row.Gain, err = s.resamples.Difference(s.errors, full); err != nil {
		return err
	}
	ones, square := make([]float64, s.n), make([]float64, s.n)
	for i, d := range s.delta {
		ones[i], square[i] = 1, d*d
	}
	share := func(x []float64) float64 {
		variance := x[3] - x[2]*x[2]/x[4]
		if variance <= 0 {
			return 0 // a resample on which Δ is constant
		}
		return (x[0] - x[1]) / variance
	}
	row.R2, err = s.resamples.Of(share, math.Inf(-1), math.Inf(1), s.errors, full, s.delta, square, ones)
	return err
}
