package router

import (
	"context"
	"slices"
)

// minimise finds a minimum of a smooth function by gradient steps of Barzilai and Borwein's length (Two-point step size
// gradient methods, 1988), halved until the value is below the largest of the last ten (L. Grippo et al., A nonmonotone
// line search technique for Newton's method, 1986). It ends where the gradient is at most settled times that at the
// start, or after 2,000 steps. of fills gradient and returns the value.
func minimise(ctx context.Context, x []float64, settled float64,
	of func(x, gradient []float64) float64) (at []float64, evaluations int, err error) {
	g := make([]float64, len(x))
	last := []float64{of(x, g)}
	enough, length := settled*norm(g), 1/max(norm(g), shortestStep)
	next, gradient := make([]float64, len(x)), make([]float64, len(x))
	for evaluations = 1; norm(g) > enough && evaluations < 2000 && ctx.Err() == nil; {
		limit, square := slices.Max(last), product(g, g)
		for ; length > shortestStep; length /= 2 {
			for j := range x {
				next[j] = x[j] - float64(length*g[j])
			}
			evaluations++
			if value := of(next, gradient); value <= limit-float64(1e-4*length*square) {
				last = append(last[max(0, len(last)-9):], value)
				break
			}
		}
		if length <= shortestStep {
			break // as low as arithmetic goes
		}
		moved, bent := 0.0, 0.0
		for j := range x {
			s := next[j] - x[j]
			moved, bent = moved+float64(s*s), bent+float64(s*(gradient[j]-g[j]))
		}
		x, next, g, gradient = next, x, gradient, g
		if length = 1; bent > 1e-12*moved {
			length = moved / bent
		}
	}
	return x, evaluations, ctx.Err()
}
