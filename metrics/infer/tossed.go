package infer

import "math/rand/v2"

// tossedUnits is how many units of a permutation are summed at a time: two words
// of coins, and tables that stay in the cache.
const tossedUnits = 128

// tables are the sums of every subset of eight units, for each eight of a block.
type tables [tossedUnits / 8][256]float64

func (t *tables) fill(values []float64) {
	for k := range t {
		for subset := 1; subset < 256; subset++ {
			rest := subset & (subset - 1)
			t[k][subset] = t[k][rest]
			if i := 8*k + trailing[subset]; i < len(values) {
				t[k][subset] += values[i]
			}
		}
	}
}

// trailing is the place of a byte's lowest bit.
var trailing = func() (out [256]int) {
	for b := 1; b < 256; b++ {
		for b>>out[b]&1 == 0 {
			out[b]++
		}
	}
	return out
}()

// sum adds up the units that a word's coins pick, of the first or the second half of a
// block.
func (t *tables) sum(half int, w uint64) float64 {
	of := (*[8][256]float64)(t[8*half:])
	return ((of[0][uint8(w)] + of[1][uint8(w>>8)]) + (of[2][uint8(w>>16)] + of[3][uint8(w>>24)])) +
		((of[4][uint8(w>>32)] + of[5][uint8(w>>40)]) + (of[6][uint8(w>>48)] + of[7][uint8(w>>56)]))
}

// tossed returns, for each column of values by unit, the sums over the units whose
// coin comes up, by permutation. The coins are those of permute with this seed;
// the order of additions is another. It takes a table for every eight units, and
// goes through all permutations with it, so that a permutation adds one number
// for eight units.
func tossed(seed uint64, draws int, columns ...[]float64) [][]float64 {
	out := make([][]float64, len(columns))
	for c := range out {
		out[c] = make([]float64, draws)
	}
	parallel(draws, func(lo, hi int) {
		streams, words := make([]rand.PCG, hi-lo), make([][2]uint64, hi-lo)
		for p := range streams {
			streams[p].Seed(seed, uint64(lo+p))
		}
		var t tables
		for from := 0; from < len(columns[0]); from += tossedUnits {
			for p := range words {
				words[p] = [2]uint64{streams[p].Uint64(), streams[p].Uint64()}
			}
			for c, values := range columns {
				t.fill(values[from:min(from+tossedUnits, len(values))])
				sums := out[c][lo:hi]
				for p, w := range words {
					sums[p] += t.sum(0, w[0]) + t.sum(1, w[1])
				}
			}
		}
	})
	return out
}
