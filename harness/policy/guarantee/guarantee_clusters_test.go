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
)

// flock is a population of clusters: size[s] records with probability
// chance[s], whose student is wrong with probability 1 − δ_s·β. With
// probability same a cluster's records are copies of one record, else they are
// independent.
type flock struct {
	size   []int
	chance []float64
	delta  []float64
	same   float64
	master float64
}

// records is the population of its records: a class per size, by the share of
// all records that lie in such clusters. Its risks have a closed form.
func (f flock) records() truth {
	w := truth{delta: f.delta, master: f.master}
	all := 0.0
	for s, q := range f.chance {
		all += q * float64(f.size[s])
	}
	for s, q := range f.chance {
		w.share = append(w.share, q*float64(f.size[s])/all)
	}
	return w
}

func (f flock) draw(rng *rand.Rand, clusters int) (policy.Records, []int) {
	var r policy.Records
	var cluster []int
	for g := range clusters {
		u, s := rng.Float64(), 0
		for ; s < len(f.size)-1 && u >= f.chance[s]; s++ {
			u -= f.chance[s]
		}
		copies := rng.Float64() < f.same
		var beta, student, master float64
		for i := range f.size[s] {
			if i == 0 || !copies {
				beta, student, master = rng.Float64(), 0, 0
				if rng.Float64() < 1-f.delta[s]*beta {
					student = 1
				}
				if rng.Float64() < f.master {
					master = 1
				}
			}
			r.Beta, r.Student, r.Master = append(r.Beta, beta), append(r.Student, student), append(r.Master, master)
			cluster = append(cluster, g)
		}
	}
	return r, cluster
}

// halve puts every second cluster into each half.
func halve(cluster []int, rng *rand.Rand) Halves {
	h := Halves{Cluster: cluster}
	for i, g := range cluster {
		if g%2 == 0 {
			h.Propose = append(h.Propose, i)
		} else {
			h.Test = append(h.Test, i)
		}
	}
	h.Shuffle(rng)
	return h
}

// clustered is one row of the simulation.
type clustered struct {
	name   string
	flock  flock
	target string
	g      Terms
}

func clusteredPromises() []clustered {
	equal := func(n int) flock {
		return flock{size: []int{n}, chance: []float64{1}, delta: []float64{1}, same: .8, master: .05}
	}
	worse := flock{size: []int{1, 9}, chance: []float64{.5, .5}, delta: []float64{1, .85}, same: .5, master: .05}
	long := flock{size: []int{1, 2, 4, 8, 16}, chance: []float64{.4, .25, .2, .1, .05},
		delta: []float64{1, 1, .97, .94, .9}, same: .5, master: .05}
	all := []clustered{
		{name: "error ≤ 0.10, 5 a cluster", flock: equal(5), target: "0.9"},
		{name: "error ≤ 0.10, 10 a cluster", flock: equal(10), target: "0.9"},
		{name: "error ≤ 0.15, sizes 1 and 9, large ones worse", flock: worse, target: "0.85"},
		{name: "error ≤ 0.15, sizes 1 to 16, large ones worse", flock: long, target: "0.85"},
		{name: "error ≤ 0.15, sizes 1 and 9 (Hoeffding–Bentkus)", flock: worse, target: "0.85",
			g: Terms{PValue: HoeffdingBentkus}},
		{name: "excess over master ≤ 0.05, 10 a cluster (betting)", flock: equal(10), target: "master",
			g: Terms{Margin: .05}},
		{name: "excess over master ≤ 0.05, sizes 1 and 9 (betting)", flock: worse, target: "master", g: Terms{Margin: .05}},
		{name: "excess over master ≤ 0.05, sizes 1 and 9 (regret)", flock: worse, target: "master",
			g: Terms{Margin: .05, PValue: Regret}},
	}
	for i := range all {
		all[i].g.MaxCluster = slices.Max(all[i].flock.size)
	}
	return all
}

