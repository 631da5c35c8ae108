package guarantee

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/policy"
)

func close10(a, b float64) bool { return math.Abs(a-b) <= 1e-10*max(1, math.Abs(b)) }

// Expected values: scipy 1.17.1, binom.cdf(k, n, alpha).
func TestBinomialPValue(t *testing.T) {
	for _, tc := range []struct {
		k, n  int
		alpha float64
		want  float64
	}{
		{k: 0, n: 59, alpha: .05, want: 0.04849452524942322},
		{k: 3, n: 200, alpha: .05, want: 0.009048376396101461},
		{k: 120, n: 1600, alpha: .1, want: 0.0003186242913848948},
		{k: 27, n: 3200, alpha: .01, want: 0.2149554064054297},
		{k: 5, n: 5, alpha: .1, want: 1},
		{k: 0, n: 5, alpha: 0, want: 1}, // no number of records shows a rate of zero
		{k: 5, n: 5, alpha: 1, want: 0}, // no rate is above one
	} {
		if got := binomialPValue(tc.k, tc.n, tc.alpha); !close10(got, tc.want) {
			t.Errorf("binomialPValue(%d, %d, %v) = %v, want %v", tc.k, tc.n, tc.alpha, got, tc.want)
		}
	}
}

// Expected values: the formula in Python with scipy 1.17.1.
func TestHoeffdingBentkus(t *testing.T) {
	for _, tc := range []struct {
		sum   float64
		n     int
		alpha float64
		want  float64
	}{
		{sum: 3.5, n: 200, alpha: .05, want: 0.05310096715811318},
		{sum: 0, n: 100, alpha: .05, want: 0.005920529220334054},
		{sum: 40.2, n: 800, alpha: .08, want: 0.0026404026858866986},
		{sum: 100, n: 1000, alpha: .1, want: 1},
		{sum: 1, n: 10, alpha: 0, want: 1},
	} {
		if got := hoeffdingBentkus(tc.sum, tc.n, tc.alpha); !close10(got, tc.want) {
			t.Errorf("hoeffdingBentkus(%v, %d, %v) = %v, want %v", tc.sum, tc.n, tc.alpha, got, tc.want)
		}
	}
}

// By hand, a = 0.51 and δ = 0.05: the first stake is capped at ½/0.49 = 1.02041
// (uncapped: sqrt(2 ln 20)/½ = 4.9), so x = 0 makes the capital
// 1 + 1.02041·0.51 = 1.52041.
func TestBettingPValueByHand(t *testing.T) {
	if got, want := bettingPValue([]float64{0}, .51, .05, .5), 1/(1+.5/.49*.51); !close10(got, want) {
		t.Errorf("p = %v, want %v", got, want)
	}
	if got := bettingPValue([]float64{1, 1, 1}, .51, .05, .5); got != 1 {
		t.Errorf("p = %v for losses alone, want 1", got)
	}
	equal := slices.Repeat([]float64{.5}, 3200) // no excess
	if got := bettingPValue(equal, .505, .05, .5); got > .001 {
		t.Errorf("p = %v for 3,200 records without any excess at a margin of 0.01: want almost none", got)
	}
}

