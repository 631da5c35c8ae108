package gbdt

// slot returns a histogram that is not in use in this tree, for a node.
func (h *hist) slot(s *node) int32 {
	for len(h.slots) <= h.used {
		h.slots = append(h.slots, make([]histogram, h.groups))
	}
	h.used++
	h.own(int32(h.used-1), s)
	return int32(h.used - 1)
}

// own notes whose histogram a slot holds.
func (h *hist) own(slot int32, s *node) {
	for len(h.owner) <= int(slot) {
		h.owner = append(h.owner, -1)
	}
	h.owner[slot] = s.id
}

// assign gives the nodes to search their histograms, says which records fill
// them, and whether there are any. The larger of two children takes over its
// parent's.
func (h *hist) assign(f *Fitter, level []node, depth int) bool {
	h.parent = resize(h.parent, len(level))
	h.fillings = h.fillings[:0]
	if depth == 0 {
		if len(h.slots) == 0 {
			h.slots = append(h.slots, make([]histogram, h.groups))
		}
		h.own(0, &level[0])
		level[0].slot = 0
		if level[0].search && !h.fresh {
			h.fillWith(f, &level[0])
		}
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
		small.slot = h.slot(small)
		h.fillWith(f, small)
		if !large.search {
			continue
		}
		if large.slot = above; above == 0 {
			large.slot = h.slot(large)
		}
		h.own(large.slot, large)
	}
	return wanted
}

// fillWith has a node's records fill its histograms.
func (h *hist) fillWith(f *Fitter, s *node) {
	h.fillings = append(h.fillings, filling{span{s.id, s.start, s.end}, s.slot})
	ordered := h.ordered[s.start:s.end]
	for k, i := range f.rows[s.start:s.end] {
		ordered[k] = h.what[i]
	}
}

func smaller(pair []node) (small, large *node) {
	if pair[1].records() < pair[0].records() {
		return &pair[1], &pair[0]
	}
	return &pair[0], &pair[1]
}
