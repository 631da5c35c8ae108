// Package radix sorts numbers in linear time, and what belongs to them with them. It refuses
// comparisons by function: for those, slices.SortFunc is as good. Its opinion: 16 bytes that move in
// memory order beat indices that jump.
package radix

import (
	"cmp"
	"math"
	"slices"
)

// Pair is a key with a value that moves with it.
type Pair struct {
	Key   uint64
	Value int64
}

const (
	digitBits = 11
	digits    = 1 << digitBits
	half      = 3    // digits; a key has two halves, 2·3·11 ≥ 64
	from      = 2048 // below, clearing the counters costs more than comparing
)

// Sort sorts by key ascending, in O(n). Pairs of equal keys keep their order if their values ascend;
// otherwise they end in no particular order, but the same on every run. scratch has the length of
// ps.
//
// It sorts by the upper half of the keys, which leaves few pairs of numbers without an order, and
// then what shares an upper half.
func Sort(ps, scratch []Pair) {
	if len(ps) < from {
		compare(ps)
		return
	}
	byDigits(ps, scratch, half)
	const upper = half * digitBits
	for i := 0; i < len(ps); {
		first, sorted := i, true
		for i++; i < len(ps) && ps[i].Key>>upper == ps[first].Key>>upper; i++ {
			sorted = sorted && ps[i-1].Key <= ps[i].Key
		}
		switch run := ps[first:i]; {
		case sorted:
		case len(run) < from:
			compare(run)
		default:
			byDigits(run, scratch[first:i], 0)
		}
	}
}

// compare sorts a short list.
func compare(ps []Pair) {
	slices.SortFunc(ps, func(a, b Pair) int {
		if a.Key != b.Key {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Compare(a.Value, b.Value)
	})
}

// byDigits sorts by half the digits of the keys, counted from the first, the least significant first.
func byDigits(ps, scratch []Pair, first int) {
	var counts [half][digits]uint32
	low := first * digitBits
	for _, k := range ps {
		for p := range counts {
			counts[p][k.Key>>(low+p*digitBits)&(digits-1)]++
		}
	}
	here, there := ps, scratch
	for p := range counts {
		shift := low + p*digitBits
		if counts[p][here[0].Key>>shift&(digits-1)] == uint32(len(ps)) {
			continue // every key has the same digit here
		}
		next := uint32(0)
		for d, c := range counts[p] {
			counts[p][d], next = next, next+c
		}
		for _, k := range here {
			d := k.Key >> shift & (digits - 1)
			there[counts[p][d]] = k
			counts[p][d]++
		}
		here, there = there, here
	}
	if &here[0] != &ps[0] {
		copy(ps, here)
	}
}

const sign = 1 << 63

// Key returns a key that orders as the number does; −0 and 0 share one. x is not NaN.
func Key(x float64) uint64 {
	bits := math.Float64bits(x + 0)
	if bits&sign != 0 {
		return ^bits
	}
	return bits | sign
}

// Float returns the number of a key.
func Float(key uint64) float64 {
	if key&sign != 0 {
		return math.Float64frombits(key &^ sign)
	}
	return math.Float64frombits(^key)
}