// byMeans walks the candidates with the mean loss of each cluster in place of
// scaled sums: a valid test of another quantity.
func (j *certification) byMeans(path []policy.Thresholds, level float64, relative bool) policy.Thresholds {
	var passed policy.Thresholds
	a := level
	if relative {
		a = (1 + level) / 2
	}
	for _, theta := range path {
		d := (policy.Policy{Thresholds: theta}).Decide(j.b)
		var means []float64
		at := 0
		for _, n := range j.spans {
			sum := 0.0
			for i := at; i < at+n; i++ {
				e := j.b.Student[i]
				if d[i] {
					e = j.b.Master[i]
				}
				if relative {
					e = (e - j.b.Master[i] + 1) / 2
				}
				sum += e
			}
			means = append(means, sum/float64(n))
			at += n
		}
		if bettingPValue(means, a, j.g.Delta, .75) > j.g.Delta {
			break
		}
		passed = theta
	}
	return passed
}

// clusterTally is what became of a promise.
type clusterTally struct {
	certified, broken, independent, means int
	deferred                              float64
}

func (p clustered) run(t *testing.T, clusters, reps int, seed uint64) clusterTally {
	target, err := policy.ParseTarget(p.target)
	if err != nil {
		t.Fatal(err)
	}
	o, w := policy.Options{Target: target}, p.flock.records()
	xi, numeric := target.Numeric()
	level := p.g.Margin
	if numeric {
		level = allowed(xi)
	}
	broken := func(theta policy.Thresholds) bool {
		if theta == nil {
			return false
		}
		risk, _, _ := w.risk(theta)
		if !numeric {
			risk -= w.master
		}
		return risk > level+1e-12
	}
	rng := rand.New(rand.NewPCG(seed, uint64(clusters)))
	var out clusterTally
	for range reps {
		r, cluster := p.flock.draw(rng, clusters)
		h := halve(cluster, rng)
		j, err := newCertification(r, h, o, p.g.withDefaults(), true)
		if err != nil {
			t.Fatal(err)
		}
		got, err := j.run()
		if err != nil {
			t.Fatal(err)
		}
		if got.Certified {
			out.certified++
			_, d, _ := w.risk(got.Policy.Thresholds)
			out.deferred += d
			if broken(got.Policy.Thresholds) {
				out.broken++
			}
		}
		path, err := j.propose()
		if err != nil {
			t.Fatal(err)
		}
		if broken(j.byMeans(path, level, !numeric)) {
			out.means++
		}
		h.Cluster = nil // records taken for independent
		j, err = newCertification(r, h, o, p.g.withDefaults(), true)
		if err != nil {
			t.Fatal(err)
		}
		if got, err = j.run(); err != nil {
			t.Fatal(err)
		}
		if got.Certified && broken(got.Policy.Thresholds) {
			out.independent++
		}
	}
	return out
}

