package infer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Paired is the result of a paired permutation test.
type Paired struct {
	Statistic float64 // T on the data
	P         float64 // (1 + #{|T*| ≥ |T|}) / (Permutations + 1)
	N         int     // units permuted: clusters in which the two sides differ
	Draws     int     // permutations drawn
}

// Permutations is the default number of permutations of a test; the smallest
// p-value it can give is 1 in 10,000.
const Permutations = 9999

// SignFlip tests that x and y, paired by record, have the same mean: under the
// null the sign of each difference is a coin. T = mean(x − y); records of one
// cluster flip together (groups as for NewResamples; nil = none). draws 0 =
// Permutations. For per-record scores; of costs it is a part of Costs.
func SignFlip(rng *rand.Rand, x, y []float64, groups []string, draws int) (Paired, error) {
	if err := checkPaired(len(x), len(y), groups, draws); err != nil {
		return Paired{}, err
	}
	of, n := Units(groups, len(x))
	total := make([]float64, n)
	for i := range x {
		total[of[i]] += x[i] - y[i]
	}
	diff := total[:0:0]
	scale, observed := 0.0, 0.0
	for _, d := range total {
		if math.IsNaN(d) || math.IsInf(d, 0) {
			return Paired{}, errors.New("sign-flip test of values that are not finite")
		}
		if d != 0 {
			diff = append(diff, d)
			scale += math.Abs(d)
			observed += d
		}
	}
	least, reached := math.Abs(observed)-float64(1e-12*scale), 0 // sums in another order differ in the last bits
	for _, turned := range tossed(rng.Uint64(), count(draws), diff)[0] {
		if math.Abs(observed-2*turned) >= least {
			reached++
		}
	}
	return paired(observed/float64(len(x)), reached, len(diff), draws), nil
}

// SwapCounts tests that two policies have the same value(counts), a statistic
// of the cells their answers fall in (as for Resamples.Counts: F1 from a
// confusion matrix of k cells): under the null the two answers to a record are
// exchangeable. T = value of a − value of b. Records of one cluster are swapped
// together. draws 0 = Permutations. value may be called from several
// goroutines and must not keep its argument.
func SwapCounts(rng *rand.Rand, a, b []int, k int, value func(counts []float64) float64, groups []string,
	draws int) (Paired, error) {
	if err := checkPaired(len(a), len(b), groups, draws); err != nil {
		return Paired{}, err
	}
	countA, countB := make([]float64, k), make([]float64, k)
	of, n := Units(groups, len(a))
	moves := make([][][2]int, n) // by cluster: pairs of cells that a swap exchanges
	for i := range a {
		countA[a[i]]++
		countB[b[i]]++
		if a[i] != b[i] {
			moves[of[i]] = append(moves[of[i]], [2]int{a[i], b[i]})
		}
	}
	differ := moves[:0:0]
	for _, m := range moves {
		if len(m) > 0 {
			differ = append(differ, m)
		}
	}
	observed := value(countA) - value(countB)
	if math.IsNaN(observed) {
		return Paired{}, errors.New("swap test of a statistic that is undefined on the records")
	}
	least := math.Abs(observed) - 1e-12
	swap := swapping(differ, k)
	seed, hit := rng.Uint64(), make([]bool, count(draws))
	parallel(len(hit), func(lo, hi int) {
		for p := lo; p < hi; p++ { // from a stream of its own, so that it does not matter how the work is split
			ca, cb := slices.Clone(countA), slices.Clone(countB)
			swap(&coins{stream: rand.NewPCG(seed, uint64(p))}, ca, cb)
			hit[p] = math.Abs(value(ca)-value(cb)) >= least
		}
	})
	return paired(observed, trues(hit), len(differ), draws), nil
}

// SwapSums is SwapCounts for statistics of summed columns, such as BLEU:
// a[j][i] is column j of record i under the first policy.
func SwapSums(rng *rand.Rand, a, b [][]float64, value func(sums []float64) float64, groups []string,
	draws int) (Paired, error) {
	if len(a) == 0 || len(a) != len(b) {
		return Paired{}, fmt.Errorf("swap test of %d and %d columns: want as many, at least one", len(a), len(b))
	}
	records := len(a[0])
	if err := checkPaired(records, len(b[0]), groups, draws); err != nil {
		return Paired{}, err
	}
	of, n := Units(groups, records)
	sumA, sumB := make([]float64, len(a)), make([]float64, len(a))
	delta := make([][]float64, len(a)) // by column, then cluster: b − a
	differs := make([]bool, n)
	for j := range a {
		sumA[j], sumB[j], delta[j] = sum(a[j]), sum(b[j]), make([]float64, n)
		for i := range a[j] {
			delta[j][of[i]] += b[j][i] - a[j][i]
		}
		for c, v := range delta[j] {
			differs[c] = differs[c] || v != 0
		}
	}
	units := 0
	for c, is := range differs {
		if !is {
			continue
		}
		for j := range delta {
			delta[j][units] = delta[j][c]
		}
		units++
	}
	observed := value(sumA) - value(sumB)
	if math.IsNaN(observed) {
		return Paired{}, errors.New("swap test of a statistic that is undefined on the records")
	}
	for j := range delta {
		delta[j] = delta[j][:units]
	}
	least, moved := math.Abs(observed)-float64(1e-12*(1+math.Abs(observed))), tossed(rng.Uint64(), count(draws), delta...)
	hit := make([]bool, count(draws))
	parallel(len(hit), func(lo, hi int) {
		sa, sb := make([]float64, len(a)), make([]float64, len(a))
		for p := lo; p < hi; p++ {
			for j, m := range moved {
				sa[j], sb[j] = sumA[j]+m[p], sumB[j]-m[p]
			}
			hit[p] = math.Abs(value(sa)-value(sb)) >= least
		}
	})
	return paired(observed, trues(hit), units, draws), nil
}

// coins are the fair coins of one permutation, 64 to a draw.
type coins struct {
	stream *rand.PCG
	bits   uint64
	left   int
}

// word returns the coins of the next 64 units, the first in the lowest bit. It
// follows words alone, never a toss.
func (c *coins) word() uint64 { return c.stream.Uint64() }

// toss returns 0 or 1.
func (c *coins) toss() uint64 {
	if c.left == 0 {
		c.bits, c.left = c.stream.Uint64(), 64
	}
	b := c.bits & 1
	c.bits >>= 1
	c.left--
	return b
}

func trues(hit []bool) (n int) {
	for _, h := range hit {
		if h {
			n++
		}
	}
	return n
}

func count(draws int) int { return cmp.Or(draws, Permutations) }

func paired(statistic float64, reached, units, draws int) Paired {
	n := count(draws)
	return Paired{Statistic: statistic, P: float64(1+reached) / float64(n+1), N: units, Draws: n}
}

func checkPaired(x, y int, groups []string, draws int) error {
	switch {
	case x == 0:
		return errors.New("paired test of no records")
	case x != y:
		return fmt.Errorf("paired test of %d and %d records: want as many", x, y)
	case groups != nil && len(groups) != x:
		return fmt.Errorf("paired test of %d records with %d groups: want one per record", x, len(groups))
	case draws < 0:
		return fmt.Errorf("paired test with %d permutations: want a positive number, or 0 for %d", draws, Permutations)
	}
	return nil
}
