package compare

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"infnet/harness/seed"
	"infnet/metrics"
	"infnet/metrics/infer"
)

// The tests.
const (
	mcnemar  = "mcnemar"
	signFlip = "sign-flip"
	swap     = "swap"
)

// hypothesis is a quantity that is tested, with both runs' values of the same records.
type hypothesis struct {
	number
	q     *Quantity
	s     *subject
	x, y  [][]float64  // old and new, column by column; of the confusion matrix the cells of k labels; nil = not tested
	costs [2][]float64 // old and new: what records cost, where the quantity is a cost or a saving; else nil
	first *hypothesis  // the first one that tests the same; nil = not tested
	place int          // of the first one, in its family

	se float64
}

// mean reports whether the quantity is the mean of one column.
func (h *hypothesis) mean() bool { return h.sums == nil && h.counted == nil }

// differs reports whether any record differs.
func (h *hypothesis) differs() bool {
	return !slices.EqualFunc(h.x, h.y, func(x, y []float64) bool { return slices.Equal(x, y) })
}

// name identifies what is tested: quantities whose differences on the same records are proportional are one hypothesis.
// A share of right answers is one less the error, for instance, and costs are what savings lack.
func (h *hypothesis) name() string {
	if !h.mean() {
		return fmt.Sprintf("%s %s %v %v", h.q.Dataset, h.metric, h.x, h.y)
	}
	b := []byte(h.q.Dataset)
	sign, most, x, y := h.sign(), 0.0, h.x[0], h.y[0]
	for i := range x {
		most = max(most, math.Abs(y[i]-x[i]))
	}
	for i := range x {
		if d := sign * (y[i] - x[i]) / most; d != 0 { // so that −0 is 0
			b = strconv.AppendFloat(append(strconv.AppendInt(append(b, ' '), int64(i), 10), ':'), d, 'g', 9, 64)
		}
	}
	hash := sha256.Sum256(b)
	return string(hash[:])
}

// sign is 1 where more is worse, −1 where more is better.
func (h *hypothesis) sign() float64 {
	if h.q.Direction == Lower {
		return 1
	}
	return -1
}

// worse reports whether the difference is for the worse.
func (h *hypothesis) worse() bool { return h.sign()*h.q.Difference.Value > 0 }

// test fills in the difference, its interval and its p-value. least is the smallest p-value that matters: permutation
// tests draw enough for it.
func (h *hypothesis) test(least float64) error {
	q, k, groups := h.q, 0, h.s.groups
	if h.counted != nil {
		k = h.s.now.k
	}
	each := groups
	if each == nil {
		each = make([]string, len(h.x[0]))
	}
	rs, err := infer.NewResamples(seed.Stream(0, "compare", "bootstrap", q.Dataset), each,
		infer.Options{Level: q.New.Level})
	if err != nil {
		return err
	}
	kind := swap
	var permuted func(rng *rand.Rand, draws int) (infer.Paired, error)
	switch x, y := h.x, h.y; {
	case h.counted != nil:
		cells, places := metrics.Occupied(k, whole(y[0]), whole(x[0]))
		n, value := cells.Len(), func(counts []float64) float64 { return h.counted.Counts(cells, counts)(cells, counts) }
		permuted = func(rng *rand.Rand, draws int) (infer.Paired, error) {
			return infer.SwapCounts(rng, places[0], places[1], n, value, groups, draws)
		}
		both := [][]int{places[0], make([]int, len(places[1]))}
		for i, at := range places[1] {
			both[1][i] = at + n
		}
		q.Difference, err = rs.OfCells(2*n, both, nil, math.Inf(-1), math.Inf(1), func(counts []float64) float64 {
			return value(counts[:n]) - value(counts[n:])
		})
	case h.sums != nil:
		permuted = func(rng *rand.Rand, draws int) (infer.Paired, error) {
			return infer.SwapSums(rng, y, x, h.sums, groups, draws)
		}
		q.Difference, err = rs.Of(func(s []float64) float64 { return h.sums(s[:len(x)]) - h.sums(s[len(x):]) },
			math.Inf(-1), math.Inf(1), slices.Concat(y, x)...)
	default:
		kind = signFlip
		permuted = func(rng *rand.Rand, draws int) (infer.Paired, error) {
			return infer.SignFlip(rng, y[0], x[0], groups, draws)
		}
		q.Difference, err = rs.Difference(y[0], x[0])
	}
	// what the interval says of the standard error, for all that is no rate
	h.se = (q.Difference.High - q.Difference.Low) / 2 / upper((1-q.New.Level)/2)
	if err != nil {
		return err
	}
	h.tally(k)
	q.Test = kind
	if h.binary() && groups == nil {
		q.Test = mcnemar
		q.P = oneSided(infer.McNemar(q.Worsened, q.Improved), float64(q.Worsened-q.Improved))
		return nil
	}
	p, err := h.permute(least, permuted)
	if err == nil && h.costs[0] != nil {
		x, y := h.x[0], h.y[0]
		if h.sums != nil {
			x, y = linear(h.x), linear(h.y)
		}
		p = infer.Costs(p, y, x, h.costs, groups)
	}
	q.P, q.Few = oneSided(p.P, p.Statistic), p.Few
	return err
}

