package sufficiency

import (
	"context"
	"strconv"

	"infnet/harness/seed"
	"infnet/sufficiency/gbdt"
	"infnet/sufficiency/permute"
)

// statistic returns T for one permutation of J.
func (s *nullTests) statistic(plan *permute.Plan, extra *gbdt.Features,
	stream ...string) func(context.Context, int, int) (float64, error) {
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
		sum, err := s.fit.sum(ctx, w, gbdt.Join(s.known, extra.Reordered(w.rows)), s.delta, preds[id])
		return (null - sum) / float64(s.n), err
	}
}

// testByPermutation runs the permutation test. The conditional test is repeated
// with strata of half and double the size.
func (s *nullTests) testByPermutation(ctx context.Context, row *Row, extra *gbdt.Features, full []float64) error {
	test, err := s.permute(ctx, row, extra, full, s.o.Stratum, "")
	if err != nil {
		return err
	}
	row.Permutation, row.P = test, test.Test.P
	if s.o.Method == Plain {
		return nil
	}
	return s.sensitivity(ctx, row, extra, full)
}

// plan returns the sets of records that may be permuted among themselves.
func (s *nullTests) plan(kind permute.Kind, stratum int) (*permute.Plan, error) {
	d := permute.Design{Kind: kind, Beta: s.Beta, Groups: s.Groups, Stratum: stratum, Width: s.o.Width}
	if s.null == BetaAndClass {
		d.Class = s.Class
	}
	return permute.NewPlan(d)
}

// permute runs the permutation test of a model with squared errors full.
// variant names the random streams of the tests with other stratum sizes.
func (s *nullTests) permute(ctx context.Context, row *Row, extra *gbdt.Features, full []float64, stratum int,
	variant string) (*Permutation, error) {
	plan, err := s.plan(s.o.Method.kind(), stratum)
	if err != nil {
		return nil, err
	}
	out := &Permutation{Strata: plan.Strata(), Fixed: plan.Fixed()}
	if s.o.Method == Conditional {
		out.Stratum, out.Width = stratum, plan.Width()
	}
	// The observed T is computed exactly as the permuted ones are, so that an
	// equal model counts as a tie.
	out.Test, err = permute.Test(ctx, (total(s.errors)-total(full))/float64(s.n),
		s.statistic(plan, extra, row.Set, s.null.String(), s.o.Method.String(), variant),
		s.o.permutations(s.o.Permutations), s.count.test(row.Set, s.null))
	s.count.past += s.o.Permutations
	return out, err
}

// sensitivity repeats the test with strata of half and double the size.
func (s *nullTests) sensitivity(ctx context.Context, row *Row, extra *gbdt.Features, full []float64) error {
	if s.o.NoSensitivity {
		return nil
	}
	for _, v := range []struct {
		name    string
		stratum int
		to      **Sensitivity
	}{{"half", max(2, s.o.Stratum/2), &row.Permutation.Half}, {"double", 2 * s.o.Stratum, &row.Permutation.Double}} {
		other, err := s.permute(ctx, row, extra, full, v.stratum, v.name)
		if err != nil {
			return err
		}
		*v.to = &Sensitivity{Stratum: v.stratum, Strata: other.Strata, P: other.Test.P, Chance: other.Test.Chance}
	}
	return nil
}
