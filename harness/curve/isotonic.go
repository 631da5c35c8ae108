// Package curve fits one-dimensional curves and reads numbers off them:
// isotonic, logistic and kernel regression, densities on [0,1], quantiles,
// integrals, roots. It works on plain numbers, never on models or records. Its
// opinion: inputs are validated and never modified, ties in x are one point, and
// the same input gives the same bytes.
package curve

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/radix"
)

// Monotone is a monotone piecewise-linear curve through the knots (X[i], Y[i]),
// X strictly increasing, constant beyond its ends.
type Monotone struct {
	X []float64 `json:"x" toml:"x"`
	Y []float64 `json:"y" toml:"y"`
}

// At returns the curve's value, by linear interpolation between knots; O(log n). NaN gives NaN.
func (m Monotone) At(x float64) float64 {
	i, hit := slices.BinarySearch(m.X, x)
	switch {
	case math.IsNaN(x):
		return math.NaN()
	case hit:
		return m.Y[i]
	case i == 0:
		return m.Y[0]
	case i == len(m.X):
		return m.Y[i-1]
	}
	t := (x - m.X[i-1]) / (m.X[i] - m.X[i-1])
	y := m.Y[i-1] + float64(t*(m.Y[i]-m.Y[i-1]))
	// Rounding must not leave the piece.
	return min(max(y, min(m.Y[i-1], m.Y[i])), max(m.Y[i-1], m.Y[i]))
}

// Validate reports knots that make no monotone curve: none, unequal numbers, NaN or
// infinities, X not strictly increasing, Y not monotone.
func (m Monotone) Validate() error {
	if len(m.X) == 0 || len(m.X) != len(m.Y) {
		return fmt.Errorf("a curve of %d x and %d y: want as many, and at least one", len(m.X), len(m.Y))
	}
	up, down := true, true
	for i := range m.X {
		if math.IsNaN(m.X[i]+m.Y[i]) || math.IsInf(m.X[i]+m.Y[i], 0) {
			return fmt.Errorf("knot %d is (%v, %v): want finite numbers", i, m.X[i], m.Y[i])
		}
		if i == 0 {
			continue
		}
		if m.X[i] <= m.X[i-1] {
			return fmt.Errorf("knot %d at x = %v does not lie after %v", i, m.X[i], m.X[i-1])
		}
		up, down = up && m.Y[i] >= m.Y[i-1], down && m.Y[i] <= m.Y[i-1]
	}
	if !up && !down {
		return fmt.Errorf("the knots rise and fall: want a monotone curve")
	}
	return nil
}

// Isotonic returns the non-decreasing curve of least squared error:
// y averaged over equal x, then pooled where it falls (pool adjacent violators).
// Each pooled block becomes a flat piece between its first and last x, and
// neighbouring blocks are joined by straight lines. O(n log n).
//
// Ayer, Brunk, Ewing, Reid and Silverman (1955), An empirical distribution
// function for sampling with incomplete information.
func Isotonic(x, y []float64) (Monotone, error) {
	blocks, err := pool(x, y)
	if err != nil {
		return Monotone{}, err
	}
	var m Monotone
	for _, b := range blocks {
		m.X, m.Y = append(m.X, b.first), append(m.Y, b.mean())
		if b.last > b.first {
			m.X, m.Y = append(m.X, b.last), append(m.Y, b.mean())
		}
	}
	return m, nil
}

// NonIncreasing returns the non-increasing values of least squared distance from y, where y[j] counts n[j] times.
func NonIncreasing(y []float64, n []int) []float64 {
	var bs []block
	for j, v := range y {
		bs = pooled(bs, block{float64(j), float64(j), -v * float64(n[j]), float64(n[j])})
	}
	out := slices.Clone(y)
	for _, b := range bs {
		for j := int(b.first); b.last > b.first && j <= int(b.last); j++ {
			out[j] = -b.mean()
		}
	}
	return out
}

// block is a run of neighbouring x with one fitted value.
type block struct{ first, last, sum, weight float64 }

func (b block) mean() float64 { return b.sum / b.weight }

// pooled adds a block, joined with those before it that are not below it.
func pooled(bs []block, b block) []block {
	for len(bs) > 0 && bs[len(bs)-1].mean() >= b.mean() {
		prev := bs[len(bs)-1]
		bs = bs[:len(bs)-1]
		b = block{prev.first, b.last, prev.sum + b.sum, prev.weight + b.weight}
	}
	return append(bs, b)
}

func pool(x, y []float64) ([]block, error) {
	if len(x) == 0 || len(y) != len(x) {
		return nil, fmt.Errorf("isotonic regression of %d x and %d y: want as many, and at least one", len(x), len(y))
	}
	order := make([]radix.Pair, len(x))
	for i, v := range x {
		if math.IsNaN(v+y[i]) || math.IsInf(v+y[i], 0) {
			return nil, fmt.Errorf("point %d is (%v, %v): want finite numbers", i, v, y[i])
		}
		order[i] = radix.Pair{Key: radix.Key(v), Value: int64(i)}
	}
	radix.Sort(order, make([]radix.Pair, len(order)))
	var bs []block
	for at := 0; at < len(order); {
		key := order[at].Key
		b := block{first: radix.Float(key), last: radix.Float(key)}
		for ; at < len(order) && order[at].Key == key; at++ {
			b.sum += y[order[at].Value]
			b.weight++
		}
		bs = pooled(bs, b)
	}
	return bs, nil
}
