package gbdt

const lanes = 8 // columns whose bins share a word

// histogram holds, for each bin and each of 8 columns, one integer: the sum of
// what fill added. Columns lie side by side, so that a bin of all eight is one
// vector.
type histogram [MaxBins * lanes]int64

// fill adds what[k] to the bins of record records[k].
func fill(to *histogram, words []uint64, what []int64, records []int32) {
	const bin = (MaxBins - 1) * lanes // a bin's place is eight times its number
	what = what[:len(records)]
	for k, i := range records {
		w, v := words[i], what[k]
		to[w<<3&bin] += v
		to[w>>5&bin+1] += v
		to[w>>13&bin+2] += v
		to[w>>21&bin+3] += v
		to[w>>29&bin+4] += v
		to[w>>37&bin+5] += v
		to[w>>45&bin+6] += v
		to[w>>53&bin+7] += v
	}
}

// packing says how a histogram's integers are read: a sum is records·one +
// residuals, the residuals between −one/2 and one/2.
type packing struct {
	shift     uint64
	one, half int64
}

func packedBy(shift uint) packing { return packing{uint64(shift), 1 << shift, 1 << (shift - 1)} }

// counted is the number of records in a sum.
func (p packing) counted(sum int64) int64 { return int64(uint64(sum+p.half) >> (p.shift & 63)) }

// best is, for each of 8 columns, the border with the largest score found.
type best struct {
	score [lanes]float64
	bin   [lanes]int64 // −1 = none beats the score looked for
}

// look says what a histogram is scanned for.
type look struct {
	packing
	sides   []side
	mean    float64    // of the node's integer residuals
	score   float64    // to beat
	borders [lanes]int // by column: bins but the last
}

// scan looks in every column for the first border with the largest of
// the scores above score.
func (k *look) scan(bins []int64, found *best) {
	shift, one, half, sides := k.shift&63, k.one, k.half, k.sides
	for l, borders := range k.borders {
		top, at, sum := k.score, -1, int64(0)
		for b := range borders {
			sum += bins[b*lanes+l]
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

// many looks at a node of many records: look without sides.
type many struct {
	look
	records int
	minLeaf int
}

func (m *many) scan(bins []int64, found *best) {
	for l, borders := range m.borders {
		top, at, sum := m.score, -1, int64(0)
		for b := range borders {
			sum += bins[b*lanes+l]
			left := m.counted(sum)
			residuals := sum - left*m.one
			if int(left) < m.minLeaf || m.records-int(left) < m.minLeaf {
				continue
			}
			d := float64(residuals) - float64(float64(left)*m.mean)
			if s := d * d * (1 / (float64(left) * float64(m.records-int(left)))); s > top {
				top, at = s, b
			}
		}
		found.score[l], found.bin[l] = top, int64(at)
	}
}

// subtract sets to to from − less.
func subtract(to, from, less []int64) {
	from, less = from[:len(to)], less[:len(to)]
	for b := range to {
		to[b] = from[b] - less[b]
	}
}
