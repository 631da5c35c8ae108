package router

import (
	"math"

	"infnet/harness/curve"
)

// rows is a sparse matrix, row after row.
type rows struct {
	width int
	start []int // of row i, up to start[i+1]
	place []int32
	value []float32
}

func newRows(width int) *rows { return &rows{width: width, start: []int{0}} }

func (r *rows) add(place []int32, value []float32) {
	r.place, r.value = append(r.place, place...), append(r.value, value...)
	r.start = append(r.start, len(r.place))
}

func (r *rows) len() int { return len(r.start) - 1 }

// dot is row i times w.
func (r *rows) dot(i int, w []float64) float64 {
	sum := 0.0
	place, value := r.place[r.start[i]:r.start[i+1]], r.value[r.start[i]:r.start[i+1]]
	for k, at := range place {
		sum += float64(float64(value[k]) * w[at])
	}
	return sum
}

// spread adds a times row i to w.
func (r *rows) spread(i int, a float64, w []float64) {
	place, value := r.place[r.start[i]:r.start[i+1]], r.value[r.start[i]:r.start[i+1]]
	for k, at := range place {
		w[at] += float64(a * float64(value[k]))
	}
}

// logistic is the problem
//
//	min  Σ_i ln(1 + e^z_i) − y_i·z_i + ½·penalty·‖w‖²,  z_i = x_i·w + b
//
// in the weights w and the intercept b, which is not penalised: scikit-learn's
// LogisticRegression with C = 1/penalty. Vectors hold b behind the weights.
type logistic struct {
	x       *rows
	y       []float64
	penalty float64

	passes int // over the rows, so far
	z      []float64
}

// loss returns the value at v, and leaves z there.
func (l *logistic) loss(v []float64) float64 {
	l.passes++
	b, sum := v[l.x.width], 0.0
	for i, y := range l.y {
		z := l.x.dot(i, v) + b
		l.z[i] = z
		sum += curve.LogLoss(z, y)
	}
	square := 0.0
	for _, w := range v[:l.x.width] {
		square += float64(w * w)
	}
	return sum + float64(l.penalty*square/2)
}

// gradient fills g with that at v, whose z loss has left, and curve with the
// rows' second derivatives.
func (l *logistic) gradient(v, g, second []float64) {
	for j, w := range v[:l.x.width] {
		g[j] = float64(l.penalty * w)
	}
	b := 0.0
	for i, y := range l.y {
		p := curve.Sigmoid(l.z[i])
		second[i] = float64(p * (1 - p))
		l.x.spread(i, p-y, g)
		b += p - y
	}
	g[l.x.width] = b
}

// times fills out with the second derivative times d.
func (l *logistic) times(d, second, out []float64) {
	l.passes++
	for j, w := range d[:l.x.width] {
		out[j] = float64(l.penalty * w)
	}
	b := 0.0
	for i, s := range second {
		a := float64(s * (l.x.dot(i, d) + d[l.x.width]))
		l.x.spread(i, a, out)
		b += a
	}
	out[l.x.width] = b
}

// Newton's method ends where the gradient is so small, relative to that at
// zero weights, or after so many steps.
const (
	newtonSteps   = 50
	conjugateMost = 100
	shortestStep  = 1e-10
)

// solve improves v until the gradient's length is at most tolerance times
// `from`: Newton's method whose steps are found by conjugate gradients, cut
// short while far from the end, with halving until the loss falls enough (S. G.
// Nash, A survey of truncated-Newton methods, 2000; Armijo's rule).
func (l *logistic) solve(v []float64, from, tolerance float64) {
	n := len(v)
	g, step, second := make([]float64, n), make([]float64, n), make([]float64, l.x.len())
	next := make([]float64, n)
	value := l.loss(v)
	for range newtonSteps {
		l.gradient(v, g, second)
		length := norm(g)
		if length <= tolerance*from {
			return
		}
		l.conjugate(g, second, step, min(0.3, math.Sqrt(length/from))*length)
		slope := dot(g, step)
		if !(slope < 0) {
			return // as low as arithmetic goes
		}
		scale := 1.0
		for ; scale > shortestStep; scale /= 2 {
			for j := range v {
				next[j] = v[j] + float64(scale*step[j])
			}
			lower := l.loss(next)
			if lower <= value+float64(1e-4*scale*slope) {
				value = lower
				break
			}
		}
		if scale <= shortestStep {
			l.loss(v)
			return
		}
		copy(v, next)
	}
}

// conjugate solves H·step = −g until the residual is at most small.
func (l *logistic) conjugate(g, second, step []float64, small float64) {
	n := len(g)
	r, d, h := make([]float64, n), make([]float64, n), make([]float64, n)
	clear(step)
	for j := range g {
		r[j] = -g[j]
		d[j] = r[j]
	}
	rr := dot(r, r)
	for range conjugateMost {
		if math.Sqrt(rr) <= small {
			return
		}
		l.times(d, second, h)
		bend := dot(d, h)
		if !(bend > 0) {
			return
		}
		a := rr / bend
		for j := range step {
			step[j] += float64(a * d[j])
			r[j] -= float64(a * h[j])
		}
		after := dot(r, r)
		for j := range d {
			d[j] = r[j] + float64(after/rr*d[j])
		}
		rr = after
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for j, x := range a {
		sum += float64(x * b[j])
	}
	return sum
}

func norm(a []float64) float64 { return math.Sqrt(dot(a, a)) }