// Promises hold where records come in clusters, whose sizes may go with the
// error; taking the records for independent breaks them, and so do the means
// of clusters. `just guarantees` runs 2,000 repetitions at three sizes.
func TestGuaranteesHoldForClusters(t *testing.T) {
	sizes := []int{300}
	if *repetitions >= 1000 {
		sizes = []int{100, 300, 1000}
	}
	reps := float64(*repetitions)
	line := DefaultDelta + 2*math.Sqrt(DefaultDelta*(1-DefaultDelta)/reps)
	if *repetitions < 1000 {
		line += math.Sqrt(DefaultDelta * (1 - DefaultDelta) / reps)
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| promise (δ = %g) | clusters | certified | broken | taken for independent: broken | means of "+
		"clusters: broken | deferred, certified | ideal |\n|---|---:|---:|---:|---:|---:|---:|---:|\n", DefaultDelta)
	worst, means := 0.0, 0.0
	for i, p := range clusteredPromises() {
		for _, n := range sizes {
			got := p.run(t, n, *repetitions, uint64(40+i))
			if rate := float64(got.broken) / reps; rate > line {
				t.Errorf("%s, %d clusters: %.1f %% of promises broken, the line is %.1f %%", p.name, n, 100*rate, 100*line)
			}
			worst, means = max(worst, float64(got.independent)/reps), max(means, float64(got.means)/reps)
			ideal := p.flock.records().ideal(func(theta policy.Thresholds) float64 {
				risk, _, _ := p.flock.records().risk(theta)
				if p.g.Margin > 0 {
					return risk - p.flock.master - p.g.Margin
				}
				target, _ := policy.ParseTarget(p.target)
				xi, _ := target.Numeric()
				return risk - allowed(xi)
			}, 0)
			fmt.Fprintf(&table, "| %s | %d | %s | %s | %s | %s | %s | %s |\n", p.name, n, percent(float64(got.certified)/reps),
				percent(float64(got.broken)/reps),
				percent(float64(got.independent)/reps), percent(float64(got.means)/reps),
				percent(got.deferred/float64(got.certified)), percent(ideal))
		}
	}
	if worst <= line || means <= line {
		t.Errorf("at most %.1f %% are broken where records are taken for independent and %.1f %% with means of clusters: "+
			"the simulation does not show what it should", 100*worst, 100*means)
	}
	t.Log("\n" + table.String())
	if *simOut != "" {
		if err := os.WriteFile(*simOut+".clusters", []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// tailed is a law of sizes with a few large clusters that err more.
type tailed struct {
	name  string
	flock flock
	short int // a bound that is too small
}

func tails() []tailed {
	rare := func(chance float64, size int) flock {
		return flock{size: []int{1, size}, chance: []float64{1 - chance, chance}, delta: []float64{1, .3}, same: 1,
			master: .05}
	}
	power := flock{same: 1, master: .05} // P(size ≥ 2^k) = 2^−k, cut at 256
	for k := range 9 {
		power.size = append(power.size, 1<<k)
		power.chance = append(power.chance, math.Ldexp(1, -k-1))
		power.delta = append(power.delta, 1-.08*float64(k))
	}
	power.chance[8] *= 2
	return []tailed{
		{"1 % of size 100", rare(.01, 100), 1},
		{"2 % of size 30", rare(.02, 30), 1},
		{"P(size ≥ s) = 1/s, to 256", power, 32},
	}
}

// upTo is the population without larger clusters.
func (f flock) upTo(most int) flock {
	out := flock{same: f.same, master: f.master}
	for s, n := range f.size {
		if n <= most {
			out.size, out.chance, out.delta = append(out.size, n), append(out.chance, f.chance[s]), append(out.delta, f.delta[s])
		}
	}
	return out
}

// cutAtHalfA is the bound and the half that tests when the largest cluster of
// half A is taken for the largest there is, and larger ones are cut to it.
func (h Halves) cutAtHalfA() (Halves, int) {
	most := slices.Max(h.spans(h.Propose))
	var test []int
	at := 0
	for _, n := range h.spans(h.Test) {
		test = append(test, h.Test[at:at+min(n, most)]...)
		at += n
	}
	h.Test = test
	return h, most
}

// Promises hold where a few clusters are very large, if a bound is stated; what
// the largest cluster of half A says in its place does not hold. A stated bound
// that the population breaks is refused, or promises what it says: the error of
// records in clusters within the bound.
func TestGuaranteesHoldForHeavyTails(t *testing.T) {
	reps := float64(*repetitions)
	line := DefaultDelta + 3*math.Sqrt(DefaultDelta*(1-DefaultDelta)/reps)
	if *repetitions >= 1000 {
		line = DefaultDelta + 2*math.Sqrt(DefaultDelta*(1-DefaultDelta)/reps)
	}
	target, err := policy.ParseTarget("0.8")
	if err != nil {
		t.Fatal(err)
	}
	o := policy.Options{Target: target}
	var table strings.Builder
	fmt.Fprintf(&table, "| sizes | clusters | bound of half A: certified | broken | true bound: certified | broken | "+
		"bound too small: refused | certified | broken within it |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	worst := 0.0
	for i, law := range tails() {
		sizes := []int{40, 100, 400}
		if *repetitions >= 1000 {
			sizes = append(sizes, 4000)
		}
		for _, n := range sizes {
			rng := rand.New(rand.NewPCG(uint64(90+i), uint64(n)))
			var certified, broken [3]float64
			refused := 0.0
			for range *repetitions {
				r, cluster := law.flock.draw(rng, n)
				h := halve(cluster, rng)
				old, most := h.cutAtHalfA()
				for k, try := range []struct {
					h     Halves
					most  int
					truth flock
				}{
					{old, most, law.flock}, {h, slices.Max(law.flock.size), law.flock}, {h, law.short, law.flock.upTo(law.short)},
				} {
					got, err := FitSingle(r, try.h, o, Terms{MaxCluster: try.most})
					if k == 2 && err != nil {
						refused++
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					if !got.Certified {
						continue
					}
					certified[k]++
					if risk, _, _ := try.truth.records().risk(got.Policy.Thresholds); risk > .2+1e-12 {
						broken[k]++
					}
				}
			}
			worst = max(worst, broken[0]/reps)
			if issued := reps - refused; broken[1]/reps > line || broken[2] > max(line*issued, 3) {
				t.Errorf("%s, %d clusters: %v of %v broken, %v of %v", law.name, n, broken[1], reps, broken[2], issued)
			}
			fmt.Fprintf(&table, "| %s | %d | %s | %s | %s | %s | %s | %s | %s |\n", law.name, n, percent(certified[0]/reps),
				percent(broken[0]/reps), percent(certified[1]/reps), percent(broken[1]/reps), percent(refused/reps),
				percent(certified[2]/reps), percent(broken[2]/reps))
		}
	}
	if worst <= line {
		t.Errorf("at most %.1f %% are broken by the bound of half A: the simulation does not show what it should", 100*worst)
	}
	t.Log("\n" + table.String())
	if *simOut != "" {
		if err := os.WriteFile(*simOut+".tails", []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Conformal risk control holds on average for clusters too.
func TestConformalRiskHoldsForClusters(t *testing.T) {
	reps := 4 * *repetitions
	target := policy.Master
	w := flock{size: []int{1, 9}, chance: []float64{.5, .5}, delta: []float64{1, .92}, same: .5, master: .05}
	var table strings.Builder
	fmt.Fprintf(&table, "| promise | clusters | mean true regret | standard error | deferred "+
		"|\n|---|---:|---:|---:|---:|\n")
	for _, n := range []int{60, 200, 600} {
		o, g := policy.Options{Target: target}, Terms{Method: ConformalRisk, Margin: .05, MaxCluster: 9}.withDefaults()
		rng := rand.New(rand.NewPCG(77, uint64(n)))
		var sum, square, deferred float64
		for range reps {
			r, cluster := w.draw(rng, n)
			j, err := newCertification(r, halve(cluster, rng), o, g, true)
			if err != nil {
				t.Fatal(err)
			}
			got, err := j.run()
			if err != nil {
				t.Fatal(err)
			}
			_, d, regret := w.records().risk(got.Policy.Thresholds)
			sum, square, deferred = sum+regret, square+regret*regret, deferred+d
		}
		mean := sum / float64(reps)
		se := math.Sqrt(max(0, square/float64(reps)-mean*mean) / float64(reps))
		if mean > g.Margin+3*se {
			t.Errorf("%d clusters: the mean regret is %.4f ± %.4f", n, mean, se)
		}
		fmt.Fprintf(&table, "| regret ≤ 0.05, sizes 1 and 9 | %d | %.4f | %.4f | %s |\n", n, mean, se,
			percent(deferred/float64(reps)))
	}
	t.Log("\n" + table.String())
	if *simOut != "" {
		if err := os.WriteFile(*simOut+".clusters.crc", []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Clusters of one record change nothing: the same tests, the same thresholds.
func TestClustersOfOneAreRecords(t *testing.T) {
	r := world(rand.New(rand.NewPCG(21, 21)), 2000, 3, false)
	number, err := policy.ParseTarget("0.8")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []Terms{{}, {Margin: .03}, {Method: ConformalRisk, Margin: .05}} {
		o := policy.Options{Target: number}
		if g.Margin > 0 {
			o.Target = policy.Master
		}
		plain, err := FitMulti(r, halves(2000), o, g)
		if err != nil {
			t.Fatal(err)
		}
		h := halves(2000)
		for i := range 2000 {
			h.Cluster = append(h.Cluster, i)
		}
		g.MaxCluster = 1
		got, err := FitMulti(r, h, o, g)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Policy.Thresholds, plain.Policy.Thresholds) || got.PValue != plain.PValue ||
			len(got.Tests) != len(plain.Tests) {
			t.Errorf("%+v: clusters of one record give %v by %q, records %v by %q", g, got.Policy.Thresholds, got.PValue,
				plain.Policy.Thresholds, plain.PValue)
		}
	}
}

// By hand: clusters {1, 0}, {0} with losses 1, 0, 0 at α = .1 and M = 2 give
// .1 + (.9 − .1)/2 = .5 and .1 − .1/2 = .05.
func TestPooledByHand(t *testing.T) {
	j := &halfB{spans: []int{2, 1}, most: 2}
	got := j.pooled([]float64{1, 0, 0}, .1)
	if len(got) != 2 || math.Abs(got[0]-.5) > 1e-15 || math.Abs(got[1]-.05) > 1e-15 {
		t.Errorf("pooled %v, want .5 and .05", got)
	}
}

func TestHalvesOfClusters(t *testing.T) {
	number, err := policy.ParseTarget("0.5")
	if err != nil {
		t.Fatal(err)
	}
	r := world(rand.New(rand.NewPCG(23, 23)), 8, 2, false)
	for _, tc := range []struct {
		name string
		h    Halves
		g    Terms
		want string // part of the error; "" = fine
	}{
		{name: "whole", h: Halves{Propose: []int{0, 1, 2}, Test: []int{3, 4, 5, 6, 7},
			Cluster: []int{0, 0, 1, 2, 2, 3, 3, 3}}, g: Terms{MaxCluster: 4}},
		{name: "in both halves", h: Halves{Propose: []int{0, 1, 2}, Test: []int{3, 4, 5},
			Cluster: []int{0, 0, 1, 1, 2, 3, 3, 3}}, want: "both halves"},
		{name: "torn apart", h: Halves{Propose: []int{0}, Test: []int{1, 3, 2}, Cluster: []int{0, 1, 1, 2, 3, 3, 3, 3}},
			want: "two places"},
		{name: "too few", h: Halves{Propose: []int{0}, Test: []int{1}, Cluster: []int{0, 1}},
			want: "2 clusters for 8 records"},
		{name: "counted one by one", h: Halves{Propose: []int{0, 1}, Test: []int{2, 3},
			Cluster: []int{0, 0, 1, 1, 2, 2, 3, 3}}, g: Terms{PValue: Binomial, MaxCluster: 2}, want: "independent errors"},
		{name: "no bound", h: Halves{Propose: []int{0, 2}, Test: []int{4, 5, 6}, Cluster: []int{0, 0, 1, 1, 2, 3, 3, 3}},
			want: "the largest has 2 records"},
		{name: "no bound, all alone", h: Halves{Propose: []int{0, 2}, Test: []int{4, 5},
			Cluster: []int{0, 0, 1, 1, 2, 3, 3, 3}}, want: "the largest has 1 record)"},
		{name: "larger in the half that tests", h: Halves{Propose: []int{0, 2}, Test: []int{4, 5, 6, 7},
			Cluster: []int{0, 0, 1, 1, 2, 3, 3, 3}}, g: Terms{MaxCluster: 2},
			want: "a group of 3 records, where max_cluster allows 2"},
		{name: "larger in neither half", h: Halves{Propose: []int{0, 2}, Test: []int{3, 4}, Largest: 3,
			Cluster: []int{0, 0, 1, 2, 2, 3, 3, 3}}, g: Terms{MaxCluster: 2},
			want: "a group of 3 records, where max_cluster allows 2"},
		{name: "larger in the half that proposes", h: Halves{Propose: []int{5, 6, 7}, Test: []int{0, 1},
			Cluster: []int{0, 0, 1, 1, 2, 3, 3, 3}}, g: Terms{MaxCluster: 2},
			want: "a group of 3 records, where max_cluster allows 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := FitSingle(r, tc.h, policy.Options{Target: number}, tc.g)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Fatalf("error %v, want one with %q", err, tc.want)
			}
			if tc.name == "whole" && (got.Clusters != 2 || got.Largest != 4 || got.Tested != 5) {
				t.Errorf("%d records in %d clusters of up to %d; want 5, 2, 4", got.Tested, got.Clusters, got.Largest)
			}
		})
	}
}