// linear are what records add to a ratio of sums, to first order: their mean is the ratio.
func linear(sums [][]float64) (out []float64) {
	below, ratio := average(sums[1]), average(sums[0])/average(sums[1])
	for i, v := range sums[0] {
		out = append(out, ratio+(v-float64(ratio*sums[1][i]))/below)
	}
	return out
}

// oneSided halves a two-sided p-value: it is that of the direction seen, since the tests are symmetric. Without a
// difference both directions are as likely as not.
func oneSided(p, difference float64) float64 {
	if difference == 0 {
		return p
	}
	return p / 2
}

// mostDraws bounds the permutations of one test.
const mostDraws = 1_000_000

// permute draws a usual number of permutations, and where these are too few for the least p-value that matters, more of
// them, from a stream of their own, so that the p-value is a valid one.
func (h *hypothesis) permute(least float64, test func(*rand.Rand, int) (infer.Paired, error)) (infer.Paired, error) {
	stream := func(name string) *rand.Rand { return seed.Stream(0, name, h.q.Dataset, h.q.Policy, h.q.Metric) }
	p, err := test(stream("compare"), 0)
	if few := 20.0 / (infer.Permutations + 1); err != nil || p.P > few || least > few {
		return p, err
	}
	return test(stream("compare again"), int(math.Min(mostDraws, math.Ceil(20/least))))
}

// binary reports whether the quantity is a mean and all differences are 0, 1 or −1.
func (h *hypothesis) binary() bool {
	if !h.mean() {
		return false
	}
	for i := range h.x[0] {
		if d := math.Abs(h.y[0][i] - h.x[0][i]); d != 0 && d != 1 {
			return false
		}
	}
	return true
}

// tally counts records that are worse and better: of a confusion matrix of k labels those whose class turned wrong or
// right, of a mean those whose value did.
func (h *hypothesis) tally(k int) {
	for i := range h.x[0] {
		d := h.sign() * (h.y[0][i] - h.x[0][i])
		if k > 0 {
			d = float64(tell(wrong(h.y[0][i], k)) - tell(wrong(h.x[0][i], k)))
		}
		h.q.Worsened += tell(d > 0 && h.sums == nil)
		h.q.Improved += tell(d < 0 && h.sums == nil)
	}
}

func tell(is bool) int {
	if is {
		return 1
	}
	return 0
}

// sizes fills in what could have been seen at a one-sided level, and how many records it would take.
func (h *hypothesis) sizes(alpha float64) {
	q, n := h.q, h.q.Difference.N
	switch {
	case q.Few:
	case q.Test == mcnemar:
		q.Detectable = detectableRate(alpha, 2*min(q.Worsened, q.Improved), n)
		q.Needed = neededRate(alpha, q.Worsened, q.Improved, n)
	default:
		q.Detectable = math.Sqrt(planned(alpha)) * h.se
		q.Needed = neededMean(alpha, h.se, q.Difference.Value, n)
	}
}
