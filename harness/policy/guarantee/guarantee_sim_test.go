package guarantee

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"infnet/harness/policy"
)

var (
	repetitions = flag.Int("repetitions", 50, "repetitions of the guarantee simulation; its pass line is stated for 2000")
	simOut      = flag.String("simulation-out", "", "write the guarantee simulation's table to this file")
)

// truth is a population with known risks: class k with probability share[k],
// β uniform, the student wrong with probability 1 − δ_k·β, the master with
// probability master, independently.
type truth struct {
	share, delta []float64
	master       float64
}

func (w truth) draw(rng *rand.Rand, n int, oracle bool) policy.Records {
	r := policy.Records{
		Classes: len(w.share), Class: make([]int, n), Beta: make([]float64, n), Student: make([]float64,
			n), Master: make([]float64, n),
	}
	for i := range n {
		u := rng.Float64()
		k := 0
		for ; k < len(w.share)-1 && u >= w.share[k]; k++ {
			u -= w.share[k]
		}
		r.Class[i], r.Beta[i] = k, rng.Float64()
		if rng.Float64() < 1-w.delta[k]*r.Beta[i] {
			r.Student[i] = 1
		}
		if rng.Float64() < w.master {
			r.Master[i] = 1
		}
	}
	if oracle {
		r.Master = nil
	}
	return r
}

// risk returns error, deferral and regret of thresholds, in closed form:
//
//	∫_θ^1 1 − δβ dβ = (1−θ) − δ(1−θ²)/2
func (w truth) risk(t policy.Thresholds) (errorRate, deferral, regret float64) {
	for k, p := range w.share {
		theta := t[0]
		if len(t) > 1 {
			theta = t[k]
		}
		theta = min(theta, 1)
		student := (1 - theta) - w.delta[k]*(1-theta*theta)/2
		errorRate += p * (student + w.master*theta)
		deferral += p * theta
		regret += p * student * (1 - w.master)
	}
	return errorRate, deferral, regret
}

// ideal returns the least deferral that keeps the true risk at most level,
// with one threshold.
func (w truth) ideal(risk func(policy.Thresholds) float64, level float64) float64 {
	for i := range 20001 {
		if t := float64(i) / 20000; risk(policy.Thresholds{t}) <= level {
			return t
		}
	}
	return math.NaN()
}

// promise is one row of the simulation.
type promise struct {
	name   string
	truth  truth
	target string
	oracle bool
	multi  bool
	g      Terms
}

func promises() []promise {
	plain := truth{share: []float64{1}, delta: []float64{1}, master: 0.05}
	return []promise{
		{name: "error ≤ 0.10 (binomial)", truth: plain, target: "0.9"},
		{name: "error ≤ 0.10, least possible 0.095", truth: truth{share: []float64{1}, delta: []float64{1}, master: 0.1},
			target: "0.9"},
		{name: "error ≤ 0.20, out of reach (0.21)", truth: truth{share: []float64{1}, delta: []float64{0.85}, master: 0.215},
			target: "0.8"},
		{name: "oracle: disagreement ≤ 0.10", truth: plain, target: "0.9", oracle: true},
		{name: "error ≤ 0.15, four classes", truth: truth{share: []float64{.4, .3, .2, .1}, delta: []float64{1, .9, .8, .95},
			master: 0.1}, target: "0.85", multi: true},
		{name: "error ≤ 0.20, ten classes", truth: ten(), target: "0.8", multi: true},
		{name: "excess over master ≤ 0.02 (betting)", truth: plain, target: "master", g: Terms{Margin: 0.02}},
		{name: "excess over master ≤ 0.02 (regret)", truth: plain, target: "master", g: Terms{Margin: 0.02, PValue: Regret}},
		{name: "excess over best ≤ 0.05 (betting), four classes", truth: truth{share: []float64{.4, .3, .2, .1},
			delta: []float64{1, .9, .8, .95}, master: 0.1}, target: "best", multi: true, g: Terms{Margin: 0.05}},
	}
}

