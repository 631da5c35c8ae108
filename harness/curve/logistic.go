package curve

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
)

// Sigmoid returns 1/(1+e^−z) without overflow.
func Sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + calc.Exp(-z))
	}
	e := calc.Exp(z)
	return e / (1 + e)
}

// Newton's method stops when a step promises less than `settled` of the loss,
// which leaves about half as many digits in the coefficients, or when no step
// down to smallestScale of Newton's lowers the loss.
const (
	logisticSteps = 200
	settled       = 1e-24
	patience      = 50 // steps after which, given a ridge, nearlySettled will do
	nearlySettled = 1e-10
	smallestScale = 1e-9
	damping       = 1e-12 // of the Hessian's diagonal
	lossNoise     = 1e-14 // near the optimum the loss is flat to rounding, but its gradient is not
)

// Logistic returns the coefficients c of the logistic regression
//
//	Pr(y = 1) = 1/(1 + exp(−(c_0 + Σ_j c_{j+1} x_j)))
//
// maximising Σ y·ln p + (1−y)·ln(1−p) − ½·ridge·Σ_{j≥1} c_j², by Newton's
// method with step halving. rows[i] holds record i's features, targets are in
// [0,1]. ridge ≥ 0; a positive one keeps the coefficients of separable data
// finite, where a ridge of 0 is an error. Targets that are all 0 or all 1 leave
// the intercept without a limit and are an error whatever the ridge.
func Logistic(rows [][]float64, y []float64, ridge float64) ([]float64, error) {
	if len(rows) == 0 || len(rows) != len(y) {
		return nil, fmt.Errorf("logistic regression of %d rows and %d targets: want as many, and at least one",
			len(rows), len(y))
	}
	p := len(rows[0]) + 1
	for i, row := range rows {
		if len(row) != p-1 {
			return nil, fmt.Errorf("row %d has %d features, the first has %d", i, len(row), p-1)
		}
		for _, v := range append([]float64{y[i]}, row...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("row %d has %v: want finite numbers", i, v)
			}
		}
		if y[i] < 0 || y[i] > 1 {
			return nil, fmt.Errorf("target %d is %v: want a number in [0,1]", i, y[i])
		}
	}
	c := make([]float64, p)
	value := logisticLoss(rows, y, c, ridge)
	for i := range logisticSteps {
		step, decrement, err := newtonStep(rows, y, c, ridge)
		if err != nil {
			return nil, err
		}
		if decrement <= settled*(1+value) {
			return c, stillMoving(c, step)
		}
		if ridge > 0 && i >= patience && decrement <= nearlySettled*(1+value) {
			return c, nil // there is a limit, and the loss is at it
		}
		next, nextValue, scale := make([]float64, p), 0.0, 1.0
		for ; scale > smallestScale; scale /= 2 {
			for j := range c {
				next[j] = c[j] - float64(scale*step[j])
			}
			nextValue = logisticLoss(rows, y, next, ridge)
			if nextValue < value || scale == 1 && nextValue <= value+float64(lossNoise*(1+value)) {
				break
			}
		}
		if scale <= smallestScale { // as low as arithmetic goes
			return c, stillMoving(c, step)
		}
		c, value = next, nextValue
	}
	return nil, fmt.Errorf("logistic regression did not settle in %d steps: the targets may be separable; use a ridge > 0",
		logisticSteps)
}

// stillMoving is the error of coefficients that could grow for ever without
// the loss changing: some features separate the targets.
func stillMoving(c, step []float64) error {
	for j := range c {
		if math.Abs(step[j]) > 1e-5*(1+math.Abs(c[j])) {
			return fmt.Errorf("logistic regression: the features separate the targets, so coefficient %d has no limit; use a "+
				"ridge > 0", j)
		}
	}
	return nil
}

func linear(row, c []float64) float64 {
	z := c[0]
	for j, v := range row {
		z += float64(c[j+1] * v)
	}
	return z
}

// LogLoss is −y·ln p − (1−y)·ln(1−p) of log-odds z.
func LogLoss(z, y float64) float64 {
	return max(z, 0) + calc.Log1p(calc.Exp(-math.Abs(z))) - float64(y*z)
}

func logisticLoss(rows [][]float64, y, c []float64, ridge float64) float64 {
	loss := 0.0
	for i, row := range rows {
		loss += LogLoss(linear(row, c), y[i])
	}
	for _, v := range c[1:] {
		loss += float64(ridge / 2 * v * v)
	}
	return loss
}

// newtonStep solves H·step = gradient. The decrement, gradient·step, is twice
// what the step lowers a quadratic loss by.
func newtonStep(rows [][]float64, y, c []float64, ridge float64) (step []float64, decrement float64, err error) {
	p := len(c)
	h, g := make([][]float64, p), make([]float64, p) // H: its lower triangle
	for a := range h {
		h[a] = make([]float64, a+1)
	}
	x := make([]float64, p)
	x[0] = 1
	for i, row := range rows {
		copy(x[1:], row)
		q := Sigmoid(linear(row, c))
		for a := range p {
			g[a] += float64((q - y[i]) * x[a])
			for b := range a + 1 {
				h[a][b] += float64(q * (1 - q) * x[a] * x[b])
			}
		}
	}
	for a := 1; a < p; a++ {
		g[a] += float64(ridge * c[a])
		h[a][a] += ridge
	}
	// Scaled to a unit diagonal, H is as well-conditioned as it can be made.
	scale := make([]float64, p)
	for a := range p {
		scale[a] = 1
		if d := h[a][a]; d > 0 {
			scale[a] = 1 / math.Sqrt(d)
		}
		g[a] *= scale[a]
	}
	for a := range p {
		for b := range a + 1 {
			h[a][b] *= scale[a] * scale[b]
		}
		h[a][a] += damping
	}
	step = slices.Clone(g)
	if !solve(h, step) {
		return nil, 0, fmt.Errorf("logistic regression: the features are constant or collinear, or separate the targets; " +
			"use a ridge > 0")
	}
	for a := range step {
		decrement += float64(g[a] * step[a])
		step[a] *= scale[a]
	}
	return step, decrement, nil
}

// solve writes H⁻¹·v over v by Cholesky's factors, which it writes over H's
// lower triangle; false where H is not positive definite, or nearly not.
func solve(h [][]float64, v []float64) bool {
	const most = 1e16 // as the condition number, roughly the square of the diagonal's ratio
	least, largest := math.Inf(1), 0.0
	for a := range h {
		for b := range a + 1 {
			for k := range b {
				h[a][b] -= float64(h[a][k] * h[b][k])
			}
			if b < a {
				h[a][b] /= h[b][b]
			}
		}
		if !(h[a][a] > 0) {
			return false
		}
		h[a][a] = math.Sqrt(h[a][a])
		least, largest = min(least, h[a][a]), max(largest, h[a][a])
		for k := range a {
			v[a] -= float64(h[a][k] * v[k])
		}
		v[a] /= h[a][a]
	}
	for a := len(h) - 1; a >= 0; a-- {
		for k := a + 1; k < len(h); k++ {
			v[a] -= float64(h[k][a] * v[k])
		}
		v[a] /= h[a][a]
	}
	return largest*largest <= most*least*least
}
