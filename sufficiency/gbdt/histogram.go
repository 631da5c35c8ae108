package gbdt

const lanes = 8 // columns whose bins share a word

// histogram holds, for each bin and each of 8 columns, one integer: the number
// of records times 2^shift plus the sum of their integer residuals. Columns lie
// side by side, so that a bin of all eight is one vector.
type histogram [MaxBins][lanes]int64

// fill adds what some records have.
func fill(to *histogram, words []uint64, what []int64, records []int32) {
	what = what[:len(words)]
	for _, i := range records {
		w, v := words[i], what[i]
		to[uint8(w)][0] += v
		to[uint8(w>>8)][1] += v
		to[uint8(w>>16)][2] += v
		to[uint8(w>>24)][3] += v
		to[uint8(w>>32)][4] += v
		to[uint8(w>>40)][5] += v
		to[uint8(w>>48)][6] += v
		to[uint8(w>>56)][7] += v
	}
}

// fillAll is fill for all records.
func fillAll(to *histogram, words []uint64, what []int64) {
	what = what[:len(words)]
	for i, w := range words {
		v := what[i]
		to[uint8(w)][0] += v
		to[uint8(w>>8)][1] += v
		to[uint8(w>>16)][2] += v
		to[uint8(w>>24)][3] += v
		to[uint8(w>>32)][4] += v
		to[uint8(w>>40)][5] += v
		to[uint8(w>>48)][6] += v
		to[uint8(w>>56)][7] += v
	}
}

// packing says how a histogram's integers are read: a sum is records·one +
// residuals, the residuals between −one/2 and one/2.
type packing struct {
	shift     uint64
	one, half int64
}

func packedBy(shift uint) packing { return packing{uint64(shift), 1 << shift, 1 << (shift - 1)} }

// best is, for each of 8 columns, the border with the largest score found.
type best struct {
	score [lanes]float64
	bin   [lanes]int64 // −1 = none beats the score looked for
}

// scanPortable looks in every column for the first border with the largest of
// the scores above score. bins are all but the last, sides those of the node.
func scanPortable(bins [][lanes]int64, p packing, sides []side, score float64, found *best) {
	shift, one, half := p.shift&63, p.one, p.half
	for l := range lanes {
		top, at, sum := score, -1, int64(0)
		for b := range bins {
			sum += bins[b][l]
			records := uint64(sum+half) >> shift
			side := &sides[records]
			d := float64(sum-int64(records)*one) - side.expected
			if s := d * d * side.weight; s > top {
				top, at = s, b
			}
		}
		found.score[l], found.bin[l] = top, int64(at)
	}
}

// subtractPortable sets to to from − less.
func subtractPortable(to, from, less [][lanes]int64) {
	from, less = from[:len(to)], less[:len(to)]
	for b := range to {
		t, f, l := &to[b], &from[b], &less[b]
		t[0], t[1], t[2], t[3] = f[0]-l[0], f[1]-l[1], f[2]-l[2], f[3]-l[3]
		t[4], t[5], t[6], t[7] = f[4]-l[4], f[5]-l[5], f[6]-l[6], f[7]-l[7]
	}
}