// ten are ten classes, some rare, with a master little better than the target
// of 0.20: the case where choosing among many thresholds misleads most.
func ten() truth {
	w := truth{master: 0.2}
	for k := range 10 {
		w.share = append(w.share, []float64{.2, .2, .15, .1, .1, .05, .05, .05, .05, .05}[k])
		w.delta = append(w.delta, 1-float64(k)/50)
	}
	return w
}

// tally is what became of a promise at one number of records.
type tally struct {
	certified                  int
	plain, naive, ltt          int     // promises broken
	deferPlain, deferCertified float64 // summed
	ideal                      float64
}

func (p promise) level() float64 {
	if p.g.Margin > 0 {
		return p.g.Margin
	}
	target, err := policy.ParseTarget(p.target)
	if err != nil {
		panic(err)
	}
	xi, _ := target.Numeric()
	v, _ := xi.Float64()
	return 1 - v
}

// excess returns the true risk the promise speaks of.
func (p promise) excess(t policy.Thresholds) float64 {
	w := p.truth
	if p.oracle {
		w.master = 0
	}
	e, _, _ := w.risk(t)
	if p.g.Margin > 0 {
		e -= w.master
	}
	return e
}

func (p promise) run(t *testing.T, n, reps int, seed uint64) tally {
	target, err := policy.ParseTarget(p.target)
	if err != nil {
		t.Fatal(err)
	}
	o := policy.Options{Target: target}
	if p.oracle {
		o.Setting = policy.Oracle
	}
	var out tally
	out.ideal = p.truth.ideal(p.excess, p.level())
	all, h := make([]int, n), Halves{}
	for i := range all {
		all[i] = i
	}
	h.Propose, h.Test = all[:n/2], all[n/2:]
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	level := p.level() + 1e-12
	for range reps {
		r := p.truth.draw(rng, n, p.oracle)
		fit := policy.FitSingle
		if p.multi {
			fit = policy.FitMulti
		}
		plain, err := fit(r, o)
		if err != nil {
			t.Fatal(err)
		}
		if p.excess(plain.Thresholds) > level {
			out.plain++
		}
		_, d, _ := p.truth.risk(plain.Thresholds)
		out.deferPlain += d

		j, err := newCertification(r, h, o, p.g.withDefaults(), !p.multi)
		if err != nil {
			t.Fatal(err)
		}
		got, err := j.run()
		if err != nil {
			t.Fatal(err)
		}
		if got.Certified {
			out.certified++
			_, d, _ := p.truth.risk(got.Policy.Thresholds)
			out.deferCertified += d
			if p.excess(got.Policy.Thresholds) > level {
				out.ltt++
			}
		}
		// The naive version: the same records propose, order and test.
		j.divide(r, r)
		if got, err = j.run(); err != nil {
			t.Fatal(err)
		}
		if got.Certified && p.excess(got.Policy.Thresholds) > level {
			out.naive++
		}
	}
	return out
}

// percent is a share for a table; – where it is not defined.
func percent(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*v)
}

