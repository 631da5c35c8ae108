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
	stream ...string) func(context.Context, int) (float64, error) {
	null := total(s.errors)
	return func(ctx context.Context, p int) (float64, error) {
		rows := make([]uint32, s.n)
		names := append([]string{"sufficiency", s.o.Name}, stream...)
		plan.Draw(seed.Stream(s.o.Seed, append(names, strconv.Itoa(p))...), rows)
		sum, err := s.fit.sum(ctx, gbdt.Join(s.known, extra.Reordered(rows)), s.delta)
		return (null - sum) / float64(s.n), err
	}
}

// testByPermutation runs the paper's permutation test of a model with squared
// errors full: rows of J move anywhere, or within a class that the null knows.
func (s *nullTests) testByPermutation(ctx context.Context, row *Row, extra *gbdt.Features, full []float64) error {
	d := permute.Design{Beta: s.Beta, Groups: s.Groups}
	if s.null == BetaAndClass {
		d.Class = s.Class
	}
	plan, err := permute.NewPlan(d)
	if err != nil {
		return err
	}
	// The observed T is computed exactly as the permuted ones are, so that an
	// equal model counts as a tie.
	row.Permutation = &Permutation{Strata: plan.Strata(), Fixed: plan.Fixed()}
	row.Permutation.Test, err = permute.Test(ctx, (total(s.errors)-total(full))/float64(s.n),
		s.statistic(plan, extra, row.Set, s.null.String(), s.o.Method.String(), ""),
		s.o.permutations(s.o.Permutations), s.count.test(row.Set, s.null))
	s.count.past += s.o.Permutations
	row.P = row.Permutation.Test.P
	return err
}
