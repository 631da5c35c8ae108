package metrics

import (
	"math"
	"slices"

	"infnet/harness/radix"
)

// Ranking is a score with a binary outcome for the same records, sorted once. It
// measures how well the score separates the outcomes. Safe for concurrent
// use.
type Ranking struct {
	scores []float64 // ascending
	hits   []bool    // in the order of scores
	right  []uint8   // by record: 1 = a hit
	down   []int32   // from the highest score: 4·record, +2 for a hit, +1 for the last of equal scores
}

// NewRanking sorts records by score. The slices are equally long and are not
// kept; a NaN score panics.
func NewRanking(scores []float64, hits []bool) *Ranking {
	if len(scores) != len(hits) {
		panic("metrics: scores and outcomes differ in length")
	}
	r := &Ranking{
		scores: make([]float64, len(scores)),
		hits:   make([]bool, len(scores)),
	}
	sorted := make([]radix.Pair, len(scores))
	for i, s := range scores {
		if math.IsNaN(s) {
			panic("metrics: a score is not a number")
		}
		sorted[i] = radix.Pair{Key: radix.Key(s), Value: int64(i)}
	}
	radix.Sort(sorted, make([]radix.Pair, len(sorted)))
	r.right, r.down = make([]uint8, len(scores)), make([]int32, 0, len(scores))
	for place, p := range sorted {
		r.scores[place], r.hits[place] = scores[p.Value], hits[p.Value]
	}
	for place, p := range slices.Backward(sorted) {
		i := int32(p.Value)
		code := 4 * i
		if hits[i] {
			r.right[i] = 1
			code += 2
		}
		if place == 0 || r.scores[place-1] != r.scores[place] {
			code++
		}
		r.down = append(r.down, code)
	}
	return r
}

// AUROC returns the area under the receiver operating characteristic,
//
//	P(score of a hit > score of a miss) + ½·P(equal)
//
// in [0,1], with each record counted counts[i] times (nil: once). Where all
// records are of one outcome there are no outcomes to separate and it is NaN.
func (r *Ranking) AUROC(counts []uint8) float64 {
	if counts == nil {
		counts = slices.Repeat([]uint8{1}, len(r.right))
	}
	var all, hit int
	for i, one := range r.right {
		all += int(counts[i])
		hit += int(counts[i] * one)
	}
	miss := all - hit
	if hit == 0 || miss == 0 {
		return math.NaN()
	}
	// From the highest score down: the shares of hits and of misses that are at
	// least as high, and the trapezoids between one score and the next.
	perHit, perMiss := 1/float64(hit), 1/float64(miss)
	tpr, fpr := 1-float64(float64(hit)*perHit), 1-float64(float64(miss)*perMiss)
	area := 0.0
	for _, code := range r.down {
		n := int(counts[code>>2])
		hits := n & -int(code>>1&1) // without a branch, which nothing could predict
		hit -= hits
		miss -= n - hits
		if code&1 == 0 {
			continue
		}
		t, f := 1-float64(float64(hit)*perHit), 1-float64(float64(miss)*perMiss)
		area += float64(0.5 * (f - fpr) * (t + tpr))
		tpr, fpr = t, f
	}
	return area
}

// DeLong returns what each record adds to the error of the AUROC over records drawn like these, whose standard error is
// the root of the squares' sum, and which records are hits:
//
//	hit:  (share of misses beaten, ties one half, − AUROC)/√(hits(hits−1)),   miss: likewise
//
// Of fewer than two hits or misses, theirs are 0.
func (r *Ranking) DeLong() (influence []float64, hits []bool) {
	// E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, "Comparing the areas
	// under two or more correlated receiver operating characteristic curves",
	// Biometrics 44 (1988).
	n := len(r.scores)
	influence, hits = make([]float64, n), make([]bool, n)
	all := 0
	for i, one := range r.right {
		hits[i] = one == 1
		all += int(one)
	}
	misses, mean := n-all, r.AUROC(nil)
	scale := func(k int) float64 {
		if k < 2 {
			return 0
		}
		return 1 / math.Sqrt(float64(k)*float64(k-1))
	}
	perHit, perMiss := scale(all), scale(misses)
	hitsBelow, missesBelow := 0, 0
	for from := 0; from < n; {
		to, h := from, 0
		for ; to < n && r.scores[to] == r.scores[from]; to++ {
			if r.hits[to] {
				h++
			}
		}
		m := to - from - h
		beaten := ((float64(missesBelow)+float64(float64(m)/2))/float64(misses) - mean) * perHit
		beating := ((float64(all-hitsBelow-h)+float64(float64(h)/2))/float64(all) - mean) * perMiss
		for place := from; place < to; place++ {
			i := r.down[n-1-place] >> 2
			if influence[i] = beating; hits[i] {
				influence[i] = beaten
			}
		}
		hitsBelow, missesBelow, from = hitsBelow+h, missesBelow+m, to
	}
	return influence, hits
}

