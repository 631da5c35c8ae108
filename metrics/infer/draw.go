package infer

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// How many of a resample's draws fell on each cluster is counted in a byte. It
// overflows only where 256 draws or more fall on one of at least 256 clusters,
// which has probability below 1/256!, so it does not happen; of fewer clusters
// there are fewer draws.

// keep draws all resamples and keeps them, if there is room: as they are while
// they are few, which is faster, and packed above that.
func keep(rs *Resamples) {
	rs.once.Do(func() {
		n, count := rs.clusters, rs.options.Count
		switch {
		case count <= min(rs.options.Keep, plainMost)/n:
			rs.plain = make([]uint8, count*n)
			parallel(count, func(lo, hi int) { rs.drawn(lo, rs.plain[lo*n:hi*n]) })
		case count <= rs.options.Keep/((n+1)/2):
			kept := newPacked(count, n)
			parallel(count, func(lo, hi int) { eachBatch(rs, lo, hi, rs.drawn, kept.set) })
			rs.packed = kept
		}
	})
}

// plainMost is how many bytes of draws are kept as they are.
const plainMost = 64 << 20

// A batch is the resamples that are worked on together, so that what they are
// multiplied with is read once for all of them.
const (
	batchBytes = 2 << 20 // of draws
	batchMost  = 64      // resamples
	batchLeast = 4
)

// drawn fills counts with the draws of consecutive resamples, the first of them
// number first, each in a row of its own.
func (rs *Resamples) drawn(first int, counts []uint8) {
	clear(counts)
	n := rs.clusters
	for r := first; len(counts) > 0; r++ {
		if n&(n-1) != 0 && len(counts) > n {
			drawPair(rs.seed, uint64(r), counts[:n], counts[n:2*n])
			counts = counts[n:]
			r++
		} else {
			drawOne(rs.seed, uint64(r), counts[:n])
		}
		counts = counts[n:]
	}
}

// drawOne makes len(counts) draws with the stream numbered r: those of
// math/rand/v2's Uint32N.
func drawOne(seed, r uint64, counts []uint8) {
	n, x := uint64(len(counts)), pcg{seed, r}
	reject := -n % n // of 2⁶⁴ numbers, so many are drawn again so that all results are as likely
	for range counts {
		x = x.next()
		at, rest := bits.Mul64(x.output(), n)
		for rest < reject {
			x = x.next()
			at, rest = bits.Mul64(x.output(), n)
		}
		if n&(n-1) == 0 {
			at = x.output() & (n - 1)
		}
		counts[at]++
	}
}

// drawPair is drawOne of the streams r and r+1, which the processor advances at
// the same time. len(a), which is len(b), must not be a power of two.
func drawPair(seed, r uint64, a, b []uint8) {
	n := uint64(len(a))
	b = b[:len(a)]
	reject := -n % n
	x, y := pcg{seed, r}, pcg{seed, r + 1}
	for range a {
		x = x.next()
		at, rest := bits.Mul64(x.output(), n)
		for rest < reject {
			x = x.next()
			at, rest = bits.Mul64(x.output(), n)
		}
		a[at]++
		y = y.next()
		at, rest = bits.Mul64(y.output(), n)
		for rest < reject {
			y = y.next()
			at, rest = bits.Mul64(y.output(), n)
		}
		b[at]++
	}
}

// pcg is the state of math/rand/v2's PCG: M. O'Neill's 128-bit generator with the
// DXSM output.
type pcg struct{ hi, lo uint64 }

func (p pcg) next() pcg {
	const (
		mulHi, mulLo = 2549297995355413924, 4865540595714422341
		incHi, incLo = 6364136223846793005, 1442695040888963407
	)
	hi, lo := bits.Mul64(p.lo, mulLo)
	hi += p.hi*mulLo + p.lo*mulHi
	lo, carry := bits.Add64(lo, incLo, 0)
	hi, _ = bits.Add64(hi, incHi, carry)
	return pcg{hi, lo}
}

func (p pcg) output() uint64 {
	hi := p.hi
	hi ^= hi >> 32
	hi *= 0xda942042e4dd58b5
	hi ^= hi >> 48
	return hi * (p.lo | 1)
}

// inBatches calls work for all resamples from lo to hi, a batch at a time: with
// the number of the first and their draws, each in a row of its own, which are
// valid during the call.
func inBatches(rs *Resamples, lo, hi int, work func(first int, rows []uint8)) {
	keep(rs)
	switch n := rs.clusters; {
	case rs.plain != nil:
		for r := lo; r < hi; r += batchMost {
			work(r, rs.plain[r*n:min(r+batchMost, hi)*n])
		}
	case rs.packed != nil:
		eachBatch(rs, lo, hi, rs.packed.get, work)
	default:
		eachBatch(rs, lo, hi, rs.drawn, work)
	}
}

// eachBatch is inBatches with draws that fill makes.
func eachBatch(rs *Resamples, lo, hi int, fill, work func(first int, rows []uint8)) {
	n := rs.clusters
	step := max(batchLeast, min(batchMost, batchBytes/n)&^3) // sums take four rows at once
	buf := make([]uint8, min(step, hi-lo)*n)
	for r := lo; r < hi; r += step {
		rows := buf[:min(step, hi-r)*n]
		fill(r, rows)
		work(r, rows)
	}
}

// ofRecords calls work for all resamples from lo to hi with how often each
// record was drawn.
func ofRecords(rs *Resamples, lo, hi int, work func(r int, counts []uint8)) {
	n := rs.clusters
	var counts []uint8
	if n < rs.records {
		counts = make([]uint8, rs.records)
	}
	inBatches(rs, lo, hi, func(first int, rows []uint8) {
		for r := first; len(rows) > 0; r++ {
			row := rows[:n:n]
			rows = rows[n:]
			if counts == nil {
				work(r, row)
				continue
			}
			for i, c := range rs.cluster {
				counts[i] = row[c]
			}
			work(r, counts)
		}
	})
}

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
