package compare

import (
	"crypto/sha256"
	"fmt"
	"math"
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
	q      *Quantity
	x, y   []float64 // old and new, by record; nil for the two below
	a, b   []int     // old and new: cells of the confusion matrix of k labels
	k      int
	paid   [2][]float64 // old and new: what records cost, where the quantity is a cost or a saving; else nil
	c, d   [][]float64  // old and new: columns of which value takes the sums
	value  func(sums []float64) float64
	metric metrics.Metric // of the cells
	groups []string       // clusters; nil = every record is alone

	se float64
}

// differs reports whether any record differs.
func (h *hypothesis) differs() bool {
	for i := range h.x {
		if h.x[i] != h.y[i] {
			return true
		}
	}
	for i := range h.a {
		if h.a[i] != h.b[i] {
			return true
		}
	}
	for j := range h.c {
		for i := range h.c[j] {
			if h.c[j][i] != h.d[j][i] {
				return true
			}
		}
	}
	return false
}

// name identifies what is tested: quantities whose differences on the same records are proportional are one hypothesis.
// A share of right answers is one less the error, for instance, and costs are what savings lack.
func (h *hypothesis) name() string {
	b := []byte(h.q.Dataset)
	if h.x == nil {
		return fmt.Sprintf("%s %s %v %v %v %v", h.q.Dataset, h.q.Metric, h.a, h.b, h.c, h.d)
	}
	sign, most := h.sign(), 0.0
	if sign == 0 {
		sign = 1
		b = append(b, " undirected"...)
	}
	for i := range h.x {
		most = max(most, math.Abs(h.y[i]-h.x[i]))
	}
	for i := range h.x {
		if d := sign * (h.y[i] - h.x[i]) / most; d != 0 { // so that −0 is 0
			b = strconv.AppendFloat(append(strconv.AppendInt(append(b, ' '), int64(i), 10), ':'), d, 'g', 9, 64)
		}
	}
	hash := sha256.Sum256(b)
	return string(hash[:])
}

// sign is 1 where more is worse, −1 where more is better, 0 where neither is.
func (h *hypothesis) sign() float64 {
	switch h.q.Direction {
	case Lower:
		return 1
	case Higher:
		return -1
	}
	return 0
}

// test fills in the difference, its interval and its p-value. least is the smallest p-value that matters: permutation
// tests draw enough for it.
func (h *hypothesis) test(least float64) error {
	if err := h.interval(); err != nil {
		return err
	}
	h.tally()
	q := h.q
	var p infer.Paired
	var err error
	switch {
	case h.binary() && h.groups == nil:
		q.Test = mcnemar
		q.P = oneSided(infer.McNemar(q.Worsened, q.Improved), float64(q.Worsened-q.Improved), q.Direction)
		return nil
	case h.x != nil:
		q.Test = signFlip
		p, err = h.permute(least, func(stream string, draws int) (infer.Paired, error) {
			return infer.SignFlip(seed.Stream(0, stream, q.Dataset, q.Policy, q.Metric), h.y, h.x, h.groups, draws)
		})
	default:
		q.Test = swap
		p, err = h.permute(least, func(stream string, draws int) (infer.Paired, error) {
			rng := seed.Stream(0, stream, q.Dataset, q.Policy, q.Metric)
			if h.a == nil {
				return infer.SwapSums(rng, h.d, h.c, h.value, h.groups, draws)
			}
			c, places := metrics.Occupied(h.k, h.b, h.a)
			return infer.SwapCounts(rng, places[0], places[1], c.Len(),
				func(counts []float64) float64 { return h.metric.Counts(c, counts)(c, counts) }, h.groups, draws)
		})
	}
	if err == nil && h.paid[0] != nil {
		x, y := h.x, h.y
		if x == nil {
			x, y = shares(h.c), shares(h.d)
		}
		p = infer.Costs(p, y, x, h.paid, h.groups)
	}
	q.P, q.Few = oneSided(p.P, p.Statistic, q.Direction), p.Few
	return err
}

// shares are what records add to a ratio of sums, to first order: their mean is the ratio.
func shares(sums [][]float64) (out []float64) {
	below, ratio := mean(sums[1]), mean(sums[0])/mean(sums[1])
	for i, v := range sums[0] {
		out = append(out, ratio+(v-float64(ratio*sums[1][i]))/below)
	}
	return out
}

