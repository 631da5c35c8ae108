package sufficiency

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The threshold against every possible one: of those within the budget the
// fewest deferrals, else the fewest errors.
func TestThresholdAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		s := &nullTests{checked: &checked{n: n}}
		predicted, records := make([]float64, n), make([]int32, n)
		for i := range n {
			records[i] = int32(i)
			predicted[i] = float64(rapid.IntRange(0, 4).Draw(t, "predicted"))
			s.StudentErr = append(s.StudentErr, float64(rapid.IntRange(0, 1).Draw(t, "student")))
			s.MasterErr = append(s.MasterErr, float64(rapid.IntRange(0, 1).Draw(t, "master")))
		}
		allowed := rapid.IntRange(0, n).Draw(t, "allowed")
		got, met := s.threshold(predicted, records, float64(allowed)/float64(n))
		outcome := func(threshold float64) (deferred, errors int) {
			for i := range n {
				e := s.StudentErr[i]
				if predicted[i] >= threshold {
					deferred++
					e = s.MasterErr[i]
				}
				errors += int(e)
			}
			return deferred, errors
		}
		deferred, errors := outcome(got)
		best, fewest := -1, n+1
		for _, threshold := range append(slices.Clone(predicted), math.Inf(1)) {
			d, e := outcome(threshold)
			if e <= allowed && (best < 0 || d < best) {
				best = d
			}
			fewest = min(fewest, e)
		}
		switch {
		case met != (best >= 0):
			t.Fatalf("met %v, fewest deferrals within the budget %d", met, best)
		case met && (errors > allowed || deferred != best):
			t.Fatalf("%d deferrals with %d errors of %d; %d suffice", deferred, errors, allowed, best)
		case !met && errors != fewest:
			t.Fatalf("%d errors; %d are possible", errors, fewest)
		}
	})
}

// A J that tells who is wrong saves cost at the same budget; J is noise in the
// second study and saves next to nothing.
func TestValueOfJ(t *testing.T) {
	for _, strength := range []float64{.8, 0} {
		in := drawn(600, 1, strength, 11)
		in.Class = nil
		in.MasterCost, in.StudentCost = make([]float64, 600), make([]float64, 600)
		for i := range in.MasterCost {
			in.MasterCost[i], in.StudentCost[i] = 10, 1
		}
		budget := .15
		o := quick(1)
		o.Alpha, o.Budget = .5, &budget
		res, err := Run(t.Context(), in, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := res.Rows[0].Value
		if strength > 0 && v.Saved.Low <= 5 || strength == 0 && math.Abs(v.Saved.Value) > 15 {
			t.Errorf("strength %g: saved %+v", strength, v.Saved)
		}
		if want := 100 * (v.CostNull.Value - v.CostFull.Value) / 10; math.Abs(v.Saved.Value-want) > 1e-9 {
			t.Errorf("saved %g %%, from the costs %g %%", v.Saved.Value, want)
		}
		if strength > 0 && math.Abs(v.ErrorFull.Value-budget) > .06 {
			t.Errorf("a budget of %g became %g", budget, v.ErrorFull.Value)
		}
	}
}
