package curve

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Sigmoid returns 1/(1+e^−z) without overflow.
func Sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// logisticSteps bounds Newton's iterations; separable data stop earlier by ridge.
const logisticSteps = 100

// Logistic returns the coefficients c of the logistic regression
//
//	Pr(y = 1) = 1/(1 + exp(−(c_0 + Σ_j c_{j+1} x_j)))
//
// maximising Σ y·ln p + (1−y)·ln(1−p) − ½·ridge·Σ_{j≥1} c_j², by Newton's
// method with step halving. rows[i] holds record i's features, targets are in
// [0,1]. ridge ≥ 0; a positive one keeps the coefficients of separable data
// finite, where a ridge of 0 is an error.
func Logistic(rows [][]float64, y []float64, ridge float64) ([]float64, error) {
	if len(rows) == 0 || len(rows) != len(y) {
		return nil, fmt.Errorf("logistic regression of %d rows and %d targets: want as many, and at least one", len(rows), len(y))
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
	for range logisticSteps {
		step, err := newtonStep(rows, y, c, ridge)
		if err != nil {
			return nil, err
		}
		next, nextValue, scale := make([]float64, p), 0.0, 1.0
		for ; ; scale /= 2 {
			size := 0.0
			for j := range c {
				next[j] = c[j] - float64(scale*step[j])
				size = max(size, math.Abs(scale*step[j])/(1+math.Abs(c[j])))
			}
			if size < 1e-12 {
				return c, nil
			}
			if nextValue = logisticLoss(rows, y, next, ridge); nextValue <= value {
				break
			}
		}
		c, value = next, nextValue
	}
	return nil, fmt.Errorf("logistic regression did not settle in %d steps: the targets may be separable; use a ridge > 0", logisticSteps)
}

func linear(row, c []float64) float64 {
	z := c[0]
	for j, v := range row {
		z += float64(c[j+1] * v)
	}
	return z
}

func logisticLoss(rows [][]float64, y, c []float64, ridge float64) float64 {
	loss := 0.0
	for i, row := range rows {
		z := linear(row, c)
		// −ln p if y = 1, −ln(1−p) if y = 0
		loss += math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - float64(y[i]*z)
	}
	for _, v := range c[1:] {
		loss += float64(ridge / 2 * v * v)
	}
	return loss
}

// newtonStep solves H·step = gradient.
func newtonStep(rows [][]float64, y, c []float64, ridge float64) ([]float64, error) {
	p := len(c)
	h, g := mat.NewSymDense(p, nil), make([]float64, p)
	x := make([]float64, p)
	x[0] = 1
	for i, row := range rows {
		copy(x[1:], row)
		q := Sigmoid(linear(row, c))
		for a := range p {
			g[a] += float64((q - y[i]) * x[a])
			for b := a; b < p; b++ {
				h.SetSym(a, b, h.At(a, b)+float64(q*(1-q)*x[a]*x[b]))
			}
		}
	}
	for a := 1; a < p; a++ {
		g[a] += float64(ridge * c[a])
		h.SetSym(a, a, h.At(a, a)+ridge)
	}
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		return nil, fmt.Errorf("logistic regression: the features are constant or collinear, or the targets separable; use a ridge > 0")
	}
	var step mat.VecDense
	if err := chol.SolveVecTo(&step, mat.NewVecDense(p, g)); err != nil {
		return nil, fmt.Errorf("logistic regression: the features are nearly collinear, or the targets separable; use a ridge > 0: %w", err)
	}
	return step.RawVector().Data, nil
}
