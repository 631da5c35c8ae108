package gbdt

import "math"

// exact looks at every threshold. Each column's records are kept in sorted
// order, those of a node side by side, and a column is divided and scanned in
// one go while it is in the cache.
type exact struct {
	small *sorted[uint16] // up to 65,536 records
	large *sorted[uint32]
	x     [][]float32 // by column, then local record
	flat  []float32
	fixed []int64
	isL   []uint8   // by local record: went left
	recip []float64 // 1/k
	found [][]candidate
}

// sorted holds local records by column in value order. The first level reads
// master; the levels below write a and b in turns.
type sorted[T uint16 | uint32] struct {
	master, a, b []T
	local        []int32 // of a row of the table
}

// near is the distance up to which two values count as one (scikit-learn's
// FEATURE_THRESHOLD, added in 32 bits as there).
const near = float32(1e-7)

func (e *exact) begin(f *Fitter, v View, rows []int32) {
	n := len(rows)
	e.flat = resize(e.flat, n*f.features)
	e.x = resize(e.x, f.features)
	e.fixed, e.isL, e.recip = resize(e.fixed, n), resize(e.isL, n), resize(e.recip, n+1)
	for k := 1; k <= n; k++ {
		e.recip[k] = 1 / float64(k)
	}
	for c := range f.features {
		x, seen := v.values(c)
		e.x[c] = e.flat[c*n : (c+1)*n]
		for i, r := range rows {
			if seen != nil {
				r = int32(seen[r])
			}
			e.x[c][i] = x[r]
		}
	}
	e.found = resize(e.found, f.o.Threads)
	if n <= 1<<16 {
		if e.small == nil {
			e.small = &sorted[uint16]{}
		}
		e.small.begin(f, v, rows)
		return
	}
	if e.large == nil {
		e.large = &sorted[uint32]{}
	}
	e.large.begin(f, v, rows)
}

// begin picks the fit's records out of the tables' sorted orders.
func (s *sorted[T]) begin(f *Fitter, v View, rows []int32) {
	n := len(rows)
	s.master, s.a, s.b = resize(s.master, n*f.features), resize(s.a, n*f.features), resize(s.b, n*f.features)
	var lastTable *Table
	var lastRows *uint32
	for c := range f.features {
		t, seen := v.tables[c], v.rows[c]
		var head *uint32
		if seen != nil {
			head = &seen[0]
		}
		if t != lastTable || head != lastRows || c == 0 {
			s.local = resize(s.local, t.n)
			for i := range s.local {
				s.local[i] = -1
			}
			for i, r := range rows {
				if seen != nil {
					r = int32(seen[r])
				}
				s.local[r] = int32(i)
			}
			lastTable, lastRows = t, head
		}
		out := s.master[c*n : (c+1)*n]
		k := 0
		for _, r := range t.orders()[v.column[c]] {
			if i := s.local[r]; i >= 0 {
				out[k] = T(i)
				k++
			}
		}
	}
}

// target turns residuals into multiples of a power of two, the finest of which
// any sum fits 62 bits.
func (e *exact) target(f *Fitter) {
	most := 0.0
	for _, g := range f.residual {
		most = max(most, math.Abs(g))
	}
	_, exponent := math.Frexp(most * float64(f.n))
	unit := math.Ldexp(1, min(62-exponent, 1000))
	for i, g := range f.residual {
		e.fixed[i] = int64(math.RoundToEven(g * unit))
	}
}

func (e *exact) integers() []int64 { return e.fixed }

func (e *exact) left(s *candidate, record int32) bool {
	return float64(e.x[s.feature][record]) <= s.threshold
}

func (e *exact) divided(record int32, left bool) {
	e.isL[record] = 0
	if left {
		e.isL[record] = 1
	}
}

func (e *exact) done(*Fitter, []Node) {}

