package leading

import (
	"cmp"
	"math"
	"slices"

	lapack "gonum.org/v1/gonum/lapack/gonum"
)

const (
	epsilon = 0x1p-52
	near    = 1e-3 // of the norm: eigenvalues closer than that have their vectors made orthogonal
	tries   = 8    // steps of an inverse iteration
)

// pair is an eigenvalue and the part of the matrix that it belongs to.
type pair struct {
	value float64
	part  int
}

// leading returns the largest eigenvalues, k at most, in descending order, and
// their eigenvectors as rows; none, if one fails its equation.
func (t tridiagonal) leading(k int) ([]float64, *view[float64]) {
	n := len(t.diagonal)
	norm := 0.0
	for i, d := range t.diagonal {
		norm = max(norm, math.Abs(d))
		if i < n-1 {
			norm = max(norm, math.Abs(t.off[i]))
		}
	}
	if math.IsNaN(norm) || math.IsInf(norm, 0) {
		return nil, nil
	}
	// An element off the diagonal that is no more than rounding divides the matrix.
	var parts []span
	for start := 0; start < n; {
		end := start + 1
		for end < n && math.Abs(t.off[end-1]) > epsilon*norm {
			end++
		}
		parts = append(parts, span{start, end})
		start = end
	}
	all, ok := t.eigenvalues(parts)
	if !ok {
		return nil, nil
	}
	slices.SortStableFunc(all, func(a, b pair) int { return cmp.Compare(b.value, a.value) })
	for k > 1 && all[k-1].value <= negligible*all[0].value {
		k--
	}
	all = all[:k]
	z := byRows(make([]float64, k*n), k, n)
	values := make([]float64, k)
	it := &iteration{norm: norm}
	for j, p := range all {
		values[j] = p.value
		part := parts[p.part]
		it.begin(t, part)
		it.others = it.others[:0]
		for l := range j {
			if all[l].part == p.part && all[l].value-p.value <= near*norm {
				it.others = append(it.others, z.data[l*n:][part.start:part.end])
			}
		}
		if !it.vector(z.data[j*n:][part.start:part.end], p.value, uint64(j)) {
			return nil, nil
		}
	}
	return values, &z
}

type span struct{ start, end int }

// eigenvalues returns those of all parts.
func (t tridiagonal) eigenvalues(parts []span) ([]pair, bool) {
	var out []pair
	for p, s := range parts {
		d := slices.Clone(t.diagonal[s.start:s.end])
		e := slices.Clone(t.off[s.start : s.end-1])
		if len(d) > 1 && !(lapack.Implementation{}).Dsterf(len(d), d, e) {
			return nil, false
		}
		for _, v := range d {
			out = append(out, pair{v, p})
		}
	}
	return out, true
}

// iteration finds eigenvectors by inverse iteration (J. H. Wilkinson, The
// algebraic eigenvalue problem, 1965, chapter 5).
type iteration struct {
	diagonal, off []float64
	norm          float64
	others        [][]float64 // found before, to be orthogonal to

	// T − λ = P·L·U: U's diagonal and the two above, L's one below, and whether
	// two rows changed places.
	u, above, second, l []float64
	swapped             []bool
}

func (it *iteration) begin(t tridiagonal, s span) {
	it.diagonal, it.off = t.diagonal[s.start:s.end], t.off[s.start:s.end-1]
}

// vector writes an eigenvector of length 1. It begins with numbers that a hash of
// seed makes. It reports whether the vector satisfies its equation.
func (it *iteration) vector(z []float64, value float64, seed uint64) bool {
	n := len(z)
	if n == 1 {
		z[0] = 1
		return true
	}
	for i := range z {
		z[i] = hashed(seed<<32 + uint64(i))
	}
	it.factor(value)
	wanted := 64 * math.Sqrt(float64(n)) * epsilon * it.norm
	good := false
	for range tries {
		it.orthogonal(z)
		if !normalise(z) {
			return false
		}
		if good {
			return true
		}
		good = it.residual(z, value) <= wanted
		it.solve(z)
	}
	it.orthogonal(z)
	return normalise(z) && it.residual(z, value) <= wanted
}

// hashed is a number in (−1, 1) that depends on k alone (splitmix64).
func hashed(k uint64) float64 {
	z := (k + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64(int64(z^z>>31)>>10) * 0x1p-53
}

// orthogonal takes the others off, twice for the sake of rounding.
func (it *iteration) orthogonal(z []float64) {
	for range 2 {
		for _, o := range it.others {
			addScaled(z, -dot(o, z), o)
		}
	}
}

// normalise gives z the length 1, unless it has none.
func normalise(z []float64) bool {
	largest := 0.0
	for _, v := range z {
		largest = max(largest, math.Abs(v))
	}
	if !(largest > 0) || math.IsInf(largest, 0) {
		return false
	}
	for i := range z {
		z[i] /= largest
	}
	length := math.Sqrt(dot(z, z))
	for i := range z {
		z[i] /= length
	}
	return true
}

// residual is the length of T·z − λ·z.
func (it *iteration) residual(z []float64, value float64) float64 {
	square := 0.0
	for i, d := range it.diagonal {
		v := float64((d - value) * z[i])
		if i > 0 {
			v += float64(it.off[i-1] * z[i-1])
		}
		if i < len(it.off) {
			v += float64(it.off[i] * z[i+1])
		}
		square += float64(v * v)
	}
	return math.Sqrt(square)
}

// factor factors T − λ with row exchanges.
func (it *iteration) factor(value float64) {
	n := len(it.diagonal)
	for _, x := range []*[]float64{&it.u, &it.above, &it.second, &it.l} {
		*x = append((*x)[:0], make([]float64, n)...)
	}
	it.swapped = append(it.swapped[:0], make([]bool, n)...)
	least := epsilon * it.norm
	u, above := it.diagonal[0]-value, it.off[0]
	for i := range n - 1 {
		below, next, after := it.off[i], it.diagonal[i+1]-value, 0.0
		if i+1 < len(it.off) {
			after = it.off[i+1]
		}
		if math.Abs(below) > math.Abs(u) {
			it.swapped[i] = true
			factor := u / below
			it.u[i], it.above[i], it.second[i], it.l[i] = below, next, after, factor
			u, above = above-float64(factor*next), -float64(factor*after)
			continue
		}
		if math.Abs(u) < least {
			u = math.Copysign(least, u)
		}
		factor := below / u
		it.u[i], it.above[i], it.second[i], it.l[i] = u, above, 0, factor
		u, above = next-float64(factor*above), after
	}
	if math.Abs(u) < least {
		u = math.Copysign(least, u)
	}
	it.u[n-1] = u
}

// solve replaces z by the solution of (T − λ)·x = z.
func (it *iteration) solve(z []float64) {
	n := len(z)
	for i := range n - 1 {
		if it.swapped[i] {
			z[i], z[i+1] = z[i+1], z[i]-float64(it.l[i]*z[i+1])
			continue
		}
		z[i+1] -= float64(it.l[i] * z[i])
	}
	z[n-1] /= it.u[n-1]
	z[n-2] = (z[n-2] - float64(it.above[n-2]*z[n-1])) / it.u[n-2]
	for i := n - 3; i >= 0; i-- {
		z[i] = (z[i] - float64(it.above[i]*z[i+1]) - float64(it.second[i]*z[i+2])) / it.u[i]
	}
}
