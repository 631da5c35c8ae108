package population

import (
	"fmt"
	"math"
	"math/rand/v2"

	"infnet/harness/curve"
	"infnet/harness/policy"
	"infnet/metrics/infer"
)

type MonotoneOptions struct {
	Setting policy.Setting // "" = NonOracle; Oracle takes the master to be always right
	Draws   int            // permutations or bootstrap draws; 0 = 999
	Cluster []int          // of every record: those that share a source; nil = all are independent
}

const (
	monotoneBins  = 20 // of equal mass, at most
	monotoneDraws = 999
	perBin        = 10 // records a bin should have
)

// Rising is a test of the hypothesis that a mean falls with β, or is flat.
type Rising struct {
	T    float64 // Σ_j n_j (mean_j − PAVA_j)² over the bins; 0 if the means fall
	P    float64 // (1 + #{T* ≥ T}) / (Draws + 1)
	Holm float64 // P adjusted for all classes tested
}

// ClassRisk is the test of one class.
type ClassRisk struct {
	Class   int
	N       int
	Bins    []curve.Bin // MeanY is the mean excess error e_s − e_m
	Excess  Rising      // of Δ, which optimality of thresholds needs to fall
	Student Rising      // of e_s, which the paper assumes to fall (eq:monotone-risk)
}

// Risk is the test of every class that has records.
type Risk struct {
	Draws   int
	Classes []ClassRisk
}

// MonotoneRisk tests, per class, whether Δ = e_s − e_m and e_s fall with the
// student's confidence. β is cut into bins of equal mass, ties together, fewer
// than 20 where a class has under 10 records for each; T is the squared
// distance of the bin means from the nearest non-increasing ones (pool adjacent
// violators). p comes from permuting the errors against β within the class:
// of all non-increasing curves the constant one makes large T likeliest, so the
// test keeps its level under each. Adjusted over classes by Holm's method, for
// Δ and e_s apart. Classes of one bin have T = 0 and p = 1. O(Draws·N).
//
// Records in clusters are not exchangeable, and permuting whole clusters of
// unequal size is not an exact test either. There p comes from a multiplier
// bootstrap, in which every cluster's deviations from the nearest non-increasing
// means keep together and change sign at random, again under the constant curve. It keeps
// its level as the number of clusters grows, not exactly.
//
// After Robertson, Wright and Dykstra (1988), Order Restricted Statistical
// Inference, ch. 2; multipliers by cluster after Cameron, Gelbach and Miller
// (2008), Bootstrap-Based Improvements for Inference with Clustered Errors.
func MonotoneRisk(rng *rand.Rand, r policy.Records, o MonotoneOptions) (Risk, error) {
	if o.Draws == 0 {
		o.Draws = monotoneDraws
	}
	if o.Cluster != nil && len(o.Cluster) != r.Len() {
		return Risk{}, fmt.Errorf("%d clusters for %d records: want one per record, or none", len(o.Cluster), r.Len())
	}
	defaults := Options{Setting: o.Setting, Target: policy.Min}.withDefaults()
	if err := defaults.check(r); err != nil {
		return Risk{}, err
	}
	risk := Risk{Draws: o.Draws}
	var excess, student []float64
	members := make([][]int, max(r.Classes, 1)) // clusters of each class's records
	for i, g := range o.Cluster {
		members[r.ClassOf(i)] = append(members[r.ClassOf(i)], g)
	}
	for k, s := range split(r, defaults.Setting) {
		if len(s.beta) == 0 {
			continue
		}
		c, err := s.rising(rng, members[k], o)
		if err != nil {
			return Risk{}, fmt.Errorf("class %d: %w", k, err)
		}
		c.Class = k
		risk.Classes = append(risk.Classes, c)
		excess, student = append(excess, c.Excess.P), append(student, c.Student.P)
	}
	excess, student = infer.Holm(excess), infer.Holm(student)
	for i := range risk.Classes {
		risk.Classes[i].Excess.Holm, risk.Classes[i].Student.Holm = excess[i], student[i]
	}
	return risk, nil
}

// rising tests one class. cluster is that of every record; nil = independent.
func (s slice) rising(rng *rand.Rand, cluster []int, o MonotoneOptions) (ClassRisk, error) {
	c := ClassRisk{N: len(s.beta)}
	var err error
	if c.Bins, err = curve.EqualMass(s.beta, s.excess, max(1, min(monotoneBins, len(s.beta)/perBin))); err != nil {
		return c, err
	}
	// Rows in order of the bins, so that shuffling them permutes the bins.
	pairs := make([][2]float64, 0, c.N) // excess, student
	sizes := make([]int, len(c.Bins))
	for j, b := range c.Bins {
		sizes[j] = b.N
		for _, i := range b.Index {
			pairs = append(pairs, [2]float64{s.excess[i], s.student[i]})
		}
	}
	draw, observed := shuffled(rng, pairs, sizes)
	c.Excess.T, c.Student.T = observed[0], observed[1]
	if cluster != nil {
		draw = multiplied(rng, c.Bins, cluster, pairs, sizes)
	}
	hits := [2]int{}
	for range o.Draws {
		if len(sizes) == 1 {
			hits[0]++
			hits[1]++
			continue
		}
		drawn := draw()
		for j := range hits {
			if drawn[j] >= observed[j]*(1-1e-9) { // sums in another order may differ in the last bits
				hits[j]++
			}
		}
	}
	c.Excess.P = float64(1+hits[0]) / float64(o.Draws+1)
	c.Student.P = float64(1+hits[1]) / float64(o.Draws+1)
	return c, nil
}