// oneSided halves a two-sided p-value where there is a direction: it is that of the direction seen, since the tests
// are symmetric. Without a difference both directions are as likely as not.
func oneSided(p, difference float64, d Direction) float64 {
	if d == Neither || difference == 0 {
		return p
	}
	return p / 2
}

// mostDraws bounds the permutations of one test.
const mostDraws = 1_000_000

// permute draws a usual number of permutations, and where these are too few for the least p-value that matters, more of
// them, from a stream of their own, so that the p-value is a valid one.
func (h *hypothesis) permute(least float64, test func(stream string, draws int) (infer.Paired, error)) (infer.Paired,
	error) {
	p, err := test("compare", 0)
	if few := 20.0 / (infer.Permutations + 1); err != nil || p.P > few || least > few {
		return p, err
	}
	draws := math.Min(mostDraws, math.Ceil(20/least))
	return test("compare again", int(draws))
}

// binary reports whether all differences are 0, 1 or −1.
func (h *hypothesis) binary() bool {
	for i := range h.x {
		if d := math.Abs(h.y[i] - h.x[i]); d != 0 && d != 1 {
			return false
		}
	}
	return h.x != nil
}

// tally counts records that are worse and better, and keeps their differences.
func (h *hypothesis) tally() {
	if h.x == nil {
		for i := range h.a {
			right := func(cell int) bool { return cell/h.k == cell%h.k }
			h.q.Worsened += tell(right(h.a[i]) && !right(h.b[i]))
			h.q.Improved += tell(!right(h.a[i]) && right(h.b[i]))
		}
		return
	}
	sign := h.sign()
	if sign == 0 {
		sign = 1 // more and less, then
	}
	for i := range h.x {
		d := sign * (h.y[i] - h.x[i])
		h.q.Worsened += tell(d > 0)
		h.q.Improved += tell(d < 0)
	}
}

func tell(is bool) int {
	if is {
		return 1
	}
	return 0
}

// interval fills in the difference with its paired interval.
func (h *hypothesis) interval() (err error) {
	n := max(len(h.x), len(h.a))
	if h.c != nil {
		n = len(h.c[0])
	}
	groups := h.groups
	if groups == nil {
		groups = make([]string, n)
	}
	q := h.q
	rs, err := infer.NewResamples(seed.Stream(0, "compare", "bootstrap", q.Dataset), groups,
		infer.Options{Level: q.New.Level})
	if err != nil {
		return err
	}
	switch {
	case h.x != nil:
		q.Difference, err = rs.Difference(h.y, h.x)
	case h.a != nil:
		c, places := metrics.Occupied(h.k, h.b, h.a)
		k, value := c.Len(), func(counts []float64) float64 { return h.metric.Counts(c, counts)(c, counts) }
		for i := range places[1] {
			places[1][i] += k
		}
		q.Difference, err = rs.OfCells(2*k, places, nil, math.Inf(-1), math.Inf(1), func(counts []float64) float64 {
			return value(counts[:k]) - value(counts[k:])
		})
	default:
		width := len(h.c)
		columns := append(append([][]float64{}, h.d...), h.c...)
		q.Difference, err = rs.Of(func(s []float64) float64 {
			return h.value(s[:width]) - h.value(s[width:])
		}, math.Inf(-1), math.Inf(1), columns...)
	}
	// what the interval says of the standard error, for all that is no rate
	h.se = (q.Difference.High - q.Difference.Low) / 2 / upper((1-q.New.Level)/2)
	return err
}

// sizes fills in what could have been seen at a one-sided level, and how many records it would take.
func (h *hypothesis) sizes(alpha float64) {
	q := h.q
	if q.Few {
		return
	}
	n := q.Difference.N
	if q.Direction == Neither {
		alpha /= 2
	}
	if q.Test == mcnemar {
		q.Detectable = detectableRate(alpha, 2*min(q.Worsened, q.Improved), n)
		q.Needed = neededRate(alpha, q.Worsened, q.Improved, n)
		return
	}
	q.Detectable = detectableMean(alpha, h.se)
	q.Needed = neededMean(alpha, h.se, q.Difference.Value, n)
}
