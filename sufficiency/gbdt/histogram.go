package gbdt

const lanes = 8 // columns whose bins share a word

// histogram holds, for each of 8 columns and each bin, one integer: the number
// of records times 2^shift plus the sum of their integer residuals.
type histogram [lanes][MaxBins]int64

// clear empties the bins in use. The others hold anything.
func (h *histogram) clear(bins []int) {
	for l := range h {
		clear(h[l][:bins[l]])
	}
}

// fill adds what some records have.
func fill(to *histogram, words []uint64, what []int64, records []int32) {
	what = what[:len(words)]
	for _, i := range records {
		w, v := words[i], what[i]
		to[0][uint8(w)] += v
		to[1][uint8(w>>8)] += v
		to[2][uint8(w>>16)] += v
		to[3][uint8(w>>24)] += v
		to[4][uint8(w>>32)] += v
		to[5][uint8(w>>40)] += v
		to[6][uint8(w>>48)] += v
		to[7][uint8(w>>56)] += v
	}
}

// fillAll is fill for all records.
func fillAll(to *histogram, words []uint64, what []int64) {
	what = what[:len(words)]
	for i, w := range words {
		v := what[i]
		to[0][uint8(w)] += v
		to[1][uint8(w>>8)] += v
		to[2][uint8(w>>16)] += v
		to[3][uint8(w>>24)] += v
		to[4][uint8(w>>32)] += v
		to[5][uint8(w>>40)] += v
		to[6][uint8(w>>48)] += v
		to[7][uint8(w>>56)] += v
	}
}

// scanBins looks for the border with the largest score, by sides; bin −1 if
// none beats that given.
func scanBins(bins []int64, shift uint, sides []side, score float64) (float64, int) {
	at := -1
	sum, up := int64(0), 64-shift
	for b, v := range bins {
		sum += v
		g := sum << (up & 63) >> (up & 63)
		side := &sides[uint64(sum-g)>>(shift&63)]
		d := float64(g) - side.expected
		if s := d * d * side.weight; s > score {
			score, at = s, b
		}
	}
	return score, at
}