// shuffled returns T of one permutation after the other, and T as the records are. Errors have few values as a rule:
// what is shuffled are their numbers, which stay in the cache. Its draws are those of rng.Shuffle.
func shuffled(rng *rand.Rand, pairs [][2]float64, sizes []int) (draw func() [2]float64, observed [2]float64) {
	var values [][2]float64
	number, of := map[[2]float64]uint32{}, make([]uint32, len(pairs))
	for i, p := range pairs {
		k, ok := number[p]
		if !ok {
			k, values = uint32(len(values)), append(values, p)
			number[p] = k
		}
		of[i] = k
	}
	return func() [2]float64 {
		for i := len(of) - 1; i > 0; i-- {
			j := rng.Uint64N(uint64(i + 1))
			of[i], of[j] = of[j], of[i]
		}
		return distances(of, values, sizes)
	}, distances(of, values, sizes)
}

// multiplied returns T of one bootstrap draw after the other: each cluster's deviations from the nearest non-increasing
// means, of both columns, change sign together. Deviations from the bins' own means would be
// far too small where a bin holds few clusters. pairs are laid out bin by bin.
func multiplied(rng *rand.Rand, bins []curve.Bin, cluster []int, pairs [][2]float64, sizes []int) func() [2]float64 {
	type part struct {
		bin int
		sum [2]float64
	}
	var sums [][]part     // by cluster, of the bins that hold records of it, ascending
	var null [2][]float64 // the fitted means, by column and bin
	place, places, next := map[int]int{}, make([]uint32, len(pairs)), 0
	for i := range places {
		places[i] = uint32(i)
	}
	for c, y := range binMeans(places, pairs, sizes) {
		null[c] = curve.NonIncreasing(y, sizes)
	}
	for j, b := range bins {
		for _, i := range b.Index {
			g, ok := place[cluster[i]]
			if !ok {
				g, sums = len(sums), append(sums, nil)
				place[cluster[i]] = g
			}
			if n := len(sums[g]); n == 0 || sums[g][n-1].bin != j {
				sums[g] = append(sums[g], part{bin: j})
			}
			at := &sums[g][len(sums[g])-1]
			for c := range null {
				at.sum[c] += pairs[next][c] - null[c][j]
			}
			next++
		}
	}
	grow := 1.0 // deviations from fitted means are too small by this much
	if n := float64(len(sums)); n > 1 {
		grow = math.Sqrt(n / (n - 1))
	}
	return func() (t [2]float64) {
		means := [2][]float64{make([]float64, len(sizes)), make([]float64, len(sizes))}
		for _, byBin := range sums {
			w := grow
			if rng.Uint64()&1 == 1 {
				w = -grow
			}
			for _, x := range byBin {
				for c := range means {
					means[c][x.bin] += float64(w * x.sum[c] / float64(sizes[x.bin]))
				}
			}
		}
		for c := range t {
			t[c] = distance(means[c], sizes)
		}
		return t
	}
}

// distances returns T of both columns of records laid out bin by bin, each a place in a list of pairs.
func distances(of []uint32, pairs [][2]float64, sizes []int) (t [2]float64) {
	for c, y := range binMeans(of, pairs, sizes) {
		t[c] = distance(y, sizes)
	}
	return t
}

// binMeans returns the means of both columns, bin by bin.
func binMeans(of []uint32, pairs [][2]float64, sizes []int) [2][]float64 {
	means, next := [2][]float64{make([]float64, len(sizes)), make([]float64, len(sizes))}, 0
	for j, n := range sizes {
		a, b := 0.0, 0.0
		for _, k := range of[next : next+n] {
			a, b = a+pairs[k][0], b+pairs[k][1]
		}
		means[0][j], means[1][j] = a/float64(n), b/float64(n)
		next += n
	}
	return means
}

// distance returns Σ n_j (y_j − PAVA_j)², PAVA non-increasing.
func distance(y []float64, sizes []int) float64 {
	t := 0.0
	for j, m := range curve.NonIncreasing(y, sizes) {
		t += float64(float64(sizes[j]) * (y[j] - m) * (y[j] - m))
	}
	return t
}

// risingLevel is the level of the tests behind Rising.
const risingLevel = 0.05

// Rising are the classes whose excess error rises with the confidence beyond
// chance. least is the smallest adjusted p-value of all; 1 where there is none.
func (r Risk) Rising() (rising []ClassRisk, least float64) {
	least = 1
	for _, c := range r.Classes {
		least = min(least, c.Excess.Holm)
		if c.Excess.Holm <= risingLevel {
			rising = append(rising, c)
		}
	}
	return rising, least
}