// Promises hold at their rate where candidates and tests use different
// records, and do not where they use the same. `just guarantees` runs 2,000
// repetitions at four sizes, which GUARANTEES.md records.
func TestGuaranteesHold(t *testing.T) {
	sizes := []int{200, 600}
	if *repetitions >= 1000 {
		sizes = []int{200, 600, 2000, 6000}
	}
	reps := float64(*repetitions)
	line := DefaultDelta + 2*math.Sqrt(DefaultDelta*(1-DefaultDelta)/reps)
	if *repetitions < 1000 {
		line += math.Sqrt(DefaultDelta * (1 - DefaultDelta) / reps) // many rows, few repetitions: three standard errors
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| promise (δ = %g) | N | certified | broken | naive: broken | plain fit: broken | deferred, "+
		"certified | plain fit | ideal |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n", DefaultDelta)
	naive := 0.0
	for i, p := range promises() {
		for _, n := range sizes {
			got := p.run(t, n, *repetitions, uint64(i))
			if rate := float64(got.ltt) / reps; rate > line {
				t.Errorf("%s, N = %d: %.1f %% of promises broken, the pass line is %.1f %%", p.name, n, 100*rate, 100*line)
			}
			naive = max(naive, float64(got.naive)/reps)
			fmt.Fprintf(&table, "| %s | %d | %s | %s | %s | %s | %s | %s | %s |\n", p.name, n,
				percent(float64(got.certified)/reps), percent(float64(got.ltt)/reps),
				percent(float64(got.naive)/reps), percent(float64(got.plain)/reps),
				percent(got.deferCertified/float64(got.certified)), percent(got.deferPlain/reps), percent(got.ideal))
		}
	}
	if naive <= line {
		t.Errorf("the naive version broke at most %.1f %% of its promises: the simulation does not show what it should",
			100*naive)
	}
	t.Log("\n" + table.String())
	if *simOut != "" {
		if err := os.WriteFile(*simOut, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Conformal risk control keeps its promise on average: the true regret of the
// thresholds it takes, averaged over draws of the records.
func TestConformalRiskHoldsOnAverage(t *testing.T) {
	reps := 4 * *repetitions
	var table strings.Builder
	fmt.Fprintf(&table, "| promise | N | mean true risk | standard error | deferred |\n|---|---:|---:|---:|---:|\n")
	four := truth{share: []float64{.4, .3, .2, .1}, delta: []float64{1, .9, .8, .95}, master: 0.1}
	for i, p := range []promise{
		{name: "regret ≤ 0.05", truth: truth{share: []float64{1}, delta: []float64{1}, master: 0.05}, target: "master",
			g: Terms{Method: ConformalRisk, Margin: 0.05}},
		{name: "oracle: disagreement ≤ 0.10", truth: truth{share: []float64{1}, delta: []float64{1}}, target: "0.9",
			oracle: true, g: Terms{Method: ConformalRisk}},
		{name: "regret ≤ 0.05, four classes", truth: four, target: "master", multi: true,
			g: Terms{Method: ConformalRisk, Margin: 0.05}},
	} {
		for _, n := range []int{60, 200, 600} {
			target, err := policy.ParseTarget(p.target)
			if err != nil {
				t.Fatal(err)
			}
			o := policy.Options{Target: target}
			if p.oracle {
				o.Setting = policy.Oracle
			}
			h := Halves{}
			for i := range n {
				if p.multi && i < n/2 {
					h.Propose = append(h.Propose, i)
				} else {
					h.Test = append(h.Test, i)
				}
			}
			rng := rand.New(rand.NewPCG(uint64(100+i), uint64(n)))
			var sum, square, deferred float64
			for range reps {
				r := p.truth.draw(rng, n, p.oracle)
				j, err := newCertification(r, h, o, p.g.withDefaults(), !p.multi)
				if err != nil {
					t.Fatal(err)
				}
				got, err := j.run()
				if err != nil {
					t.Fatal(err)
				}
				_, d, regret := p.truth.risk(got.Policy.Thresholds)
				sum += regret
				square += regret * regret
				deferred += d
			}
			mean := sum / float64(reps)
			se := math.Sqrt(max(0, square/float64(reps)-mean*mean) / float64(reps))
			if mean > p.level()+3*se {
				t.Errorf("%s, N = %d: the mean risk is %.4f ± %.4f", p.name, n, mean, se)
			}
			if !p.multi && mean < p.level()/2 { // with several, half A fixes how far apart the steps are
				t.Errorf("%s, N = %d: the mean risk is %.4f: far from using what is allowed", p.name, n, mean)
			}
			fmt.Fprintf(&table, "| %s | %d | %.4f | %.4f | %.1f %% |\n", p.name, n, mean, se, 100*deferred/float64(reps))
		}
	}
	t.Log("\n" + table.String())
	if *simOut != "" {
		if err := os.WriteFile(*simOut+".crc", []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
