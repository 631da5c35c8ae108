package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"infnet/harness/policy"
)

// bumpy draws n records of one class, β ~ U(0,1), whose student errs with
// probability .1, .6 between ½ and ¾, and 0 above: the surer answers of the
// middle are the worse ones. The master never errs.
func bumpy(seed uint64, n int) (policy.Records, []int) {
	rng := rand.New(rand.NewPCG(seed, 3))
	r, fold := policy.Records{}, make([]int, n)
	for i := range n {
		beta, e, q := rng.Float64(), 0.0, .1
		switch {
		case beta >= .75:
			q = 0
		case beta >= .5:
			q = .6
		}
		if rng.Float64() < q {
			e = 1
		}
		r.Beta, r.Student, r.Master = append(r.Beta, beta), append(r.Student, e), append(r.Master, 0)
		fold[i] = i % 5
	}
	return r, fold
}

// By hand: accepting all errs .1·½ + .6·¼ = .2, and the budget is .05. Without
// the form, deferring the middle alone leaves .05 at ¼ deferred. With it, all
// below some θ in the middle: .6·(¾−θ) = .05, θ = ⅔. 8,000 records: standard
// error of a share ≤ .006; smoothing costs a little on top.
func TestFormLossOnBumpyRecords(t *testing.T) {
	r, fold := bumpy(1, 8000)
	l, err := MeasureForm(r, fold, Options{Target: target(t, "0.95"), Method: Histogram})
	if err != nil {
		t.Fatal(err)
	}
	free, exact := float64(l.Free.Outcome.Deferred)/8000, float64(l.Exact.FitDeferred)/8000
	if !l.Free.Feasible || math.Abs(free-.25) > .06 {
		t.Errorf("without the form %v is deferred (%+v), want about .25", free, l.Free)
	}
	if math.Abs(exact-2./3) > .03 {
		t.Errorf("with it %v is deferred, want about .667", exact)
	}
	if loss, ok := l.Loss(); !ok || math.Abs(loss-(exact-free)) > 1e-12 {
		t.Errorf("loss %v, %v", loss, ok)
	}
	risk, err := MonotoneRisk(rand.New(rand.NewPCG(1, 1)), r, MonotoneOptions{Draws: 99})
	if err != nil || risk.Classes[0].Excess.P != .01 || len(risk.Classes[0].Bins) != 20 {
		t.Errorf("%+v, %v; want p = 1/100 in 20 bins", risk, err)
	}
	if rising, least := risk.Rising(); len(rising) != 1 || least != .01 {
		t.Errorf("rising: %+v, %g", rising, least)
	}
}

// The level found is the best of all, by brute force over the sets of records
// that a level accepts.
func TestSolveGeneralAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		bit := rapid.SampledFrom([]float64{0, 1})
		var r policy.Records
		excess := make([]float64, n)
		for i := range n {
			r.Beta = append(r.Beta, .5)
			r.Student, r.Master = append(r.Student, bit.Draw(t, "student")), append(r.Master, bit.Draw(t, "master"))
			excess[i] = rapid.SampledFrom([]float64{-.5, -.25, 0, .25, .5, 1, math.Inf(1)}).Draw(t, "excess")
		}
		b := policy.Budget{Errors: policy.Count{Units: int64(rapid.IntRange(0, n).Draw(t, "budget")), Scale: 1}, N: n}
		g, err := solveGeneral(r, excess, b, Options{})
		if err != nil {
			t.Fatal(err)
		}
		tally := func(accept func(float64) bool) (errors int64, deferred int) {
			for i, x := range excess {
				if accept(x) {
					errors += int64(r.Student[i])
				} else {
					errors += int64(r.Master[i])
					deferred++
				}
			}
			return errors, deferred
		}
		least, bestDeferred, feasible := int64(n+1), n+1, false
		for _, level := range []float64{math.Inf(-1), 0, .25, .5, 1} {
			e, d := tally(func(x float64) bool { return x <= level })
			least = min(least, e)
			if e <= b.Errors.Units {
				feasible = true
				bestDeferred = min(bestDeferred, d)
			}
		}
		if !feasible {
			for _, level := range []float64{math.Inf(-1), 0, .25, .5, 1} {
				if e, d := tally(func(x float64) bool { return x <= level }); e == least {
					bestDeferred = min(bestDeferred, d)
				}
			}
		}
		if g.Feasible != feasible || !feasible && g.Outcome.Error.Units != least || g.Outcome.Deferred != bestDeferred {
			t.Fatalf("%+v, want feasible %v, least error %v, %d deferred", g, feasible, least, bestDeferred)
		}
		if e, d := tally(g.Accept); e != g.Outcome.Error.Units || d != g.Outcome.Deferred {
			t.Fatalf("%+v accepts otherwise: %d errors, %d deferred", g, e, d)
		}
	})
}

