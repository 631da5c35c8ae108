package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"infnet/harness/accept"
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

// confidence is the level of the intervals of differences.
const confidence = 0.95

// hypothesis is a quantity that is tested, with both runs' values of the same records.
type hypothesis struct {
	number
	q     *Quantity
	s     *subject
	x, y  [][]float64 // old and new, column by column; of the confusion matrix the cells of k labels; nil = not tested
	first *hypothesis // the first one that tests the same; nil = not tested
	place int         // of the first one, in its family
}

// differs reports whether any record differs.
func (h *hypothesis) differs() bool {
	return !slices.EqualFunc(h.x, h.y, func(x, y []float64) bool { return slices.Equal(x, y) })
}

// mean reports whether the quantity is the mean of one column.
func (h *hypothesis) mean() bool { return h.sums == nil && h.counted == nil }

// name identifies what is tested: means whose differences are the same for the worse are one hypothesis, such as the
// share of right answers and the error, and so is what two policies that decide alike have.
func (h *hypothesis) name() string {
	if !h.mean() {
		return accept.Sum(fmt.Append(nil, h.q.Dataset, h.metric, h.x, h.y))
	}
	d := make([]float64, len(h.x[0]))
	for i := range d {
		d[i] = h.sign()*(h.y[0][i]-h.x[0][i]) + 0 // so that −0 is 0
	}
	return accept.Sum(fmt.Append(nil, h.q.Dataset, d))
}

// sign is 1 where more is worse, −1 where more is better.
func (h *hypothesis) sign() float64 { return float64(2*tell(h.lower) - 1) }

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
		infer.Options{Level: confidence})
	if err != nil {
		return err
	}
	q.Test = swap
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
		q.Test = signFlip
		permuted = func(rng *rand.Rand, draws int) (infer.Paired, error) {
			return infer.SignFlip(rng, y[0], x[0], groups, draws)
		}
		q.Difference, err = rs.Difference(y[0], x[0])
	}
	if err != nil {
		return err
	}
	h.tally(k)
	if h.binary() && groups == nil {
		q.Test = mcnemar
		q.P = oneSided(infer.McNemar(q.Worsened, q.Improved), float64(q.Worsened-q.Improved))
		return nil
	}
	p, err := h.permute(least, permuted)
	if err == nil && h.metric == costs {
		p = infer.Costs(p, h.y[0], h.x[0], [2][]float64{h.x[0], h.y[0]}, groups)
	}
	q.P = oneSided(p.P, p.Statistic)
	return err
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
	return h.mean() && !slices.ContainsFunc(h.pairs(), func(d float64) bool { return d != 0 && d != 1 && d != -1 })
}

// pairs are the differences of the first column.
func (h *hypothesis) pairs() []float64 {
	out := make([]float64, len(h.x[0]))
	for i := range out {
		out[i] = h.y[0][i] - h.x[0][i]
	}
	return out
}

// tally counts records that are worse and better: of a confusion matrix of k labels those whose class turned wrong or
// right, of a mean those whose value did.
func (h *hypothesis) tally(k int) {
	for i, d := range h.pairs() {
		d *= h.sign()
		if k > 0 {
			d = float64(tell(wrong(h.y[0][i], k)) - tell(wrong(h.x[0][i], k)))
		}
		h.q.Worsened += tell(d > 0 && h.sums == nil)
		h.q.Improved += tell(d < 0 && h.sums == nil)
	}
}
