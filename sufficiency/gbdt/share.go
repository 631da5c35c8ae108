package gbdt

import "slices"

// filling adds integers of the records of a span to the histograms of a slot.
type filling struct {
	span
	slot int32
}

// searchGroup brings the histograms of group g up to date and looks for the level's
// best splits in them.
func (h *hist) searchGroup(f *Fitter, level []node, depth, g int) {
	h.found[g] = resize(h.found[g], len(level))
	for i := range h.found[g] {
		h.found[g][i] = candidate{feature: -1}
	}
	for _, t := range h.fillings {
		clear(h.slots[t.slot][g][:h.most[g]*lanes])
	}
	h.fill(f.rows, g)
	for i := range level {
		if depth > 0 && i%2 == 0 {
			h.subtract(level[i:i+2], h.parent[i], g)
		}
		if level[i].search {
			h.scanGroup(f, level, i, g)
		}
	}
}

const (
	stretch = 8192 // neighbouring records, whose words all nodes read while they are in the cache
	line    = 8    // words
	dense   = 6    // a processor sees by itself that nearly all lines are read where one record in so many is
	sparse  = 256  // and to read all lines costs more than it saves where there are no more records than one in so many
)

// fill adds to the histograms of group g what the fillings say.
func (h *hist) fill(rows []int32, g int) {
	words := h.words[g*h.n : (g+1)*h.n]
	h.at, h.next = resize(h.at, len(h.fillings)), resize(h.next, len(h.fillings))
	for k, t := range h.fillings {
		h.at[k] = t.start
	}
	for start := 0; start < h.n; start += stretch {
		end := min(start+stretch, h.n)
		scattered := false
		for k, t := range h.fillings {
			n := int(t.end - h.at[k])
			if end < h.n {
				n, _ = slices.BinarySearch(rows[h.at[k]:t.end], int32(end))
			}
			h.next[k] = h.at[k] + int32(n)
			scattered = scattered || n > stretch/sparse && n < stretch/dense
		}
		if scattered && h.n > stretch {
			for i := start; i < end; i += line {
				h.ahead += words[i]
			}
		}
		for k, t := range h.fillings {
			fill(&h.slots[t.slot][g], words, h.ordered[h.at[k]:], rows[h.at[k]:h.next[k]])
			h.at[k] = h.next[k]
		}
	}
}

// subtract makes the histograms of group g of the larger of two siblings, those
// of the parent above less those of the smaller.
func (h *hist) subtract(pair []node, above int32, g int) {
	small, large := smaller(pair)
	if !large.search {
		return
	}
	most := h.most[g] * lanes
	subtract(h.slots[large.slot][g][:most], h.slots[above][g][:most], h.slots[small.slot][g][:most])
}

// scanGroup looks for the best split of node i on the columns of group g.
func (h *hist) scanGroup(f *Fitter, level []node, i, g int) {
	s, to := &level[i], &h.found[g][i]
	bins := h.slots[s.slot][g][:(h.most[g]-1)*lanes]
	l := look{packing: packedBy(h.shift), mean: float64(h.total(s)) / float64(s.records()), score: to.score}
	for k := range min(lanes, f.features-g*lanes) {
		l.borders[k] = len(h.columns[g*lanes+k].cuts)
	}
	var found best
	if h.few(s) {
		l.sides = h.sides.of(i)[:s.records()+1]
		l.scan(bins, &found)
	} else {
		m := many{look: l, records: s.records(), minLeaf: f.o.MinLeaf}
		m.scan(bins, &found)
	}
	for l := range min(lanes, f.features-g*lanes) {
		c := g*lanes + l
		if found.bin[l] >= 0 && found.score[l] > to.score {
			to.score, to.feature, to.bin = found.score[l], int32(c), uint8(found.bin[l])
		}
	}
}
