package sufficiency

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"infnet/harness/seed"
	"infnet/metrics/infer"
	"infnet/sufficiency/gbdt"
	"infnet/sufficiency/permute"
)

// Progress is told which test runs, and how many of the shuffles of all tests
// are done or need not be done any more. It is called from one goroutine at a
// time.
type Progress func(set string, null Null, done, total int)

// counter counts shuffles over all tests.
type counter struct {
	tell        Progress
	past, total int
}

// test returns what to tell while one test runs.
func (c *counter) test(set string, null Null) func(known int) {
	if c.tell == nil {
		return nil
	}
	return func(known int) { c.tell(set, null, c.past+known, c.total) }
}

// skip counts shuffles that are over.
func (c *counter) skip(set string, null Null, upTo int) {
	c.past = upTo
	if c.tell != nil {
		c.tell(set, null, c.past, c.total)
	}
}

// Run tests every set against every null. It fails on input that cannot be
// tested (missing values, fewer records than folds, a set without columns) and
// when ctx ends; it states, in a row, what has no answer: J determined by β, or
// a constant Δ. progress may be nil.
func Run(ctx context.Context, in Input, o Options, progress Progress) (Result, error) {
	o, err := o.withDefaults(in)
	if err != nil {
		return Result{}, fmt.Errorf("sufficiency: %w", err)
	}
	c, err := check(in, o)
	if err != nil {
		return Result{}, fmt.Errorf("sufficiency: %w", err)
	}
	out := Result{Records: c.n, Folds: c.folds.K}
	if err := permute.CannotReject(o.Permutations, o.Alpha); err != nil {
		out.Warnings = append(out.Warnings, err)
	}
	each := o.Permutations // shuffles of one row
	if o.Permutation == permute.Conditional && !o.NoSensitivity {
		each *= 3
	}
	count := &counter{tell: progress, total: each * len(o.Nulls) * len(c.Sets)}
	for _, null := range o.Nulls {
		s := &study{checked: c, o: o, null: null, fit: newCrossfit(c, o), count: count}
		if err := s.prepare(ctx); err != nil {
			return Result{}, fmt.Errorf("sufficiency: null %s: %w", null, err)
		}
		for _, set := range c.Sets {
			row, err := s.test(ctx, set)
			if err != nil {
				return Result{}, fmt.Errorf("sufficiency: set %q, null %s: %w", set.Name, null, err)
			}
			out.Rows = append(out.Rows, row)
			count.skip(set.Name, null, each*len(out.Rows))
		}
	}
	slices.SortStableFunc(out.Rows, func(a, b Row) int { return place(c.Sets, a.Set) - place(c.Sets, b.Set) })
	var rows []*Row
	for i := range out.Rows {
		rows = append(rows, &out.Rows[i])
	}
	Adjust(rows)
	return out, nil
}

func place(sets []Set, name string) int {
	return slices.IndexFunc(sets, func(s Set) bool { return s.Name == name })
}

// study is the tests against one null, whose model is fitted once.
type study struct {
	*checked
	o     Options
	null  Null
	fit   *crossfit
	count *counter

	known     gbdt.View // the null's columns
	predicted []float64 // Δ from them, out of fold
	errors    []float64 // squared
	resamples *infer.Resamples
	constant  bool // Δ is
}

// prepare fits the null model.
func (s *study) prepare(ctx context.Context) error {
	if slices.Min(s.delta) == slices.Max(s.delta) {
		s.constant = true
		return nil
	}
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
	table, err := gbdt.NewTable(s.n, columns)
	if err != nil {
		return err
	}
	s.known = table.View()
	if s.predicted, err = s.fit.all(ctx, s.known, s.delta); err != nil {
		return err
	}
	s.errors = squares(s.delta, s.predicted)
	groups := s.Groups
	if groups == nil {
		groups = make([]string, s.n)
	}
	s.resamples, err = infer.NewResamples(seed.Stream(s.o.Seed, "sufficiency", s.o.Name, "bootstrap"), groups, infer.Options{Count: s.o.Resamples, Level: s.o.Level})
	return err
}

