package policy

import (
	"cmp"
	"math"
	"slices"
)

// keyed is a record by its confidence. key orders as β does: for numbers ≥ 0
// the bits of a float64, read as an integer, are monotone in it. The load is
// what deferring the record changes, packed so that sorting moves 16 bytes and
// the scan after it reads memory in order: gain·2²⁰ + weight, where
// |gain| ≤ 2³² and 1 ≤ weight < 2²⁰.
type keyed struct {
	key  uint64
	load int64
}

const weightBits = 20

func pack(gain, weight int64) int64 { return gain<<weightBits + weight }
func (k keyed) gain() int64         { return k.load >> weightBits }
func (k keyed) weight() int64       { return k.load & (1<<weightBits - 1) }

// betaKey returns the ordering key of β ≥ 0; −0 and 0 share one.
func betaKey(beta float64) uint64 { return math.Float64bits(beta + 0) }

// beta returns the confidence.
func (k keyed) beta() float64 { return math.Float64frombits(k.key) }

const (
	radixBits   = 11
	radixDigits = 1 << radixBits
	radixPasses = 6    // 6·11 ≥ 62, the bits of a float64 in [0,1]
	radixFrom   = 2048 // below, clearing the counters costs more than comparing
)

// sortKeyed sorts by key ascending, in O(n): least significant digit first.
// Records of equal confidence end in no particular order, but the same on every run. scratch has
// the length of ks.
func sortKeyed(ks, scratch []keyed) {
	if len(ks) < radixFrom {
		slices.SortFunc(ks, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
		return
	}
	var counts [radixPasses][radixDigits]uint32
	for _, k := range ks {
		for p := range counts {
			counts[p][k.key>>(p*radixBits)&(radixDigits-1)]++
		}
	}
	from, to := ks, scratch
	for p := range counts {
		shift := p * radixBits
		if counts[p][from[0].key>>shift&(radixDigits-1)] == uint32(len(ks)) {
			continue // every key has the same digit here
		}
		next := uint32(0)
		for d, c := range counts[p] {
			counts[p][d], next = next, next+c
		}
		for _, k := range from {
			d := k.key >> shift & (radixDigits - 1)
			to[counts[p][d]] = k
			counts[p][d]++
		}
		from, to = to, from
	}
	if &from[0] != &ks[0] {
		copy(ks, from)
	}
}
