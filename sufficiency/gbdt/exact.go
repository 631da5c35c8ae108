package gbdt

import "math"

// exact looks at every threshold. Each column's records are kept in sorted
// order, those of a node side by side, and a column is divided and scanned in
// one go while it is in the cache.
type exact struct {
	sorted sorted
	x      [][]float32 // by column, then local record
	flat   []float32
	fixed  []int64
	isL    []uint8 // by local record: went left
	sides  sides
}

// sorted holds local records by column in value order, each shifted left by one
// with its last bit set if its value is near that of the record before it among
// all of the fit. Only such a record can be near the one before it in a node,
// so values are looked at for those alone. The first level reads master; the
// levels below write a and b in turns.
type sorted struct {
	master, a, b []uint32
	local        []int32 // of a row of the table
}

// near is the distance up to which two values count as one (scikit-learn's
// FEATURE_THRESHOLD, added in 32 bits as there).
const near = float32(1e-7)

func (e *exact) begin(f *Fitter, v View, rows []int32) {
	n := len(rows)
	e.flat = resize(e.flat, n*f.features)
	e.x = resize(e.x, f.features)
	e.fixed, e.isL = resize(e.fixed, n), resize(e.isL, n)
	for c := range f.features {
		seen := v.columns[c]
		e.x[c] = e.flat[c*n : (c+1)*n]
		for i, r := range rows {
			e.x[c][i] = seen.x[seen.c][seen.of(r)]
		}
	}
	e.sorted.begin(f, v, rows, e.x)
}

// begin picks the fit's records out of the tables' sorted orders.
func (s *sorted) begin(f *Fitter, v View, rows []int32, x [][]float32) {
	n := len(rows)
	all := n * f.features
	s.master, s.a, s.b = resize(s.master, all), resize(s.a, all), resize(s.b, all)
	for c, seen := range v.columns {
		if c == 0 || seen.Features != v.columns[c-1].Features || seen.order() != v.columns[c-1].order() {
			s.local = resize(s.local, seen.n)
			for i := range s.local {
				s.local[i] = -1
			}
			for i, r := range rows {
				s.local[seen.of(r)] = int32(i)
			}
		}
		out := s.master[c*n : (c+1)*n]
		k := 0
		last := float32(math.Inf(-1))
		for _, r := range seen.orders()[seen.c] {
			i := s.local[r]
			if i < 0 {
				continue
			}
			out[k] = uint32(i) << 1
			if x[c][i] <= last+near {
				out[k] |= 1
			}
			last = x[c][i]
			k++
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

// divide puts a node's records that go left before those that go right, both
// in the order they had, and returns where the right ones begin.
func (e *exact) divide(f *Fitter, s *node) int32 {
	x, threshold := e.x[s.split.feature], s.split.threshold
	rows := f.rows[s.start:s.end]
	l, r := 0, 0
	for _, i := range rows {
		left := 0
		if float64(x[i]) <= threshold {
			left = 1
		}
		e.isL[i] = uint8(left)
		rows[l], f.spare[r] = i, i
		l += left
		r += 1 - left
	}
	copy(rows[l:], f.spare[:r])
	return s.start + int32(l)
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
	e.sides.level(level, func(s *node) int64 { return s.fixed }, f.o.MinLeaf, func(*node) bool { return true })
	for i := range level {
		level[i].split = candidate{score: math.Inf(-1), feature: -1}
	}
	for c := range f.features {
		e.searchColumn(f, level, depth, c)
	}
}

// searchColumn divides column c as the level above was split and looks for the
// best split of every node on it.
func (e *exact) searchColumn(f *Fitter, level []node, depth, c int) {
	s, n := &e.sorted, f.n
	master := s.master[c*n : (c+1)*n]
	now := s.a[c*n : (c+1)*n]
	if depth == 0 {
		now = master
	} else {
		above := master
		if depth > 1 {
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
		if s := &level[i]; s.search {
			scan(now[s.start:s.end], e.x[c], e.fixed, e.sides.of(i), s.fixed, f.o.MinLeaf, int32(c), &s.split)
		}
	}
}

// divide copies from[start:end] to the same place of to, those that went left
// first.
func divide(from, to []uint32, isLeft []uint8, start, mid, end int) {
	l, r := start, mid
	for _, i := range from[start:end] {
		left := int(isLeft[i>>1])
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
func scan(seg []uint32, x []float32, fixed []int64, sides []side, total int64, minLeaf int, c int32,
	best *candidate) {
	n := len(seg)
	if n < 2*minLeaf || x[seg[n-1]>>1] <= x[seg[0]>>1]+near {
		return
	}
	sum := int64(0)
	for _, i := range seg[:minLeaf] {
		sum += fixed[i>>1]
	}
	score, at := best.score, 0
	square := float64(n) * float64(n)
	bound := score / square * (1 - 1e-9) // the quick score may be off by less
	right := seg[minLeaf : n-minLeaf+1]  // the first records on the right
	sides = sides[minLeaf : n-minLeaf+1][:len(right)]
	for k, i := range right {
		d := float64(sum) - sides[k].expected
		if d*d*sides[k].weight >= bound {
			left := k + minLeaf
			exactly := improvement(sum, total, left, n)
			if exactly > score && (i&1 == 0 || x[i>>1] > x[seg[left-1]>>1]+near) {
				score, at = exactly, left
				bound = score / square * (1 - 1e-9)
			}
		}
		sum += fixed[i>>1]
	}
	if at > 0 {
		best.score, best.feature, best.threshold = score, c, midpoint(x[seg[at-1]>>1], x[seg[at]>>1])
	}
}

// improvement is what scan makes large, rounded as scikit-learn rounds it.
func improvement(sum, total int64, left, n int) float64 {
	nl, nr := float64(left), float64(n-left)
	diff := float64(nr*float64(sum)) - float64(nl*float64(total-sum))
	return diff * diff / (nl * nr)
}