// test tests one set.
func (s *study) test(ctx context.Context, set Set) (Row, error) {
	row := Row{Set: set.Name, Null: s.null, State: Tested, Permutation: s.o.Permutation, Notes: slices.Clone(set.Notes)}
	if s.constant {
		row.State = Degenerate
		row.Notes = append(row.Notes, fmt.Sprintf("Δ is %g on every record: there is nothing to predict", s.delta[0]))
		return row, nil
	}
	use, dropped := usable(s.checked, set, s.null)
	row.Columns, row.Dropped = len(use), dropped
	if len(use) == 0 {
		row.State = Determined
		return row, nil
	}
	if slices.Min(s.Beta) == slices.Max(s.Beta) {
		row.Notes = append(row.Notes, "β is the same on every record: the null model knows nothing")
	}
	columns := make([][]float64, len(use))
	for i, c := range use {
		columns[i] = c.Values
	}
	extra, err := gbdt.NewTable(s.n, columns)
	if err != nil {
		return row, err
	}
	full, err := s.fit.all(ctx, gbdt.Beside(s.known, extra.View()), s.delta)
	if err != nil {
		return row, err
	}
	errors := squares(s.delta, full)
	row.MSENull, row.MSEFull = s.fit.mse(s.errors), s.fit.mse(errors)
	if err := s.effect(&row, errors); err != nil {
		return row, err
	}
	plan, err := s.permute(ctx, &row, extra, errors, s.o.Stratum, "")
	if err != nil {
		return row, err
	}
	row.Strata, row.Fixed = plan.Strata(), plan.Fixed()
	if 2*row.Fixed > s.n {
		row.Notes = append(row.Notes, fmt.Sprintf("%d of %d records have nothing to change places with; the test sees little", row.Fixed, s.n))
	}
	row.Finding = row.Test.P <= s.o.Alpha && row.Gain.Value > 0
	if s.o.Permutation == permute.Conditional {
		row.Stratum = s.o.Stratum
		if err := s.sensitivity(ctx, &row, extra, errors); err != nil {
			return row, err
		}
	} else {
		row.Notes = append(row.Notes, "plain permutation also breaks the dependence of J on β: p can be small without J adding anything")
	}
	if s.StudentErr != nil {
		if row.Value, err = s.value(full); err != nil {
			return row, err
		}
	}
	if s.o.Power > 0 {
		if row.Power, err = s.power(ctx, &row, extra); err != nil {
			return row, err
		}
	}
	return row, nil
}

// effect sets ΔMSE and the R² gained, with bootstrap intervals: records are
// resampled, models are not fitted again.
func (s *study) effect(row *Row, full []float64) (err error) {
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
	row.R2, err = s.resamples.Of(share, s.errors, full, s.delta, square, ones)
	return err
}

// statistic is T of one shuffle.
func (s *study) statistic(plan *permute.Plan, extra *gbdt.Table, stream ...string) func(context.Context, int, int) (float64, error) {
	null := total(s.errors)
	preds := make([][]float64, len(s.fit.workers))
	return func(ctx context.Context, id, p int) (float64, error) {
		w := &s.fit.workers[id]
		if w.rows == nil {
			w.rows = make([]uint32, s.n)
		}
		if preds[id] == nil {
			preds[id] = make([]float64, s.n)
		}
		names := append([]string{"sufficiency", s.o.Name}, stream...)
		plan.Draw(seed.Stream(s.o.Seed, append(names, strconv.Itoa(p))...), w.rows)
		sum, err := s.fit.sum(ctx, w, gbdt.Beside(s.known, extra.Reordered(w.rows)), s.delta, preds[id])
		return (null - sum) / float64(s.n), err
	}
}

// plan works out who changes places with whom.
func (s *study) plan(kind permute.Kind, stratum int) (*permute.Plan, error) {
	d := permute.Design{Kind: kind, Beta: s.Beta, Groups: s.Groups, Stratum: stratum}
	if s.null == BetaAndClass {
		d.Class = s.Class
	}
	return permute.NewPlan(d)
}

// permute runs the permutation test of a model with squared errors full;
// variant names other strata's streams.
func (s *study) permute(ctx context.Context, row *Row, extra *gbdt.Table, full []float64, stratum int, variant string) (*permute.Plan, error) {
	plan, err := s.plan(s.o.Permutation, stratum)
	if err != nil {
		return nil, err
	}
	// T is worked out as the shuffles' are: the same model must count as a tie.
	row.Test, err = permute.Test(ctx, (total(s.errors)-total(full))/float64(s.n), s.statistic(plan, extra, row.Set, s.null.String(), s.o.Permutation.String(), variant),
		s.o.shuffles(s.o.Permutations), s.count.test(row.Set, s.null))
	s.count.past += s.o.Permutations
	return plan, err
}

// sensitivity tests again at half and double the stratum.
func (s *study) sensitivity(ctx context.Context, row *Row, extra *gbdt.Table, full []float64) error {
	if s.o.NoSensitivity {
		return nil
	}
	for _, v := range []struct {
		name    string
		stratum int
		to      **Sensitivity
	}{{"half", max(2, s.o.Stratum/2), &row.Half}, {"double", 2 * s.o.Stratum, &row.Double}} {
		other := *row
		plan, err := s.permute(ctx, &other, extra, full, v.stratum, v.name)
		if err != nil {
			return err
		}
		*v.to = &Sensitivity{Stratum: v.stratum, Strata: plan.Strata(), P: other.Test.P, Chance: other.Test.Chance}
	}
	return nil
}
