package gbdt

import (
	"math"
	"math/bits"
)

const (
	maxHistDepth = 10      // memory grows with 2^depth
	maxHistRows  = 1 << 20 // beyond, an integer residual would have too few bits
)

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
	bins      []int      // by column; 0 in a lane without one
	most      []int      // by group: bins of the column with the most
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
	sides     sides

	fresh bool // the root's histogram is still that of the last tree
	moved []int32
	delta []int64 // by local record: what to add for the next tree
	base  int64   // and what to add for every record
}

func (h *hist) begin(f *Fitter, v View, rows []int32) {
	h.n, h.groups = len(rows), (f.features+lanes-1)/lanes
	h.shift = uint(64 - bits.Len(uint(h.n)))
	h.limit = int64(1)<<(h.shift-1)/int64(h.n) - 1
	h.bins, h.cuts = resize(h.bins, h.groups*lanes), resize(h.cuts, f.features)
	clear(h.bins)
	h.most = resize(h.most, h.groups)
	clear(h.most)
	h.flat = resize(h.flat, h.groups*h.n)
	clear(h.flat)
	h.words = resize(h.words, h.groups)
	for g := range h.words {
		h.words[g] = h.flat[g*h.n : (g+1)*h.n]
	}
	for c := range f.features {
		bins, cuts := v.features[c].bin()
		h.cuts[c] = cuts[v.column[c]]
		h.bins[c] = len(h.cuts[c]) + 1
		h.most[c/lanes] = max(h.most[c/lanes], h.bins[c])
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

// divide puts a node's records that go left before those that go right, both
// in the order they had, and returns where the right ones begin.
func (h *hist) divide(f *Fitter, s *node) int32 {
	words, lane := h.words[s.split.feature/lanes], 8*uint(s.split.feature%lanes)
	bin := s.split.bin
	rows := f.rows[s.start:s.end]
	l, r := 0, 0
	for _, i := range rows {
		left := 0
		if uint8(words[i]>>(lane&63)) <= bin {
			left = 1
		}
		rows[l], f.spare[r] = i, i
		l += left
		r += 1 - left
	}
	copy(rows[l:], f.spare[:r])
	return s.start + int32(l)
}

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
	h.sides.level(level, h.total, f.o.MinLeaf)
	if f.o.Threads == 1 {
		for g := range h.groups {
			h.group(f, level, depth, g)
		}
	} else {
		parallel(f.o.Threads, h.groups, func(g, _ int) { h.group(f, level, depth, g) })
	}
	for i := range level {
		top := candidate{feature: -1}
		for g := range h.groups {
			if h.found[g][i].score > top.score {
				top = h.found[g][i]
			}
		}
		if top.feature >= 0 {
			top.threshold = h.cuts[top.feature][top.bin]
		}
		level[i].split = top
	}
}

// group brings the histograms of one group of columns up to date and looks for
// the level's best splits in them.
func (h *hist) group(f *Fitter, level []node, depth, g int) {
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
		clear(to[:h.most[g]])
		if len(f.bag) == h.n {
			fillAll(to, h.words[g], h.packed)
		} else {
			fill(to, h.words[g], h.packed, f.bag)
		}
		return
	}
	if h.base != 0 {
		shift, half := h.shift&63, int64(1)<<(h.shift-1)
		for b := range to[:h.most[g]] {
			for l, v := range to[b] {
				to[b][l] = v + h.base*int64(uint64(v+half)>>shift)
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
	clear(s[:h.most[g]])
	fill(s, h.words[g], h.packed, f.rows[small.start:small.end])
	if !large.search {
		return
	}
	most := h.most[g]
	subtract(h.slots[large.slot][g][:most], h.slots[above][g][:most], s[:most])
}

// total is the sum of a node's integer residuals.
func (h *hist) total(s *node) int64 { return s.fixed << (64 - h.shift) >> (64 - h.shift) }

// scanGroup looks for the best split of node i on the columns of group g.
func (h *hist) scanGroup(f *Fitter, level []node, i, g int) {
	s := &level[i]
	sides := h.sides.of(i)[:s.records()+1]
	to := &h.found[g][i]
	var found best
	mean := float64(h.total(s)) / float64(s.records())
	scanBins(h.slots[s.slot][g][:h.most[g]-1], packedBy(h.shift), sides, mean, to.score, &found)
	for l := range min(lanes, f.features-g*lanes) {
		c := g*lanes + l
		if found.bin[l] >= 0 && found.score[l] > to.score && !f.masked(i, c) {
			to.score, to.feature, to.bin = found.score[l], int32(c), uint8(found.bin[l])
		}
	}
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
