package gbdt

import (
	"math"
	"math/bits"
)

const (
	lanes        = 8       // columns whose bins share a word
	maxHistDepth = 10      // memory grows with 2^depth
	maxHistRows  = 1 << 20 // beyond, an integer residual would have too few bits
)

// histogram holds, for each of 8 columns and each bin, one integer: the number
// of records times 2^shift plus the sum of their integer residuals.
type histogram [lanes][MaxBins]int64

// hist looks at bin borders. Bins of 8 columns lie in one word per record, so
// one pass over a node's records fills 8 histograms.
//
// Records are counted and residuals summed by one addition of one integer.
// Integer sums know no rounding, which makes three things exact: the larger
// child's histogram is the parent's less the smaller child's; the order of
// records is of no account; and the root's histogram for the next tree is this
// tree's, less what its leaves took off the residuals. The last costs only the
// records outside the largest leaf.
type hist struct {
	n, groups int
	words     [][]uint64 // by group, then local record
	bins      []int      // by column
	cuts      [][]float64
	packed    []int64 // 1<<shift + residual·unit
	shift     uint
	unit      float64
	limit     int64 // of an integer residual
	flat      []uint64
	slots     [][]histogram // slot 0 is the root's
	used      int
	parent    []int32 // by node of the level: the slot above, before search
	found     [][]candidate

	fresh bool // the root's histogram is still that of the last tree
	moved []int32
	delta []int64 // by local record: what to add for the next tree
	base  int64   // and what to add for every record
}

func (h *hist) begin(f *Fitter, v View, rows []int32) {
	h.n, h.groups = len(rows), (f.features+lanes-1)/lanes
	h.shift = uint(64 - bits.Len(uint(h.n)))
	h.limit = int64(1)<<(h.shift-1)/int64(h.n) - 1
	h.bins, h.cuts = resize(h.bins, f.features), resize(h.cuts, f.features)
	h.flat = resize(h.flat, h.groups*h.n)
	clear(h.flat)
	h.words = resize(h.words, h.groups)
	for g := range h.words {
		h.words[g] = h.flat[g*h.n : (g+1)*h.n]
	}
	for c := range f.features {
		bins, cuts := v.tables[c].bin()
		h.cuts[c] = cuts[v.column[c]]
		h.bins[c] = len(h.cuts[c]) + 1
		pack(h.words[c/lanes], bins[v.column[c]], rows, v.rows[c], 8*uint(c%lanes))
	}
	h.packed, h.delta = resize(h.packed, h.n), resize(h.delta, h.n)
	h.fresh = false
	if len(h.slots) > 0 && len(h.slots[0]) != h.groups {
		h.slots = nil
	}
	h.found = resize(h.found, h.groups)
}

// pack writes one column's bins into its lane.
func pack(words []uint64, bins []uint8, rows []int32, seen []uint32, lane uint) {
	words = words[:len(rows)]
	if seen == nil {
		for i, r := range rows {
			words[i] |= uint64(bins[r]) << lane
		}
		return
	}
	for i, r := range rows {
		words[i] |= uint64(bins[seen[r]]) << lane
	}
}

// target turns residuals into integers, unless done has kept them up to date.
func (h *hist) target(f *Fitter) {
	h.used = 1
	if h.fresh {
		return
	}
	most := 0.0
	for _, g := range f.residual {
		most = max(most, math.Abs(g))
	}
	_, exponent := math.Frexp(most)
	_, room := math.Frexp(float64(h.limit))
	h.unit = math.Ldexp(1, min(room-exponent-3, 1000)) // room for residuals to grow
	for i, g := range f.residual {
		h.packed[i] = int64(1)<<h.shift + int64(math.RoundToEven(g*h.unit))
	}
}

func (h *hist) integers() []int64 { return h.packed }

func (h *hist) left(s *candidate, record int32) bool {
	return uint8(h.words[s.feature/lanes][record]>>(8*uint(s.feature%lanes))) <= s.bin
}

func (h *hist) divided(int32, bool) {}

// slot returns a histogram that is not in use in this tree.
func (h *hist) slot() int32 {
	for len(h.slots) <= h.used {
		h.slots = append(h.slots, make([]histogram, h.groups))
	}
	h.used++
	return int32(h.used - 1)
}

func (h *hist) search(f *Fitter, level []node, depth int) {
	wanted := h.assign(level, depth)
	if !wanted {
		return
	}
	parallel(f.o.Threads, h.groups, func(g, _ int) {
		h.found[g] = resize(h.found[g], len(level))
		for i := range h.found[g] {
			h.found[g][i].feature, h.found[g][i].score = -1, 0
		}
		if depth == 0 {
			h.root(f, g)
		}
		for i := 0; depth > 0 && i < len(level); i += 2 {
			h.children(f, level[i:i+2], h.parent[i], g)
		}
		for i := range level {
			if level[i].search {
				h.scanGroup(f, level, i, g)
			}
		}
	})
	for i := range level {
		best := candidate{feature: -1}
		for g := range h.groups {
			if h.found[g][i].score > best.score {
				best = h.found[g][i]
			}
		}
		if best.feature >= 0 {
			best.threshold = h.cuts[best.feature][best.bin]
		}
		level[i].split = best
	}
}

