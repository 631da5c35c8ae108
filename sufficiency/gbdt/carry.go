package gbdt

import "math"

// The root's histogram for the next tree is this tree's, plus what the leaves'
// steps added to the integer residuals. Where a node's histogram is at hand, it
// tells how many of the node's records each bin has, and a step of all of them
// costs no look at the records. So of two leaves, the larger takes its parent's
// records along, and only those of the smaller are looked at.

// scaling adds a number for every record of a histogram.
type scaling struct {
	slot int32
	by   int64
}

// moving adds a number for the records of a leaf.
type moving struct {
	span
	by int64
}

// done takes the leaves' steps off the integer residuals.
func (h *hist) done(f *Fitter, tree []Node) {
	h.fresh = false
	if !h.rooted {
		return
	}
	h.steps = resize(h.steps, len(tree))
	for _, leaf := range f.leaves {
		d := -int64(math.RoundToEven(f.o.LearningRate * tree[leaf.id].Value * h.unit))
		h.steps[leaf.id] = moving{leaf, d}
		for _, i := range f.rows[leaf.start:leaf.end] {
			h.what[i] += d
			if q := h.what[i] - h.one; q > h.limit || q < -h.limit {
				return // no room left: begin anew with a coarser unit
			}
		}
	}
	h.fresh = true
}

// carry brings the root's histogram up to date.
func (h *hist) carry(f *Fitter) {
	tree := f.model.Tree(f.model.Trees() - 1)
	h.held = resize(h.held, len(tree))
	for id := range h.held {
		h.held[id] = -1
	}
	for slot, id := range h.owner[:h.used] {
		h.held[id] = int32(slot)
	}
	h.scaled, h.fillings = h.scaled[:0], h.fillings[:0]
	h.step(f, tree, 0, 0)
	h.bring(f)
}

// step notes what to do for the records of a node, to each of which known was
// added already.
func (h *hist) step(f *Fitter, tree []Node, id int32, known int64) {
	node := &tree[id]
	slot := h.held[id]
	if node.Feature < 0 {
		leaf := h.steps[id]
		leaf.by -= known
		switch {
		case leaf.by == 0:
		case slot >= 0 && node.Records > MaxBins:
			h.scaled = append(h.scaled, scaling{slot, leaf.by})
		default:
			h.fillings = append(h.fillings, filling{leaf.span, 0})
			for k := range h.ordered[leaf.start:leaf.end] {
				h.ordered[int(leaf.start)+k] = leaf.by
			}
		}
		return
	}
	large := node.Left
	if tree[node.Right].Records > tree[large].Records {
		large = node.Right
	}
	if slot >= 0 && tree[large].Feature < 0 && h.held[large] < 0 && tree[large].Records > MaxBins {
		h.scaled = append(h.scaled, scaling{slot, h.steps[large].by - known})
		known = h.steps[large].by
	}
	h.step(f, tree, node.Left, known)
	h.step(f, tree, node.Right, known)
}

// bring applies what step noted. A scaling by the root's own
// histogram comes first, before anything is added to that.
func (h *hist) bring(f *Fitter) {
	p := packedBy(h.shift)
	for g := range h.groups {
		most := h.most[g] * lanes
		root := h.slots[0][g][:most]
		for _, s := range h.scaled {
			for k, sum := range h.slots[s.slot][g][:most] {
				root[k] += s.by * p.counted(sum)
			}
		}
		h.fill(f.rows, g)
	}
}