func TestOutOfFold(t *testing.T) {
	// Two folds of two records, so that each has one bin: the estimate is the mean excess of
	// the other fold. Class 1 is in one fold only.
	r := policy.Records{Classes: 2, Class: []int{0, 0, 0, 0, 1}, Beta: []float64{.1, .2, .3, .4, .5},
		Student: []float64{1, 1, 1, 0, 1}, Master: []float64{0, 0, 1, 0, 0}}
	got, err := outOfFold(r, []int{0, 0, 1, 1, 1}, Options{Method: Histogram})
	if diff := cmp.Diff([]float64{0, 0, 1, 1, math.Inf(1)}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestMonotoneRiskEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	r := policy.Records{Classes: 3, Class: []int{0, 0, 2}, Beta: []float64{.5, .5, .1}, Student: []float64{1, 0, 1},
		Master: []float64{0, 0, 1}}
	risk, err := MonotoneRisk(rng, r, MonotoneOptions{})
	if err != nil || len(risk.Classes) != 2 || risk.Classes[1].Class != 2 || risk.Draws != 999 {
		t.Fatalf("%+v, %v", risk, err)
	}
	for _, c := range risk.Classes {
		if c.Excess.P != 1 || c.Excess.T != 0 || c.Excess.Holm != 1 || len(c.Bins) != 1 {
			t.Errorf("a class of one bin: %+v", c)
		}
	}
}

// Under a flat curve and with clusters whose records are alike, the permutation
// test of records is wrong far too often; multipliers by cluster keep the level:
// of 200 samples p ≤ .1 in at most 20 + 4·√18 = 37. Sizes go with the error.
func TestMonotoneRiskOfClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 9))
	byRecord, byCluster, rising := 0, 0, 0
	for range 200 {
		var r, up policy.Records
		var cluster []int
		for g := range 120 {
			size := []int{1, 2, 9}[rng.IntN(3)]
			beta, e := rng.Float64(), 0.0
			if rng.Float64() < .3 {
				e = 1
			}
			for range size { // near each other in β, and wrong together
				r.Beta, r.Student = append(r.Beta, min(max(beta+.02*rng.NormFloat64(), 0), 1)), append(r.Student, e)
				cluster = append(cluster, g)
			}
			wrong := 0.0
			if rng.Float64() < beta {
				wrong = 1
			}
			for range size {
				up.Student = append(up.Student, wrong)
			}
		}
		up.Beta = r.Beta
		p := func(r policy.Records, cluster []int) float64 {
			risk, err := MonotoneRisk(rng, r, MonotoneOptions{Setting: policy.Oracle, Draws: 99, Cluster: cluster})
			if err != nil {
				t.Fatal(err)
			}
			return risk.Classes[0].Excess.P
		}
		if p(r, nil) <= .1 {
			byRecord++
		}
		if p(r, cluster) <= .1 {
			byCluster++
		}
		if p(up, cluster) <= .1 {
			rising++
		}
	}
	t.Logf("p ≤ .1 in %d of 200 flat samples by record, %d by cluster; in %d of 200 rising ones by cluster", byRecord,
		byCluster, rising)
	if byRecord < 80 || byCluster > 37 || rising < 150 {
		t.Errorf("p ≤ .1 in %d of 200 flat samples by record, %d by cluster, %d rising ones by cluster", byRecord,
			byCluster, rising)
	}
}