func (e *exact) search(f *Fitter, level []node, depth int) {
	wanted := false
	for i := range level {
		wanted = wanted || level[i].search
	}
	if !wanted {
		return
	}
	for w := range e.found {
		e.found[w] = resize(e.found[w], len(level))
		for i := range e.found[w] {
			e.found[w][i] = candidate{score: math.Inf(-1), feature: -1}
		}
	}
	parallel(f.o.Threads, f.features, func(c, worker int) {
		if f.n <= 1<<16 {
			searchColumn(e.small, e, f, level, depth, c, e.found[worker])
		} else {
			searchColumn(e.large, e, f, level, depth, c, e.found[worker])
		}
	})
	for i := range level {
		best := candidate{score: math.Inf(-1), feature: -1}
		for w := range e.found {
			if b := e.found[w][i]; b.score > best.score || b.score == best.score && b.feature >= 0 && b.feature < best.feature {
				best = b
			}
		}
		level[i].split = best
	}
}

// searchColumn divides column c as the level above was split and looks for the
// best split of every node on it.
func searchColumn[T uint16 | uint32](s *sorted[T], e *exact, f *Fitter, level []node, depth, c int, found []candidate) {
	n := f.n
	master := s.master[c*n : (c+1)*n]
	now := s.a[c*n : (c+1)*n]
	if depth == 0 {
		now = master
		if len(f.bag) < n { // subsampled: only those drawn
			now = s.b[c*n : (c+1)*n]
			k := 0
			for _, i := range master {
				now[k] = i
				if f.drawn[i] {
					k++
				}
			}
		}
	} else {
		above := master
		if depth > 1 || len(f.bag) < n {
			above = s.b[c*n : (c+1)*n]
		}
		if depth%2 == 0 {
			above, now = s.a[c*n:(c+1)*n], s.b[c*n:(c+1)*n]
		}
		for i := 0; i < len(level); i += 2 {
			if level[i].search || level[i+1].search {
				divide(above, now, e.isL, int(level[i].start), int(level[i].end), int(level[i+1].end))
			}
		}
	}
	for i := range level {
		if level[i].search && !f.masked(i, c) {
			scan(now[level[i].start:level[i].end], e.x[c], e.fixed, e.recip, level[i].fixed, f.o.MinLeaf, int32(c), &found[i])
		}
	}
}

// divide copies from[start:end] to the same place of to, those that went left
// first.
func divide[T uint16 | uint32](from, to []T, isLeft []uint8, start, mid, end int) {
	l, r := start, mid
	for _, i := range from[start:end] {
		left := int(isLeft[i])
		to[r^((l^r)&-left)] = i
		l += left
		r += 1 - left
	}
}

// scan looks for the split of a node's records, sorted by x, with the largest
//
//	(n_r·S_l − n_l·S_r)² / (n_l·n_r)
//
// S the sums of residuals, n the records on both sides: the reduction of the
// squared error times n_l + n_r, which is Friedman's improvement too.
func scan[T uint16 | uint32](seg []T, x []float32, fixed []int64, recip []float64, total int64, minLeaf int, c int32, best *candidate) {
	n := len(seg)
	last := x[seg[0]]
	if x[seg[n-1]] <= last+near {
		return
	}
	recip = recip[:n+1]
	sum := fixed[seg[0]]
	score, lo, hi := best.score, float32(0), float32(0)
	bound := score * (1 - 1e-12)
	found := false
	for k := 1; k < n; k++ {
		i := seg[k]
		v := x[i]
		if v > last+near && k >= minLeaf && n-k >= minLeaf {
			nl, nr := float64(k), float64(n-k)
			diff := float64(nr*float64(sum)) - float64(nl*float64(total-sum))
			diff *= diff
			// The product with reciprocals is close enough to pass most by.
			if diff*recip[k]*recip[n-k] >= bound {
				if exactly := diff / (nl * nr); exactly > score {
					score, lo, hi, found = exactly, last, v, true
					bound = score * (1 - 1e-12)
				}
			}
		}
		sum += fixed[i]
		last = v
	}
	if found {
		best.score, best.feature, best.threshold = score, c, midpoint(lo, hi)
	}
}