// assign gives the nodes to search their histograms and says whether there are
// any. The larger of two children takes over its parent's.
func (h *hist) assign(level []node, depth int) bool {
	h.parent = resize(h.parent, len(level))
	if depth == 0 {
		if len(h.slots) == 0 {
			h.slots = append(h.slots, make([]histogram, h.groups))
		}
		level[0].slot = 0
		return level[0].search
	}
	wanted := false
	for i := 0; i < len(level); i += 2 {
		small, large := smaller(level[i : i+2])
		above := small.slot
		h.parent[i], h.parent[i+1] = above, above
		if !small.search && !large.search {
			continue
		}
		wanted = true
		small.slot = h.slot()
		large.slot = above
		if above == 0 && large.search {
			large.slot = h.slot()
		}
	}
	return wanted
}

func smaller(pair []node) (small, large *node) {
	if pair[1].records() < pair[0].records() {
		return &pair[1], &pair[0]
	}
	return &pair[0], &pair[1]
}

// root brings the root's histograms of group g up to date.
func (h *hist) root(f *Fitter, g int) {
	to := &h.slots[0][g]
	if !h.fresh {
		*to = histogram{}
		if len(f.bag) == h.n {
			fillAll(to, h.words[g], h.packed)
		} else {
			fill(to, h.words[g], h.packed, f.bag)
		}
		return
	}
	if h.base != 0 {
		shift, up := h.shift, 64-h.shift
		for l := range to {
			for b, v := range &to[l] {
				count := (v - v<<up>>up) >> shift
				to[l][b] = v + h.base*count
			}
		}
	}
	fill(to, h.words[g], h.delta, h.moved)
}

// children makes the histograms of two siblings.
func (h *hist) children(f *Fitter, pair []node, above int32, g int) {
	small, large := smaller(pair)
	if !small.search && !large.search {
		return
	}
	s := &h.slots[small.slot][g]
	*s = histogram{}
	fill(s, h.words[g], h.packed, f.rows[small.start:small.end])
	if !large.search {
		return
	}
	a, to := &h.slots[above][g], &h.slots[large.slot][g]
	for l := range to {
		for b := range to[l] {
			to[l][b] = a[l][b] - s[l][b]
		}
	}
}

// fill adds what to has for some records.
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

// scanGroup looks for the best split of node i on the columns of group g.
func (h *hist) scanGroup(f *Fitter, level []node, i, g int) {
	s := &level[i]
	up := 64 - h.shift
	total := s.fixed << up >> up
	n := s.records()
	mean := float64(total) / float64(n)
	best := &h.found[g][i]
	for l := range min(lanes, f.features-g*lanes) {
		c := g*lanes + l
		if h.bins[c] < 2 || f.masked(i, c) {
			continue
		}
		score, bin := scanBins(h.slots[s.slot][g][l][:h.bins[c]-1], h.shift, n, f.o.MinLeaf, mean, best.score)
		if bin >= 0 {
			best.score, best.feature, best.bin = score, int32(c), uint8(bin)
		}
	}
}

// scanBins looks for the border with the largest n²·(m_l − m)²·n_l/n_r, m_l the
// mean residual left of it and m that of the node, which orders splits as the
// reduction of the squared error does; bin −1 if none beats score.
func scanBins(bins []int64, shift uint, n, minLeaf int, mean, score float64) (float64, int) {
	at := -1
	up := 64 - shift
	sum := int64(0)
	for b, v := range bins {
		if v == 0 {
			continue
		}
		sum += v
		g := sum << up >> up
		nl := int(uint64(sum-g) >> shift)
		if nl < minLeaf {
			continue
		}
		if n-nl < minLeaf {
			break
		}
		diff := float64(g) - float64(float64(nl)*mean)
		if s := diff * diff / float64(nl*(n-nl)); s > score {
			score, at = s, b
		}
	}
	return score, at
}

// done takes the leaves' steps off the integer residuals and notes what that
// does to the root's histogram: base for every record, delta for those moved.
func (h *hist) done(f *Fitter, tree []Node) {
	h.fresh = false
	if f.o.Loss != Squared || len(f.bag) < h.n {
		return
	}
	largest := 0
	for k, leaf := range f.leaves {
		if leaf.end-leaf.start > f.leaves[largest].end-f.leaves[largest].start {
			largest = k
		}
	}
	step := func(k int) int64 {
		return int64(math.RoundToEven(f.o.LearningRate * tree[f.leaves[k].id].Value * h.unit))
	}
	h.base = -step(largest)
	h.moved = h.moved[:0]
	one := int64(1) << h.shift
	for k, leaf := range f.leaves {
		d := -step(k)
		for _, i := range f.rows[leaf.start:leaf.end] {
			h.packed[i] += d
			if q := h.packed[i] - one; q > h.limit || q < -h.limit {
				return // no room left: begin anew with a coarser unit
			}
		}
		if k != largest && d != h.base {
			for _, i := range f.rows[leaf.start:leaf.end] {
				h.delta[i] = d - h.base
			}
			h.moved = append(h.moved, f.rows[leaf.start:leaf.end]...)
		}
	}
	h.fresh = true
}
