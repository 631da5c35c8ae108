package gbdt

import (
	"math"
	"math/bits"
)

const (
	maxDepth   = 10      // memory grows with 2^depth
	maxRecords = 1 << 22 // of more, an integer residual would have too few bits next to the number of records
)

// hist looks at bin borders. Bins of 8 columns lie in one word per record, so
// one pass over a node's records fills 8 histograms.
//
// Records are counted and residuals summed by one addition of one integer. Integer
// sums know no rounding, which makes three things exact: the larger child's histogram is the parent's less
// the smaller child's; the order of records is of no account; and the root's
// histogram for the next tree is this tree's, less what its leaves took off the
// residuals ([hist.carry]).
type hist struct {
	n, groups int
	words     []uint64 // by group, then local record
	columns   []binned
	most      []int   // by group: bins of the column with the most
	bins      int     // of all columns
	what      []int64 // by local record: one + residual·unit
	one       int64   // 1<<shift
	shift     uint
	unit      float64
	limit     int64         // of an integer residual
	slots     [][]histogram // by group; slot 0 is the root's
	owner     []int32       // by slot: the node of the tree whose histogram it holds
	used      int
	parent    []int32 // by node of the level: the slot above, before search
	found     [][]candidate
	sides     sides
	fillings  []filling
	at, next  []int32 // by filling: where the stretch's records begin and end
	ahead     uint64
	ordered   []int64 // for the fillings: what of the record in the same place of Fitter.rows

	rooted bool     // the root's histogram is that of what, or was before done
	fresh  bool     // done has kept what up to date
	steps  []moving // by node of the last tree, where it is a leaf: what its step added to what
	held   []int32  // by node of the last tree: the slot of its histogram; −1 = none
	scaled []scaling
}

// binned is a column of the fit: local record i is in bin bins[at[i]], or
// bins[i] where at is nil.
type binned struct {
	bins []uint8
	cuts []float64
	at   []uint32
}

func (h *hist) begin(f *Fitter, v View, rows []int32) {
	h.n, h.groups = len(rows), (f.features+lanes-1)/lanes
	h.shift = uint(64 - bits.Len(uint(h.n)))
	h.one, h.limit = int64(1)<<h.shift, int64(1)<<(h.shift-1)/int64(h.n)-1
	h.most = resize(h.most, h.groups)
	clear(h.most)
	h.bins = 0
	h.columns = h.see(v, rows)
	for c := range h.columns {
		n := len(h.columns[c].cuts) + 1
		h.bins += n
		h.most[c/lanes] = max(h.most[c/lanes], n)
	}
	h.pack()
	h.what = resize(h.what, h.n)
	h.fresh, h.rooted = false, false
	if len(h.slots) > 0 && len(h.slots[0]) != h.groups {
		h.slots = nil
	}
	h.found = resize(h.found, h.groups)
	h.ordered = resize(h.ordered, h.n)
}

// see returns the view's columns as the fit's records see them.
func (h *hist) see(v View, rows []int32) []binned {
	whole := true // the records are the first rows
	for i, r := range rows {
		whole = whole && int(r) == i
	}
	columns := resize(h.columns, len(v.columns))
	known := map[*uint32][]uint32{} // by the order seen, each of which is worked out once
	for c, seen := range v.columns {
		bins, cuts := seen.bin()
		columns[c] = binned{bins: bins[seen.c], cuts: cuts[seen.c], at: seen.rows}
		if whole {
			continue
		}
		at, ok := known[seen.order()]
		if !ok {
			for _, r := range rows {
				at = append(at, seen.of(r))
			}
			known[seen.order()] = at
		}
		columns[c].at = at
	}
	return columns
}

// pack writes the columns' bins into their lanes.
func (h *hist) pack() {
	h.words = resize(h.words, h.groups*h.n)
	clear(h.words)
	for c, column := range h.columns {
		to, lane := h.words[c/lanes*h.n:][:h.n], 8*uint(c%lanes)&63
		if column.at == nil {
			for i, b := range column.bins[:h.n] {
				to[i] |= uint64(b) << lane
			}
			continue
		}
		for i, r := range column.at[:h.n] {
			to[i] |= uint64(column.bins[r]) << lane
		}
	}
}

// target turns residuals into integers. Where done has kept them up to date, it
// brings the root's histogram up to date instead.
func (h *hist) target(f *Fitter) {
	if h.fresh {
		h.carry(f)
		h.used = 1
		return
	}
	h.used, h.rooted = 1, false
	most := 0.0
	for _, g := range f.residual {
		most = max(most, math.Abs(g))
	}
	_, exponent := math.Frexp(most)
	_, room := math.Frexp(float64(h.limit))
	h.unit = math.Ldexp(1, min(room-exponent-3, 1000)) // room for residuals to grow
	for i, g := range f.residual {
		h.what[i] = h.one + int64(math.RoundToEven(g*h.unit))
	}
}

// total is the sum of a node's integer residuals.
func (h *hist) total(s *node) int64 {
	return s.fixed << (64 - h.shift) >> (64 - h.shift)
}

// divide puts a node's records that go left before those that go right, both
// in the order they had, and returns where the right ones begin.
func (h *hist) divide(f *Fitter, s *node) int32 {
	c, bin := int(s.split.feature), s.split.bin
	bins, words, lane := h.columns[c].bins, h.words[c/lanes*h.n:], 8*uint(c%lanes)&63
	direct := h.columns[c].at == nil
	rows := f.rows[s.start:s.end]
	right := f.spare[:len(rows)]
	l, r := 0, 0
	for _, i := range rows {
		var in uint8
		if direct {
			in = bins[i]
		} else {
			in = uint8(words[i] >> lane)
		}
		left := 0
		if in <= bin {
			left = 1
		}
		rows[l], right[r] = i, i
		l += left
		r += 1 - left
	}
	copy(rows[l:], right[:r])
	return s.start + int32(l)
}

func (h *hist) search(f *Fitter, level []node, depth int) {
	if !h.assign(f, level, depth) {
		return
	}
	h.sides.level(h, level, f.o.MinLeaf)
	for g := range h.groups {
		h.searchGroup(f, level, depth, g)
	}
	h.rooted = true
	for i := range level {
		top := candidate{feature: -1}
		for g := range h.groups {
			if h.found[g][i].score > top.score {
				top = h.found[g][i]
			}
		}
		if top.feature >= 0 {
			top.threshold = h.columns[top.feature].cuts[top.bin]
		}
		level[i].split = top
	}
}

// few says whether a node has so few records that the sides of a split are
// worked out for every number of records rather than for every bin.
func (h *hist) few(s *node) bool { return s.records() <= h.bins }
