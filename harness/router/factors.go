package router

import (
	"context"
	"fmt"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/curve"
)

// NewFactors returns the router of matrix factorisation (I. Ong et al., RouteLLM: learning to route LLMs with
// preference data, 2024, arXiv:2406.18665; R. Zhuang et al., EmbedLLM: learning compact representations of large
// language models, 2024, arXiv:2410.02223): the chance that model m is right on a query x is
//
//	P(m right | x) = 1/(1 + exp(−(v_m·(U x) + b_m)))
//
// with a vector v_m per model and one projection U of the query's embedding, learned together. The penalty
// ½·(|U|² + |v|²) takes the place of the authors' weight decay and early end.
func NewFactors() Learner {
	key := fmt.Sprintf("factors %d: %d, penalty %g, settled %g", factorsCode, mostFactors, factorsPenalty, factorsSettled)
	return estimator("matrix factorisation", key, factors)
}

const (
	factorsCode    = 1    // version of the computation
	mostFactors    = 128  // RouteLLM's; as many as models are enough, since the matrix has no higher rank
	factorsPenalty = 1.0  // as scikit-learn's regressions
	factorsSettled = 1e-4 // of the gradient, relative to the first
)

// bilinear is the model, and the problem of fitting it to some records. Its numbers are U by row, then v and b by
// model.
type bilinear struct {
	models, rank, width int
	v                   []float64
}

func factors(ctx context.Context, t Task, c evidence) (estimates, error) {
	m := &bilinear{models: len(t.Quality), rank: min(mostFactors, len(t.Quality)), width: len(c.embedding[0])}
	evaluations, err := m.fit(ctx, c, factorsPenalty, factorsSettled)
	return estimates{m.at, 2 * float64(m.rank*(m.width+m.models)), [][]float64{m.v},
		Report{Passes: evaluations}}, err
}

// fit minimises the penalised loss, from start.
func (m *bilinear) fit(ctx context.Context, c evidence, penalty, settled float64) (evaluations int, err error) {
	m.v, evaluations, err = minimise(ctx, m.start(c), settled, func(v, gradient []float64) float64 {
		value := m.loss(c, v, gradient)
		for j := range (m.width + m.models) * m.rank { // b is not penalised
			value += float64(penalty / 2 * v[j] * v[j])
			gradient[j] += float64(penalty * v[j])
		}
		return value
	})
	return evaluations, err
}

// start is where no query says anything: U is 0, each model has a factor of its own, and b is the log-odds of its mean
// quality.
func (m *bilinear) start(c evidence) []float64 {
	out := make([]float64, m.rank*m.width+m.models*(m.rank+1))
	for k := range m.models {
		sum := 0.5
		for _, q := range c.quality {
			sum += q[k]
		}
		p := sum / float64(len(c.quality)+1)
		out[m.rank*m.width+k*m.rank+k%m.rank] = 1
		out[m.rank*m.width+m.models*m.rank+k] = calc.Log(p / (1 - p))
	}
	return out
}

func (m *bilinear) parts(v []float64) (u, vectors, b []float64) {
	a := m.rank * m.width
	return v[:a], v[a : a+m.models*m.rank], v[a+m.models*m.rank:]
}

func (m *bilinear) loss(c evidence, v, gradient []float64) float64 {
	clear(gradient)
	u, w, b := m.parts(v)
	gu, gw, gb := m.parts(gradient)
	sum, h, gh := 0.0, make([]float64, m.rank), make([]float64, m.rank)
	for i, x := range c.embedding {
		for r := range h {
			h[r], gh[r] = product(u[r*m.width:(r+1)*m.width], x), 0
		}
		for k, y := range c.quality[i] {
			z := product(w[k*m.rank:(k+1)*m.rank], h) + b[k]
			sum += curve.LogLoss(z, y)
			d := curve.Sigmoid(z) - y
			gb[k] += d
			for r, hr := range h {
				gw[k*m.rank+r] += float64(d * hr)
				gh[r] += float64(d * w[k*m.rank+r])
			}
		}
		for r, g := range gh {
			row := gu[r*m.width : (r+1)*m.width]
			for j, xj := range x {
				row[j] += float64(g * xj)
			}
		}
	}
	return sum
}

func (m *bilinear) at(s Sample) Estimate {
	u, w, b := m.parts(m.v)
	x, h, e := unitOf(s.Embedding), make([]float64, m.rank), Estimate{Quality: make([]float64, m.models)}
	for r := range h {
		h[r] = product(u[r*m.width:(r+1)*m.width], x)
	}
	for k := range e.Quality {
		e.Quality[k] = curve.Sigmoid(product(w[k*m.rank:(k+1)*m.rank], h) + b[k])
	}
	return e
}

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
