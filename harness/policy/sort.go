package policy

import (
	"math"

	"infnet/harness/radix"
)

// A record is sorted by its confidence together with its load: what deferring it changes, packed
// into one number, gain·2²⁰ + weight, where |gain| ≤ 2³² and 1 ≤ weight < 2²⁰. The scan that
// follows the sort then reads memory in order.
const weightBits = 20

func pack(gain, weight int64) int64 { return gain<<weightBits + weight }
func gain(load int64) int64         { return load >> weightBits }
func weight(load int64) int64       { return load & (1<<weightBits - 1) }

// byConfidence is a record as it is sorted.
func byConfidence(beta float64, load int64) radix.Pair {
	return radix.Pair{Key: betaKey(beta), Value: load}
}

// betaKey returns the ordering key of β ≥ 0; −0 and 0 share one. For numbers ≥ 0 the bits of a
// float64, read as an integer, are monotone in it.
func betaKey(beta float64) uint64 { return math.Float64bits(beta + 0) }
