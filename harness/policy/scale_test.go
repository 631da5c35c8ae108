package policy

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// world draws n records of k classes: β uniform with some ties, a student that
// errs less the surer it is, by class, and a master that errs in proportion.
func world(rng *rand.Rand, n, k int, soft bool) Records {
	r := Records{Classes: k}
	for range n {
		class := min(int(float64(k)*rng.Float64()*rng.Float64()*1.3), k-1) // unequal classes
		beta := rng.Float64()
		if rng.IntN(4) == 0 {
			beta = math.Round(beta*500) / 500
		}
		hard := (1 - beta) * (0.4 + 0.5*float64(class)/float64(k))
		es, em := 0.0, 0.0
		if rng.Float64() < hard {
			es = 1
		}
		if rng.Float64() < 0.3*hard+0.05 {
			em = 1
		}
		if soft {
			es, em = (es+rng.Float64())/2, (em+rng.Float64())/2
		}
		r.Class, r.Beta = append(r.Class, class), append(r.Beta, beta)
		r.Student, r.Master = append(r.Student, es), append(r.Master, em)
		r.MasterCost = append(r.MasterCost, 0.5+rng.ExpFloat64())
	}
	return r
}

// Both coordinates too wide for an array: soft errors weighed by cost. What is
// found must be within the budget and no worse than the Lagrangian solution.
func TestExactSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for trial := range 5 {
		r := world(rng, 300, 6, true)
		o := Options{Objective: Cost, Target: Best}
		p, err := FitMulti(r, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Method = Lagrangian
		l, err := FitMulti(r, o)
		if err != nil {
			t.Fatal(err)
		}
		if !p.Certificate.Optimal || p.FitError.Units > p.Budget.Errors.Units || p.Certificate.Value > l.Certificate.Value ||
			p.Certificate.Value < l.Certificate.LowerBound {
			t.Errorf("trial %d: exact %+v, lagrangian %+v", trial, p.Certificate, l.Certificate)
		}
	}
}

// A search that may not work says so, with a bound that holds.
func TestWorkLimit(t *testing.T) {
	r := world(rand.New(rand.NewPCG(5, 5)), 3000, 5, false)
	want, err := FitMulti(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := FitMulti(r, Options{WorkLimit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].Kind != SearchStopped {
		t.Errorf("warnings %v, want that the search stopped", p.Warnings)
	}
	if c := p.Certificate; c.LowerBound > want.Certificate.Value || c.Value < want.Certificate.Value ||
		c.Gap != c.Value-c.LowerBound {
		t.Errorf("certificate %+v, optimum %d", c, want.Certificate.Value)
	}
}

// Large enough to be sorted on several threads; the number of them is not an input.
func TestThreadsDoNotMatter(t *testing.T) {
	r := world(rand.New(rand.NewPCG(8, 8)), 40_000, 12, false)
	var first Policy
	for _, threads := range []int{1, 2, 5} {
		old := runtime.GOMAXPROCS(threads)
		p, err := FitMulti(r, Options{})
		runtime.GOMAXPROCS(old)
		if err != nil {
			t.Fatal(err)
		}
		if threads == 1 {
			first = p
		}
		if !slices.Equal(p.Thresholds, first.Thresholds) || p.Certificate != first.Certificate {
			t.Errorf("on %d threads θ = %v, on one %v", threads, p.Thresholds, first.Thresholds)
		}
	}
}
