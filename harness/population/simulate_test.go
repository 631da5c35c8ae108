package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"infnet/harness/policy"
)

// simulate draws n records with classes of masses p, β ~ U(0,1), a student that
// errs with probability 1−δ_kβ and a master that errs with probability m,
// independently (m < 0: in the same records as the student, half of the time).
func simulate(seed uint64, n int, p, delta []float64, m float64) policy.Records {
	rng := rand.New(rand.NewPCG(seed, 11))
	r := policy.Records{Classes: len(p)}
	for range n {
		k, u := 0, rng.Float64()
		for u >= p[k] && k+1 < len(p) {
			u -= p[k]
			k++
		}
		beta, es, em := rng.Float64(), 0.0, 0.0
		if rng.Float64() < 1-delta[k]*beta {
			es = 1
		}
		if m >= 0 && rng.Float64() < m || m < 0 && es == 1 && rng.IntN(2) == 0 {
			em = 1
		}
		r.Class, r.Beta = append(r.Class, k), append(r.Beta, beta)
		r.Student, r.Master = append(r.Student, es), append(r.Master, em)
	}
	return r
}

func target(t *testing.T, s string) policy.Target {
	t.Helper()
	out, err := policy.ParseTarget(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// β ~ U(0,1), ε = 1−β, ξ = .9 from 100,000 records: θ* = .5527864045. The error
// of accepting from θ* on is a mean of N coins of probability b, so
//
//	se(θ̂) = √(b(1−b)/N) / (ε(θ*)·f(θ*)) = √(.09/N)/.4472 = .00212
//
// The estimates that can represent the truth come within 4 standard errors. A
// logistic curve is not a line: fitted to ε = 1−β itself, an endless sample, it gives θ = .54127
// (logistic loss minimised by BFGS over 200 Gauss nodes, brentq, SciPy 1.17.1), and must come
// within 4 standard errors of that.
func TestSimulatedSingleWithinSamplingError(t *testing.T) {
	const n = 100_000
	r := simulate(1, n, []float64{1}, []float64{1}, 0)
	r.Master = nil
	se := math.Sqrt(.09/n) / math.Sqrt(.2)
	for _, m := range Methods() {
		sol, err := FitSingle(r, Options{Setting: policy.Oracle, Target: target(t, "0.9"), Method: m})
		if err != nil {
			t.Fatal(err)
		}
		want := .5527864045
		if m == BetaLogistic {
			want = 0.5412698344535898
		}
		z := (sol.Thresholds[0] - want) / se
		if math.Abs(z) > 4 || !sol.Feasible || math.Abs(sol.Error-.1) > 1e-9 {
			t.Errorf("%s: θ = %v, %.1f standard errors from %v (error %v)", m, sol.Thresholds[0], z, want, sol.Error)
		}
	}
}

// outcome counts what a solution does on records.
func outcome(t *testing.T, r policy.Records, sol Solution) policy.Outcome {
	t.Helper()
	out, err := r.Outcome(policy.Policy{Thresholds: sol.Thresholds}.Decide(r))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every method of both kinds copes with small and ugly records.
func TestMethodsOnUglyRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	r := simulate(4, 60, []float64{.5, .3, .2}, []float64{1, .6, .3}, .1)
	for i := range r.Beta {
		switch r.Class[i] {
		case 1:
			r.Beta[i] = .7 // no spread
		case 2:
			r.Beta[i] = float64(rng.IntN(3)) / 2 // 0, ½, 1
			r.Student[i] = 1
		}
	}
	r.Classes = 5                         // two of them never predicted
	r.Student[0], r.Master[1] = .25, .125 // soft
	for _, single := range []bool{false, true} {
		for _, name := range []string{"best", "master", "student", "min", "0.5", "1"} {
			exact, estimate := policy.FitMulti, FitMulti
			if single {
				exact, estimate = policy.FitSingle, FitSingle
			}
			best, err := exact(r, policy.Options{Target: target(t, name)})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range Methods() {
				o := Options{Target: target(t, name), Method: m, Stream: func(int) *rand.Rand { return rng }}
				s, err := estimate(r, o)
				if err != nil {
					t.Fatalf("%s, target %s: %v", m, name, err)
				}
				if math.IsNaN(s.Error+s.Deferred+s.Level) || s.Deferred < 0 || s.Deferred > 1 || s.LowerBound > s.Deferred {
					t.Errorf("%s, target %s: %+v", m, name, s)
				}
				if s.Feasible && s.Error > s.Budget+1e-9 {
					t.Errorf("%s, target %s: error %v of %v", m, name, s.Error, s.Budget)
				}
				if want := map[bool]int{false: 5, true: 1}[single]; len(s.Thresholds) != want {
					t.Errorf("%d thresholds, want %d", len(s.Thresholds), want)
				}
				if m == BetaLogistic && len(s.Fit) == 0 {
					t.Errorf("%s: the fit was not tested", m)
				}
				out := outcome(t, r, s)
				if best.Feasible && out.Error.Units <= best.Budget.Errors.Units && out.Deferred < best.FitDeferred {
					t.Errorf("%s, target %s: within the budget with %d deferrals, the optimum has %d", m, name, out.Deferred,
						best.FitDeferred)
				}
				if name == "student" && s.Deferred != 0 {
					t.Errorf("%s: the student's error is met by accepting everything, yet %v is deferred", m, s.Deferred)
				}
				if name == "min" && !s.Feasible {
					t.Errorf("%s: the least error is infeasible", m)
				}
			}
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	r := simulate(6, 20, []float64{1}, []float64{1}, .1)
	bad := r
	bad.Beta = append([]float64{math.NaN()}, r.Beta[1:]...)
	free := r
	free.MasterCost = make([]float64, 20)
	alone := r
	alone.Master = nil
	for name, tc := range map[string]struct {
		r policy.Records
		o Options
	}{
		"NaN":            {r: bad},
		"free master":    {r: free},
		"no master":      {r: alone},
		"oracle by name": {r: r, o: Options{Setting: policy.Oracle}},
		"no records":     {r: policy.Records{}},
	} {
		if _, err := FitMulti(tc.r, tc.o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
