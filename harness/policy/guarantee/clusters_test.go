package guarantee

import (
	"math"
	"math/rand/v2"
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

// clustered certifies, takes records for independent, and tests the means of clusters.
func clustered(f flock, b bound) func(*rand.Rand, int) ([]fate, error) {
	b.truth, b.g.MaxCluster = f.records(), slices.Max(f.size)
	return func(rng *rand.Rand, n int) ([]fate, error) {
		o, level := b.options()
		r, cluster := f.draw(rng, n)
		h := halve(cluster, rng)
		j, err := newCertification(r, h, o, b.g.withDefaults(), true)
		if err != nil {
			return nil, err
		}
		got, err := j.run()
		if err != nil {
			return nil, err
		}
		path, err := j.propose()
		if err != nil {
			return nil, err
		}
		means := j.byMeans(path, level, b.g.Margin > 0)
		h.Cluster = nil // records taken for independent
		if j, err = newCertification(r, h, o, b.g.withDefaults(), true); err != nil {
			return nil, err
		}
		alone, err := j.run()
		return []fate{b.fate(got.Certified, got.Policy.Thresholds), b.fate(alone.Certified, alone.Policy.Thresholds),
			b.fate(means != nil, means)}, err
	}
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

// Promises hold where records come in clusters, whose sizes may go with the
// error; taking the records for independent breaks them, and so do the means of clusters.
func TestGuaranteesHoldForClusters(t *testing.T) {
	equal := func(n int) flock {
		return flock{size: []int{n}, chance: []float64{1}, delta: []float64{1}, same: .8, master: .05}
	}
	worse := flock{size: []int{1, 9}, chance: []float64{.5, .5}, delta: []float64{1, .85}, same: .5, master: .05}
	long := flock{size: []int{1, 2, 4, 8, 16}, chance: []float64{.4, .25, .2, .1, .05},
		delta: []float64{1, 1, .97, .94, .9}, same: .5, master: .05}
	excess := bound{target: "master", g: Terms{Margin: .05}}
	simulate(t, ".clusters", 40, []way{{"clusters", true}, {"taken for independent", false}, {"means of clusters", false}},
		[]int{300}, []int{100, 300, 1000}, []promise{
			{name: "error ≤ 0.10, 5 a cluster", draw: clustered(equal(5), bound{target: "0.9"})},
			{name: "error ≤ 0.10, 10 a cluster", draw: clustered(equal(10), bound{target: "0.9"})},
			{name: "error ≤ 0.15, sizes 1 and 9, large ones worse", draw: clustered(worse, bound{target: "0.85"})},
			{name: "error ≤ 0.15, sizes 1 to 16, large ones worse", draw: clustered(long, bound{target: "0.85"})},
			{name: "excess over master ≤ 0.05, 10 a cluster (betting)", draw: clustered(equal(10), excess)},
			{name: "excess over master ≤ 0.05, sizes 1 and 9 (betting)", draw: clustered(worse, excess)},
		})
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

// Promises hold where a few clusters are very large and err more, if a bound is stated; what
// the largest cluster of half A says in its place does not hold. A stated bound
// that the population breaks is refused, or promises what it says: the error of
// records in clusters within the bound.
func TestGuaranteesHoldForHeavyTails(t *testing.T) {
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
	of := func(f flock, short int) func(*rand.Rand, int) ([]fate, error) {
		return func(rng *rand.Rand, n int) (out []fate, err error) {
			r, cluster := f.draw(rng, n)
			h := halve(cluster, rng)
			old, most := h.cutAtHalfA()
			for k, try := range []struct {
				h     Halves
				most  int
				truth flock
			}{{h, slices.Max(f.size), f}, {h, short, f.upTo(short)}, {old, most, f}} {
				b := bound{truth: try.truth.records(), target: "0.8"}
				o, _ := b.options()
				got, err := FitSingle(r, try.h, o, Terms{MaxCluster: try.most})
				if err != nil && k != 1 {
					return nil, err
				}
				if err != nil {
					out = append(out, fate{refused: true})
				} else {
					out = append(out, b.fate(got.Certified, got.Policy.Thresholds))
				}
			}
			return out, nil
		}
	}
	simulate(t, ".tails", 90, []way{{"true bound", true}, {"bound too small", true}, {"bound of half A", false}},
		[]int{40, 100, 400}, []int{40, 100, 400, 4000}, []promise{
			{name: "1 % of size 100", draw: of(rare(.01, 100), 1)},
			{name: "2 % of size 30", draw: of(rare(.02, 30), 1)},
			{name: "P(size ≥ s) = 1/s, to 256", draw: of(power, 32)},
		})
}

// By hand: clusters {1, 0}, {0} with losses 1, 0, 0 at α = .1 and M = 2 give
// .1 + (.9 − .1)/2 = .5 and .1 − .1/2 = .05.
func TestPooledByHand(t *testing.T) {
	j := &certification{spans: []int{2, 1}, most: 2}
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
