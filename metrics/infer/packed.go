package infer

import (
	"encoding/binary"
	"sync"
)

// packed keeps counts of draws in four bits each. Byte j of a row is the count of
// cluster j and, above it, of cluster j + half. A count above 15, which a set of
// resamples hardly ever has, is kept apart.
type packed struct {
	clusters, half int
	rows           []uint8 // half bytes each
	mu             sync.Mutex
	large          []large
}

// large is a count that has no room in four bits.
type large struct {
	row, cluster int
	count        uint8
}

func newPacked(rows, clusters int) *packed {
	half := (clusters + 1) / 2
	return &packed{clusters: clusters, half: half, rows: make([]uint8, rows*half)}
}

// set keeps the counts of consecutive rows, the first of them number first. Each
// row is set once; several may be at the same time.
func (p *packed) set(first int, counts []uint8) {
	for row := first; len(counts) > 0; row++ {
		lower, upper := counts[:p.half], counts[p.half:p.clusters]
		out := p.rows[row*p.half : (row+1)*p.half]
		j := 0
		for ; j+8 <= len(upper); j += 8 {
			low, high := binary.LittleEndian.Uint64(lower[j:]), binary.LittleEndian.Uint64(upper[j:])
			if (low|high)&0xf0f0f0f0f0f0f0f0 != 0 {
				break
			}
			binary.LittleEndian.PutUint64(out[j:], low|high<<4)
		}
		for ; j < p.half; j++ {
			out[j] = p.fit(row, j, lower[j])
			if j < len(upper) {
				out[j] |= p.fit(row, j+p.half, upper[j]) << 4
			}
		}
		counts = counts[p.clusters:]
	}
}

// fit returns what four bits hold of a count.
func (p *packed) fit(row, cluster int, count uint8) uint8 {
	if count > 15 {
		p.mu.Lock()
		p.large = append(p.large, large{row, cluster, count})
		p.mu.Unlock()
		return 0
	}
	return count
}

// get fills in the counts of consecutive rows, the first of them number first.
func (p *packed) get(first int, counts []uint8) {
	for row := first; len(counts) > 0; row++ {
		p.row(row, counts[:p.clusters])
		counts = counts[p.clusters:]
	}
}

// row fills in the counts of one row.
func (p *packed) row(row int, counts []uint8) {
	in, lower, upper := p.rows[row*p.half:(row+1)*p.half], counts[:p.half], counts[p.half:]
	for len(in) >= 8 && len(lower) >= 8 && len(upper) >= 8 {
		both := binary.LittleEndian.Uint64(in)
		binary.LittleEndian.PutUint64(lower, both&0x0f0f0f0f0f0f0f0f)
		binary.LittleEndian.PutUint64(upper, both>>4&0x0f0f0f0f0f0f0f0f)
		in, lower, upper = in[8:], lower[8:], upper[8:]
	}
	for j, both := range in {
		lower[j] = both & 15
		if j < len(upper) {
			upper[j] = both >> 4
		}
	}
	for _, l := range p.large {
		if l.row == row {
			counts[l.cluster] = l.count
		}
	}
}
