package guarantee

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"infnet/harness/policy"
)

var (
	repetitions = flag.Int("repetitions", 50, "repetitions of the simulations; their pass line is stated for 2000")
	simOut      = flag.String("simulation-out", "", "write the simulations' tables to files of this name")
)

// fate is what became of a way of making a promise on one draw of the records.
type fate struct {
	certified, broken, refused bool
	deferred                   float64 // truly, where it is certified
}

// way is a way of making promises: one that holds, or one that must be seen not to.
type way struct {
	name  string
	holds bool
}

// promise is a row of a simulation: draw makes n records, or clusters, and says what became of each way.
type promise struct {
	name string
	slow int // times fewer repetitions; 0 = 1
	draw func(rng *rand.Rand, n int) ([]fate, error)
}

// simulate draws every promise at every size: ways that hold break no more of their promises than δ, but for chance,
// and each other way does for one row at least. GUARANTEES.md records 2,000 repetitions, which look at `whole` sizes.
func simulate(t *testing.T, file string, seed uint64, ways []way, quick, whole []int, rows []promise) {
	t.Helper()
	sizes, errors := quick, 3.0
	if *repetitions >= 1000 {
		sizes, errors = whole, 2
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| promise (δ = %g) | N |", DefaultDelta)
	for _, w := range ways {
		fmt.Fprintf(&table, " %s: certified | broken | deferred |", w.name)
	}
	worst, most := make([]float64, len(ways)), 0.0
	for i, p := range rows {
		for _, n := range sizes {
			reps := float64(*repetitions / max(p.slow, 1))
			line := DefaultDelta + errors*math.Sqrt(DefaultDelta*(1-DefaultDelta)/reps)
			rng := rand.New(rand.NewPCG(seed+uint64(i), uint64(n)))
			certified, broken := make([]float64, len(ways)), make([]float64, len(ways))
			issued, deferred := slices.Repeat([]float64{reps}, len(ways)), make([]float64, len(ways))
			for range int(reps) {
				fates, err := p.draw(rng, n)
				if err != nil {
					t.Fatal(err)
				}
				for k, f := range fates {
					issued[k] -= one(f.refused)
					certified[k] += one(f.certified)
					broken[k] += one(f.certified && f.broken)
					deferred[k] += f.deferred * one(f.certified)
				}
			}
			fmt.Fprintf(&table, "\n| %s | %d |", p.name, n)
			for k, w := range ways {
				if w.holds && broken[k] > max(line*issued[k], 3) {
					t.Errorf("%s, N = %d, %s: %v of %v promises broken, the line is %.1f %%", p.name, n, w.name, broken[k],
						issued[k], 100*line)
				}
				if worst[k] = max(worst[k], broken[k]/reps-line); w.holds {
					most = max(most, certified[k]/reps)
				}
				fmt.Fprintf(&table, " %.1f %% | %.1f %% | %.1f %% |", 100*certified[k]/reps, 100*broken[k]/reps,
					100*deferred[k]/certified[k])
			}
		}
	}
	for k, w := range ways {
		if !w.holds && worst[k] <= 0 {
			t.Errorf("%s does not break its promises: the simulation does not show what it should", w.name)
		}
	}
	if most < .25 {
		t.Errorf("at most %.1f %% are certified: the test has no power", 100*most)
	}
	record(t, file, table.String())
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func record(t *testing.T, file, table string) {
	t.Log("\n" + table)
	if *simOut != "" {
		if err := os.WriteFile(*simOut+file, []byte(table+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// truth is a population with known risks: class k with probability share[k],
// β uniform, the student wrong with probability 1 − δ_k·β, the master with
// probability master, independently.
type truth struct {
	share, delta []float64
	master       float64
}

func (w truth) draw(rng *rand.Rand, n int, oracle bool) policy.Records {
	r := policy.Records{Classes: len(w.share)}
	for range n {
		u, k := rng.Float64(), 0
		for ; k < len(w.share)-1 && u >= w.share[k]; k++ {
			u -= w.share[k]
		}
		beta := rng.Float64()
		r.Class, r.Beta = append(r.Class, k), append(r.Beta, beta)
		r.Student = append(r.Student, one(rng.Float64() < 1-w.delta[k]*beta))
		r.Master = append(r.Master, one(rng.Float64() < w.master))
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

// bound is what is promised of a population.
type bound struct {
	truth  truth
	target string
	oracle bool
	multi  bool
	g      Terms
}

func (b bound) options() (policy.Options, float64) {
	target, err := policy.ParseTarget(b.target)
	if err != nil {
		panic(err)
	}
	o, level := policy.Options{Target: target}, b.g.Margin
	if xi, numeric := target.Numeric(); numeric {
		level = allowed(xi)
	}
	if b.oracle {
		o.Setting = policy.Oracle
	}
	return o, level
}

// fate of thresholds; nil = none were certified.
func (b bound) fate(certified bool, theta policy.Thresholds) fate {
	if theta == nil {
		return fate{}
	}
	w := b.truth
	if b.oracle {
		w.master = 0
	}
	risk, deferred, _ := w.risk(theta)
	if b.g.Margin > 0 {
		risk -= w.master
	}
	_, level := b.options()
	return fate{certified: certified, broken: risk > level+1e-12, deferred: deferred}
}

// draw certifies, certifies with records that propose, order and test, and fits without a promise.
func (b bound) draw(rng *rand.Rand, n int) ([]fate, error) {
	o, _ := b.options()
	var h Halves
	for i := range n {
		if i < n/2 {
			h.Propose = append(h.Propose, i)
		} else {
			h.Test = append(h.Test, i)
		}
	}
	r := b.truth.draw(rng, n, b.oracle)
	fit := policy.FitSingle
	if b.multi {
		fit = policy.FitMulti
	}
	plain, err := fit(r, o)
	if err != nil {
		return nil, err
	}
	j, err := newCertification(r, h, o, b.g.withDefaults(), !b.multi)
	if err != nil {
		return nil, err
	}
	got, err := j.run()
	if err != nil {
		return nil, err
	}
	j.a, j.b = r, r
	naive, err := j.run()
	return []fate{b.fate(got.Certified, got.Policy.Thresholds), b.fate(naive.Certified, naive.Policy.Thresholds),
		b.fate(true, plain.Thresholds)}, err
}

// Promises hold at their rate where candidates and tests use different records, and not where they use the same.
func TestGuaranteesHold(t *testing.T) {
	plain := truth{share: []float64{1}, delta: []float64{1}, master: 0.05}
	four := truth{share: []float64{.4, .3, .2, .1}, delta: []float64{1, .9, .8, .95}, master: 0.1}
	// ten classes, some rare, with a master little better than the target: where choosing among many misleads most
	ten := truth{master: 0.2, share: []float64{.2, .2, .15, .1, .1, .05, .05, .05, .05, .05}}
	for k := range ten.share {
		ten.delta = append(ten.delta, 1-float64(k)/50)
	}
	near := truth{share: []float64{1}, delta: []float64{1}, master: 0.1}
	beyond := truth{share: []float64{1}, delta: []float64{0.85}, master: 0.215}
	simulate(t, "", 0, []way{{"half B tests", true}, {"all propose and test", false}, {"plain fit", false}},
		[]int{200, 600}, []int{200, 600, 2000, 6000}, []promise{
			{name: "error ≤ 0.10 (binomial)", draw: bound{truth: plain, target: "0.9"}.draw},
			{name: "error ≤ 0.10, least possible 0.095", draw: bound{truth: near, target: "0.9"}.draw},
			{name: "error ≤ 0.20, out of reach (0.21)", draw: bound{truth: beyond, target: "0.8"}.draw},
			{name: "oracle: disagreement ≤ 0.10", draw: bound{truth: plain, target: "0.9", oracle: true}.draw},
			{name: "error ≤ 0.15, four classes", draw: bound{truth: four, target: "0.85", multi: true}.draw},
			{name: "error ≤ 0.20, ten classes", draw: bound{truth: ten, target: "0.8", multi: true}.draw},
			{name: "excess over master ≤ 0.02 (betting)",
				draw: bound{truth: plain, target: "master", g: Terms{Margin: 0.02}}.draw},
			{name: "excess over best ≤ 0.05 (betting), four classes",
				draw: bound{truth: four, target: "best", multi: true, g: Terms{Margin: 0.05}}.draw},
		})
}

// average is a promise on average: draw makes n records, or clusters, and returns the true risk, and what is deferred.
type average struct {
	name  string
	level float64
	floor bool // much less is not what it should come to
	draw  func(rng *rand.Rand, n int) (risk, deferred float64, err error)
}

// Conformal risk control keeps its promise on average: the true regret of the
// thresholds it takes, averaged over draws of the records, be they in clusters.
func TestConformalRiskHoldsOnAverage(t *testing.T) {
	run := func(r policy.Records, w truth, h Halves, b bound) (float64, float64, error) {
		o, _ := b.options()
		j, err := newCertification(r, h, o, b.g.withDefaults(), !b.multi)
		if err != nil {
			return 0, 0, err
		}
		got, err := j.run()
		if err != nil {
			return 0, 0, err
		}
		_, deferred, regret := w.risk(got.Policy.Thresholds)
		return regret, deferred, nil
	}
	pairs := func(b bound) func(*rand.Rand, int) (float64, float64, error) {
		return func(rng *rand.Rand, n int) (float64, float64, error) {
			var h Halves
			for i := range n {
				if b.multi && i < n/2 {
					h.Propose = append(h.Propose, i)
				} else {
					h.Test = append(h.Test, i)
				}
			}
			return run(b.truth.draw(rng, n, b.oracle), b.truth, h, b)
		}
	}
	four := truth{share: []float64{.4, .3, .2, .1}, delta: []float64{1, .9, .8, .95}, master: 0.1}
	crc := Terms{Method: ConformalRisk, Margin: 0.05}
	f := flock{size: []int{1, 9}, chance: []float64{.5, .5}, delta: []float64{1, .92}, same: .5, master: .05}
	var table strings.Builder
	fmt.Fprintf(&table, "| promise | N | mean true risk | standard error | deferred |")
	for i, p := range []average{
		{"regret ≤ 0.05", .05, true,
			pairs(bound{truth: truth{[]float64{1}, []float64{1}, 0.05}, target: "master", g: crc})},
		{"oracle: disagreement ≤ 0.10", .1, true, pairs(bound{truth: truth{[]float64{1}, []float64{1}, 0}, target: "0.9",
			oracle: true, g: Terms{Method: ConformalRisk}})},
		// with several, half A fixes how far apart the steps are
		{"regret ≤ 0.05, four classes", .05, false, pairs(bound{truth: four, target: "master", multi: true, g: crc})},
		{"regret ≤ 0.05, clusters of sizes 1 and 9", .05, false, func(rng *rand.Rand, n int) (float64, float64, error) {
			r, cluster := f.draw(rng, n)
			return run(r, f.records(), halve(cluster, rng), bound{target: "master",
				g: Terms{Method: ConformalRisk, Margin: .05, MaxCluster: 9}})
		}},
	} {
		for _, n := range []int{60, 200, 600} {
			rng := rand.New(rand.NewPCG(uint64(100+i), uint64(n)))
			var sum, square, deferred float64
			reps := 4 * *repetitions
			for range reps {
				risk, d, err := p.draw(rng, n)
				if err != nil {
					t.Fatal(err)
				}
				sum, square, deferred = sum+risk, square+risk*risk, deferred+d
			}
			mean := sum / float64(reps)
			se := math.Sqrt(max(0, square/float64(reps)-mean*mean) / float64(reps))
			if mean > p.level+3*se || p.floor && mean < p.level/2 {
				t.Errorf("%s, N = %d: the mean risk is %.4f ± %.4f", p.name, n, mean, se)
			}
			fmt.Fprintf(&table, "\n| %s | %d | %.4f | %.4f | %.1f %% |", p.name, n, mean, se, 100*deferred/float64(reps))
		}
	}
	record(t, ".crc", table.String())
}
