package guarantee

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"infnet/harness/policy"
	"infnet/harness/policy/chain"
)

// relay is a population of chains: confidences uniform on [0,1] and independent,
// model m wrong with probability 1 − δ_m·β_m, the last with probability last.
type relay struct {
	delta []float64
	last  float64
}

func (w relay) draw(rng *rand.Rand, n int) chain.Records {
	models := len(w.delta) + 1
	r := chain.Records{Beta: make([][]float64, models-1), Err: make([][]float64, models),
		Cost: []float64{1, 4, 20, 60}[:models]}
	toss := func(p float64) float64 {
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
	for range n {
		for m, d := range w.delta {
			beta := rng.Float64()
			r.Beta[m], r.Err[m] = append(r.Beta[m], beta), append(r.Err[m], toss(1-d*beta))
		}
		r.Err[models-1] = append(r.Err[models-1], toss(w.last))
	}
	return r
}

// risk is the error of thresholds, in closed form: model m answers where those
// before it defer, and errs on ∫_θ^1 1 − δβ dβ = (1−θ) − δ(1−θ²)/2.
func (w relay) risk(theta policy.Thresholds) float64 {
	reaches, risk := 1.0, 0.0
	for m, d := range w.delta {
		t := min(theta[m], 1)
		risk += reaches * ((1 - t) - d*(1-t*t)/2)
		reaches *= t
	}
	return risk + reaches*w.last
}

// The promises of chains hold, where promises read off the fit do not.
// `just guarantees` runs 2,000 repetitions at three sizes.
func TestGuaranteesHoldForChains(t *testing.T) {
	sizes := []int{400}
	more := 3.0
	if *repetitions >= 1000 {
		sizes, more = []int{200, 600, 2000}, 2
	}
	three, four := relay{delta: []float64{.9, .97}, last: .05}, relay{delta: []float64{.8, .9, .97}, last: .05}
	var table strings.Builder
	fmt.Fprintf(&table, "| promise (δ = %g) | N | repetitions | certified | broken | plain fit: broken |\n"+
		"|---|---:|---:|---:|---:|---:|\n",
		DefaultDelta)
	plain := 0.0
	for i, p := range []struct {
		name   string
		truth  relay
		target string
		level  float64 // of the true error
		g      Terms
	}{
		{"error ≤ 0.12, three models", three, "0.88", .12, Terms{}},
		{"excess over master ≤ 0.05, three models (betting)", three, "master", .10, Terms{Margin: .05}},
		{"excess over best ≤ 0.05, three models (betting)", three, "best", .10, Terms{Margin: .05}},
		{"error ≤ 0.12, four models", four, "0.88", .12, Terms{}},
	} {
		target, err := policy.ParseTarget(p.target)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range sizes {
			reps := *repetitions
			if reps < 1000 { // chains take long
				reps /= 2
			}
			if len(p.truth.delta) > 2 { // found by descent, which takes long
				if n > 600 {
					continue
				}
				reps = (reps + 3) / 4
			}
			line := DefaultDelta + more*math.Sqrt(DefaultDelta*(1-DefaultDelta)/float64(reps))
			rng := rand.New(rand.NewPCG(uint64(120+i), uint64(n)))
			var certified, broken, unproven float64
			for range reps {
				r := p.truth.draw(rng, n)
				got, err := FitChain(r, halves(n), policy.Options{Target: target}, p.g)
				if err != nil {
					t.Fatal(err)
				}
				if got.Certified {
					certified++
					if p.truth.risk(got.Policy.Thresholds) > p.level+1e-12 {
						broken++
					}
				}
				if p.g.Margin > 0 {
					continue
				}
				free, err := chain.Fit(r, policy.Options{Target: target})
				if err != nil {
					t.Fatal(err)
				}
				if p.truth.risk(free.Thresholds) > p.level {
					unproven++
				}
			}
			all := float64(reps)
			if broken/all > line {
				t.Errorf("%s, %d records: %.1f %% broken, the line is %.1f %%", p.name, n, 100*broken/all, 100*line)
			}
			if n >= 400 && certified < all/4 {
				t.Errorf("%s, %d records: %v of %v certified: the test has no power", p.name, n, certified, reps)
			}
			plain = max(plain, unproven/all)
			free := "–"
			if p.g.Margin == 0 {
				free = percent(unproven / all)
			}
			fmt.Fprintf(&table, "| %s | %d | %d | %s | %s | %s |\n", p.name, n, reps,
				percent(certified/all), percent(broken/all), free)
		}
	}
	if plain <= .2 {
		t.Errorf("plain fits break at most %.1f %%: the simulation does not show what it should", 100*plain)
	}
	t.Log("\n" + table.String())
	if *simOut != "" {
		if err := os.WriteFile(*simOut+".chains", []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The candidates are fitted to half A alone: other records in half B change the
// tests, not what is tested. And what falls back is the reference itself.
func TestChainsProposeFromHalfA(t *testing.T) {
	w := relay{delta: []float64{.9, .97}, last: .05}
	r := w.draw(rand.New(rand.NewPCG(3, 3)), 400)
	h := halves(400)
	number, err := policy.ParseTarget("0.85")
	if err != nil {
		t.Fatal(err)
	}
	first, err := FitChain(r, h, policy.Options{Target: number}, Terms{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range h.Test {
		r.Err[0][i], r.Beta[1][i] = 1, .5
	}
	second, err := FitChain(r, h, policy.Options{Target: number}, Terms{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first.Tests[0].Thresholds, second.Tests[0].Thresholds) {
		t.Errorf("half B changes the first candidate: %v, %v", first.Tests[0].Thresholds, second.Tests[0].Thresholds)
	}
	inf := math.Inf(1)
	strict, err := policy.ParseTarget("0.999")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name      string
		o         policy.Options
		errs      [3]float64 // of every answer in half A
		reference string
		want      policy.Thresholds // of the reference alone
	}{
		{"master", policy.Options{Target: policy.Master}, [3]float64{1, 1, 0}, "master", policy.Thresholds{inf, inf}},
		{"the middle one is best", policy.Options{Target: policy.Best}, [3]float64{1, 0, 1}, "model 2",
			policy.Thresholds{inf, 0}},
		{"the first one is best", policy.Options{Target: policy.Best}, [3]float64{0, 1, 1}, "student",
			policy.Thresholds{0, 0}},
		{"student", policy.Options{Target: policy.Student}, [3]float64{1, 0, 0}, "student", policy.Thresholds{0, 0}},
		{"oracle", policy.Options{Setting: policy.Oracle, Target: strict}, [3]float64{1, 1, 1}, "",
			policy.Thresholds{inf, inf}},
	} {
		for m, e := range tc.errs {
			for i := range r.Err[m] {
				r.Err[m][i] = e
			}
			for _, i := range h.Test { // all candidates fail there
				r.Err[m][i] = 1
			}
		}
		got, err := FitChain(r, h, tc.o, Terms{Margin: map[bool]float64{true: .01}[tc.reference != ""]})
		if err != nil {
			t.Fatal(err)
		}
		if got.Reference != tc.reference || !got.Certified || !got.Untested || !slices.Equal(got.Policy.Thresholds, tc.want) {
			t.Errorf("%s: %v of %q, certified %t, untested %t; want %v of %q without a test", tc.name, got.Policy.Thresholds,
				got.Reference, got.Certified, got.Untested, tc.want, tc.reference)
		}
	}
}

func TestFitChainRefuses(t *testing.T) {
	r := relay{delta: []float64{.9, .97}, last: .05}.draw(rand.New(rand.NewPCG(4, 4)), 8)
	for _, tc := range []struct {
		name string
		h    Halves
		g    Terms
		want string
	}{
		{"on average", halves(8), Terms{Method: ConformalRisk, Margin: .1}, `use "ltt"`},
		{"groups without a bound", Halves{Propose: []int{0, 1}, Test: []int{2, 3}, Cluster: []int{0, 0, 1, 1, 2, 2, 3, 3}},
			Terms{Margin: .1}, "say in max_cluster"},
		{"nothing proposes", Halves{Test: []int{2, 3}}, Terms{Margin: .1}, "0 records to propose"},
		{"no margin", halves(8), Terms{}, "margin 0"},
	} {
		if _, err := FitChain(r, tc.h, policy.Options{Target: policy.Master}, tc.g); err == nil ||
			!strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", tc.name, err, tc.want)
		}
	}
}