// Brier returns the mean squared difference between a confidence and the
// outcome it speaks of, in [0,1], 0 for no records (Brier 1950).
func Brier(beta []float64, hits []bool) float64 {
	if len(beta) == 0 {
		return 0
	}
	var sum float64
	for i, b := range beta {
		d := b
		if hits[i] {
			d = b - 1
		}
		sum += float64(d * d)
	}
	return sum / float64(len(beta))
}

// ECE returns the expected calibration error over bins of equal mass: with
// records sorted by confidence and cut into bins parts of as equal size as
// ties allow (equal confidences stay together),
//
//	Σ_b (n_b/N)·|share of hits in b − mean confidence in b|
//
// in [0,1], 0 for no records (Naeini, Cooper, Hauskrecht 2015, with bins of
// equal mass as in Nixon et al. 2019).
func ECE(beta []float64, hits []bool, bins int) float64 {
	n := len(beta)
	if n == 0 || bins < 1 {
		return 0
	}
	r := NewRanking(beta, hits)
	var total float64
	for start, b := 0, 1; start < n; b++ {
		end := max(start+1, b*n/bins)
		for end < n && r.scores[end] == r.scores[end-1] {
			end++
		}
		var share, mean float64
		for i := start; i < end; i++ {
			mean += r.scores[i]
			if r.hits[i] {
				share++
			}
		}
		total += math.Abs(share - mean)
		start = end
	}
	return total / float64(n)
}

// AURC returns the area under the risk–coverage curve, the mean share of misses among the k highest scores,
//
//	AURC = (1/n)·Σ_{k=1…n} misses among the k highest / k
//
// in [0,1], and the least that any order of these records has: that in which every hit is above every miss. The
// difference of the two is E-AURC, in [0,1]. Records of equal score are in every order of themselves, in expectation.
// Each record is counted counts[i] times (nil: once). Of no record both are NaN.
func (r *Ranking) AURC(counts []uint8) (area, least float64) {
	// Y. Geifman, G. Uziel and R. El-Yaniv, "Bias-reduced uncertainty estimation for deep neural classifiers", ICLR
	// 2019, sections 2 and 4. The paper writes the least area as r + (1−r)·ln(1−r), its limit; this is the sum itself.
	before, misses := 0, 0 // of higher scores
	n, m := 0, 0           // of equal ones so far
	for _, code := range r.down {
		times := 1
		if counts != nil {
			times = int(counts[code>>2])
		}
		n += times
		if code&2 == 0 {
			m += times
		}
		if code&1 == 0 || n == 0 {
			continue
		}
		share := float64(m) / float64(n)
		for k := 1; k <= n; k++ {
			area += (float64(misses) + float64(float64(k)*share)) / float64(before+k)
		}
		before, misses, n, m = before+n, misses+m, 0, 0
	}
	if before == 0 {
		return math.NaN(), math.NaN()
	}
	for k := 1; k <= misses; k++ {
		least += float64(k) / float64(before-misses+k)
	}
	return area / float64(before), least / float64(before)
}

// PassAtK estimates the probability that at least one of k samples is right, from n samples of which c are, 1 ≤ k ≤ n:
//
//	1 − C(n−c, k) / C(n, k) = 1 − ∏ (1 − k/i), i from n−c+1 to n
//
// in [0,1]; without bias, whatever n is. It is 1 where fewer than k are wrong; pass@1 is c/n.
func PassAtK(n, c, k int) float64 {
	// Mark Chen et al., Evaluating Large Language Models Trained on Code, 2021, equation 1, and its figure 3 for the
	// product.
	if n-c < k {
		return 1
	}
	fail := 1.0
	for i := n - c + 1; i <= n; i++ {
		fail = float64(fail * (1 - float64(k)/float64(i)))
	}
	return 1 - fail
}
