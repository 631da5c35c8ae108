package router

import (
	"context"
	"slices"
)

// What minimise may do.
const (
	minimiseSteps  = 500
	minimiseMemory = 10
)

// minimise finds a minimum of a smooth function by the limited-memory BFGS method with halving until the value falls
// enough (J. Nocedal, Updating quasi-Newton matrices with limited storage, 1980; Armijo's rule). It ends where the
// gradient is at most settled times that at the start. of fills gradient and returns the value.
func minimise(ctx context.Context, x []float64, settled float64,
	of func(x, gradient []float64) float64) (at []float64, evaluations int, err error) {
	type pair struct {
		s, y []float64
		rho  float64
	}
	var memory []pair
	g := make([]float64, len(x))
	value := of(x, g)
	evaluations = 1
	enough := settled * norm(g)
	for range minimiseSteps {
		if norm(g) <= enough {
			break
		}
		if ctx.Err() != nil {
			return nil, evaluations, ctx.Err()
		}
		step := slices.Clone(g)
		a := make([]float64, len(memory))
		for k, p := range slices.Backward(memory) {
			a[k] = p.rho * product(p.s, step)
			add(step, -a[k], p.y)
		}
		if n := len(memory); n > 0 {
			scale(step, 1/(memory[n-1].rho*product(memory[n-1].y, memory[n-1].y)))
		} else {
			scale(step, 1/norm(g))
		}
		for k, p := range memory {
			add(step, a[k]-float64(p.rho*product(p.y, step)), p.s)
		}
		slope := -product(step, g)
		if !(slope < 0) {
			break
		}
		next, gradient := make([]float64, len(x)), make([]float64, len(x))
		length, lower := 1.0, value
		for ; length > shortestStep; length /= 2 {
			copy(next, x)
			add(next, -length, step)
			lower = of(next, gradient)
			evaluations++
			if lower <= value+float64(1e-4*length*slope) {
				break
			}
		}
		if length <= shortestStep {
			break // as low as arithmetic goes
		}
		p := pair{slices.Clone(next), slices.Clone(gradient), 0}
		add(p.s, -1, x)
		add(p.y, -1, g)
		if curved := product(p.s, p.y); curved > 1e-14*product(p.y, p.y) {
			p.rho = 1 / curved
			memory = append(memory[max(0, len(memory)+1-minimiseMemory):], p)
		}
		x, g, value = next, gradient, lower
	}
	return x, evaluations, nil
}

// add adds a times w to v.
func add(v []float64, a float64, w []float64) {
	for j, x := range w {
		v[j] += float64(a * x)
	}
}

// scale multiplies a vector.
func scale(v []float64, a float64) {
	for j := range v {
		v[j] *= a
	}
}