func TestGuaranteeCheck(t *testing.T) {
	number, err := policy.ParseTarget("0.9")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		o    policy.Options
		g    Terms
		want string // part of the error; "" = fine
	}{
		{name: "number", o: policy.Options{Target: number}},
		{name: "number with a margin", o: policy.Options{Target: number}, g: Terms{Margin: .01},
			want: "leave the margin out"},
		{name: "master without a margin", o: policy.Options{Target: policy.Master}, want: "allow an excess"},
		{name: "master with a margin", o: policy.Options{Target: policy.Master}, g: Terms{Margin: .01}},
		{name: "a negative cluster", o: policy.Options{Target: number}, g: Terms{MaxCluster: -1}, want: "max_cluster"},
		{name: "min", o: policy.Options{Target: policy.Min}, g: Terms{Margin: .01}, want: "no reference"},
		{name: "delta of 1", o: policy.Options{Target: number}, g: Terms{Delta: 1}, want: "in (0,1)"},
		{name: "delta NaN", o: policy.Options{Target: number}, g: Terms{Delta: math.NaN()}, want: "in (0,1)"},
		{name: "unknown method", o: policy.Options{Target: number}, g: Terms{Method: "pac"}, want: "guarantee method"},
		{name: "oracle without a number", o: policy.Options{Setting: policy.Oracle, Target: policy.Master},
			g: Terms{Margin: .1}, want: "agreement with the master"},
		{name: "crc against the master", o: policy.Options{Target: policy.Master},
			g: Terms{Method: ConformalRisk, Margin: .05}},
		{name: "crc with delta", o: policy.Options{Target: policy.Master},
			g: Terms{Method: ConformalRisk, Margin: .05, Delta: .1}, want: "on average"},
		{name: "crc at a number", o: policy.Options{Target: number}, g: Terms{Method: ConformalRisk}, want: "not monotone"},
		{name: "crc at a number, oracle", o: policy.Options{Setting: policy.Oracle, Target: number},
			g: Terms{Method: ConformalRisk}},
		{name: "crc against best", o: policy.Options{}, g: Terms{Method: ConformalRisk, Margin: .05}, want: "regret"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.g.Check(tc.o)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

// world draws n records of k classes: β uniform with some ties, a student that
// errs less the surer it is, by class, and a master that errs in proportion.
func world(rng *rand.Rand, n, k int, soft bool) policy.Records {
	r := policy.Records{Classes: k}
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

func halves(n int) Halves {
	h := Halves{}
	for i := range n {
		if i%2 == 0 {
			h.Propose = append(h.Propose, i)
		} else {
			h.Test = append(h.Test, i)
		}
	}
	return h
}

func TestCertify(t *testing.T) {
	r := world(rand.New(rand.NewPCG(11, 11)), 4000, 5, false)
	number, err := policy.ParseTarget("0.8")
	if err != nil {
		t.Fatal(err)
	}
	perfect, err := policy.ParseTarget("1")
	if err != nil {
		t.Fatal(err)
	}
	oracle := r
	oracle.Master = nil
	for _, tc := range []struct {
		name                string
		r                   policy.Records
		o                   policy.Options
		g                   Terms
		certified, untested bool
		reference           string
		test                PValue
	}{
		{name: "number", r: r, o: policy.Options{Target: number}, certified: true, test: Binomial},
		{name: "out of reach", r: r, o: policy.Options{Target: perfect}, test: Binomial},
		{name: "oracle, out of reach but for deferring everything", r: oracle,
			o: policy.Options{Setting: policy.Oracle, Target: perfect}, certified: true, untested: true, test: Binomial},
		{name: "master", r: r, o: policy.Options{Target: policy.Master}, g: Terms{Margin: .03}, certified: true,
			reference: "master", test: Betting},
		{name: "best is the master here", r: r, g: Terms{Margin: .03}, certified: true, reference: "master", test: Betting},
		{name: "a margin too small for these records", r: r, o: policy.Options{Target: policy.Master}, g: Terms{Margin: 1e-4},
			certified: true, untested: true, reference: "master", test: Betting},
		{name: "the student needs no test", r: r, o: policy.Options{Target: policy.Student}, g: Terms{Margin: .01},
			certified: true, untested: true, reference: "student"},
		{name: "on average", r: r, o: policy.Options{Target: policy.Master}, g: Terms{Method: ConformalRisk, Margin: .05},
			certified: true, reference: "master"},
	} {
		for name, fit := range map[string]func(policy.Records, Halves, policy.Options, Terms) (Result,
			error){"single": FitSingle, "multi": FitMulti} {
			t.Run(tc.name+"/"+name, func(t *testing.T) {
				got, err := fit(tc.r, halves(4000), tc.o, tc.g)
				if err != nil {
					t.Fatal(err)
				}
				if got.Certified != tc.certified || got.Untested != tc.untested || got.Reference != tc.reference ||
					got.PValue != tc.test {
					t.Errorf("certified %t, untested %t, reference %q, test %q: want %t, %t, %q, %q", got.Certified, got.Untested,
						got.Reference, got.PValue, tc.certified, tc.untested, tc.reference, tc.test)
				}
				if got.Proposed != 2000 || got.Tested != 2000 || got.Policy.N != 4000 {
					t.Errorf("records %d + %d, the policy over %d", got.Proposed, got.Tested, got.Policy.N)
				}
				out, err := tc.r.Outcome(got.Policy.Decide(tc.r))
				if err != nil || out.Deferred != got.Policy.FitDeferred || out.Error != got.Policy.FitError {
					t.Errorf("policy %+v comes to %+v (%v)", got.Policy, out, err)
				}
				last := len(got.Policy.Warnings) - 1
				if warned := last >= 0 && got.Policy.Warnings[last].Kind == Uncertified; warned == tc.certified {
					t.Errorf("warnings %v, certified %t", got.Policy.Warnings, tc.certified)
				}
				deferred := tc.r.Len() + 1
				for _, tested := range got.Tests {
					if d := (policy.Policy{Thresholds: tested.Thresholds}).Decide(tc.r).Deferred(); d > deferred {
						t.Errorf("the path turns back: %d deferred after %d", d, deferred)
					} else {
						deferred = d
					}
				}
				if len(got.Tests) > maxCandidates+1 {
					t.Errorf("%d candidates tested", len(got.Tests))
				}
			})
		}
	}
}

// What half B says cannot change the candidates, and what half A says can
// change nothing but them.
func TestHalvesDoTheirOwnWork(t *testing.T) {
	r := world(rand.New(rand.NewPCG(12, 12)), 4000, 3, false)
	h := halves(4000)
	o := policy.Options{Target: policy.Master}
	g := Terms{Margin: .05}
	base, err := FitMulti(r, h, o, g)
	if err != nil {
		t.Fatal(err)
	}
	flipped := r
	flipped.Student = slices.Clone(r.Student)
	for _, i := range h.Test {
		flipped.Student[i] = 1 - r.Student[i]
	}
	got, err := FitMulti(flipped, h, o, g)
	if err != nil {
		t.Fatal(err)
	}
	for i := range min(len(base.Tests), len(got.Tests)) {
		if !slices.Equal(base.Tests[i].Thresholds, got.Tests[i].Thresholds) {
			t.Fatalf("candidate %d changed with the records that test it", i)
		}
	}
	if slices.Equal(got.Policy.Thresholds, base.Policy.Thresholds) {
		t.Error("turning half B round changed nothing")
	}
}

func TestCertifyRefuses(t *testing.T) {
	r := world(rand.New(rand.NewPCG(13, 13)), 10, 2, false)
	number, err := policy.ParseTarget("0.9")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		r    policy.Records
		h    Halves
		want string
	}{
		{name: "no records to test on", r: r, h: Halves{Propose: []int{1}}, want: "both need some"},
		{name: "a record outside", r: r, h: Halves{Propose: []int{1}, Test: []int{10}}, want: "record 10"},
		{name: "a record twice", r: r, h: Halves{Propose: []int{1, 2}, Test: []int{3, 2}}, want: "record 2"},
		{name: "no records", r: policy.Records{}, h: halves(2), want: "no records"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := FitSingle(tc.r, tc.h, policy.Options{Target: number}, Terms{})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

// Soft errors are tested by Hoeffding–Bentkus, and by betting on their differences.
func TestCertifySoftErrors(t *testing.T) {
	r := world(rand.New(rand.NewPCG(14, 14)), 4000, 3, true)
	number, err := policy.ParseTarget("0.4")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		o    policy.Options
		g    Terms
		test PValue
	}{
		{o: policy.Options{Target: number}, test: HoeffdingBentkus},
		{o: policy.Options{Target: policy.Master}, g: Terms{Margin: .05}, test: Betting},
	} {
		got, err := FitMulti(r, halves(4000), tc.o, tc.g)
		if err != nil || !got.Certified || got.Untested || got.PValue != tc.test {
			t.Errorf("%+v: certified %t, untested %t, test %q (%v): want a certificate by %q", tc.g, got.Certified, got.Untested,
				got.PValue, err, tc.test)
		}
	}
}

// One threshold by conformal risk control is the smallest that satisfies its
// inequality, by trying all.
func TestConformalSingleIsSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		soft := rapid.Bool().Draw(t, "soft")
		levels := rapid.IntRange(1, 12).Draw(t, "levels")
		draw := func(name string) float64 {
			if soft {
				return float64(rapid.IntRange(0, 7).Draw(t, name)) / 7
			}
			return float64(rapid.IntRange(0, 1).Draw(t, name))
		}
		var r policy.Records
		for range rapid.IntRange(1, 14).Draw(t, "n") {
			r.Beta = append(r.Beta, float64(rapid.IntRange(0, levels).Draw(t, "beta"))/float64(levels))
			r.Student, r.Master = append(r.Student, draw("student")), append(r.Master, draw("master"))
		}
		hundredths := rapid.IntRange(1, 99).Draw(t, "margin")
		h := Halves{}
		for i := range r.Beta {
			h.Test = append(h.Test, i)
		}
		got, err := FitSingle(r, h, policy.Options{Target: policy.Master},
			Terms{Method: ConformalRisk, Margin: float64(hundredths) / 100})
		if err != nil {
			t.Fatal(err)
		}
		want := math.Inf(1)
		candidates := slices.Compact(slices.Sorted(slices.Values(r.Beta)))
		candidates[0] = 0
		for _, theta := range append(candidates, want) {
			sum := 0.0
			for i, b := range r.Beta {
				if b >= theta {
					sum += math.RoundToEven(max(0, r.Student[i]-r.Master[i]) * (1 << 32))
				}
			}
			if 100*(sum+1<<32) <= float64(hundredths*(r.Len()+1))*(1<<32) { // whole numbers below 2⁵³
				want = min(want, theta)
			}
		}
		if got.Policy.Thresholds[0] != want {
			t.Fatalf("%+v margin %d/100: θ = %v, want %v", r, hundredths, got.Policy.Thresholds, want)
		}
	})
}

// What is promised relative to a model is its errors and the margin on each record: 3 errors and 0.02 of 100 records.
func TestBudgetOfAPromise(t *testing.T) {
	g := Result{Promise: Promise{Level: 0.02, Reference: policy.Master.String()}}
	g.Policy.N, g.Policy.Budget.Errors.Scale, g.Policy.MasterError.Units = 100, 10, 30
	if g.settle(&g.Policy, 30); g.Policy.Budget.Errors.Units != 50 || !g.Policy.Feasible {
		t.Errorf("%d tenths, feasible %v, want 50", g.Policy.Budget.Errors.Units, g.Policy.Feasible)
	}
}
