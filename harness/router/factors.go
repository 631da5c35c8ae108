package router

import (
	"context"
	"fmt"
	"math"

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
// ½·λ·(|U|² + |v|²) takes the place of the authors' early stopping by epochs; λ is that of least loss on 15 % of the
// records, held out, from strong to weak until the loss has failed to fall twice.
func NewFactors() Estimator { return factors{} }

type factors struct{}

const (
	factorsCode    = 1   // version of the computation
	mostFactors    = 128 // RouteLLM's; as many as models are enough, since the matrix has no higher rank
	factorsFrom    = 16.0
	factorsWeaker  = 4.0
	factorsSteps   = 6
	factorsSettled = 1e-4 // of the gradient, relative to the first
)

// Name returns "matrix factorisation".
func (factors) Name() string { return "matrix factorisation" }

// Key names the version and the options.
func (factors) Key() string {
	return fmt.Sprintf("factors %d: %d, penalties %g/%g^0…%d, settled %g, held out %g", factorsCode, mostFactors,
		factorsFrom, factorsWeaker, factorsSteps-1, factorsSettled, HeldOut)
}

// NeedsEmbeddings is true.
func (factors) NeedsEmbeddings() bool { return true }

// bilinear is the model, and the problem of fitting it to some records. Its numbers are U by row, then v and b by
// model.
type bilinear struct {
	models, rank, width int
	v                   []float64
}

func (factors) Estimate(ctx context.Context, t Task) (Estimates, Report, error) {
	c, err := evidenceOf(t)
	if err != nil {
		return nil, Report{}, err
	}
	plain := t
	plain.Labels = nil
	_, held := plain.divide(HeldOut)
	is := map[int]bool{}
	for _, i := range held {
		is[i] = true
	}
	var train, rest []int
	for at, i := range c.order {
		if is[i] {
			rest = append(rest, at)
		} else {
			train = append(train, at)
		}
	}
	m := &bilinear{models: len(t.Quality), rank: min(mostFactors, len(t.Quality)), width: len(c.embedding[0])}
	m.v = m.start(c, train)
	best, least, since := m.v, m.loss(c, rest, m.v, nil), 0
	evaluations := 0
	for k := 0; k < factorsSteps && since < 2; k++ {
		penalty := factorsFrom / calc.Pow(factorsWeaker, float64(k))
		v, n, err := m.fit(ctx, c, train, penalty, factorsSettled)
		if err != nil {
			return nil, Report{}, err
		}
		evaluations += n
		if loss := m.loss(c, rest, v, nil); len(rest) == 0 || loss < least {
			best, least, since = v, loss, 0
		} else {
			since++
		}
	}
	m.v = best
	work := 2 * float64(len(train)) * float64(m.rank) * float64(m.width+m.models) * 3 // forwards, and back twice
	return m, Report{Passes: evaluations, FLOPs: work * float64(evaluations)}, nil
}

// fit minimises the penalised loss on some records, from start.
func (m *bilinear) fit(ctx context.Context, c evidence, at []int, penalty, settled float64) ([]float64, int, error) {
	return minimise(ctx, m.start(c, at), settled, func(v, gradient []float64) float64 {
		value := m.loss(c, at, v, gradient)
		for j := range (m.width + m.models) * m.rank { // b is not penalised
			value += float64(penalty / 2 * v[j] * v[j])
			gradient[j] += float64(penalty * v[j])
		}
		return value
	})
}

// start is where no query says anything: U is 0, each model has a factor of its own, and b is the log-odds of its mean
// quality.
func (m *bilinear) start(c evidence, train []int) []float64 {
	out := make([]float64, m.rank*m.width+m.models*(m.rank+1))
	for k := range m.models {
		sum := 0.5
		for _, i := range train {
			sum += c.quality[i][k]
		}
		p := sum / float64(len(train)+1)
		out[m.rank*m.width+k*m.rank+k%m.rank] = 1
		out[m.rank*m.width+m.models*m.rank+k] = calc.Log(p / (1 - p))
	}
	return out
}

// parts are U, the models' vectors and b.
func (m *bilinear) parts(v []float64) (u, vectors, b []float64) {
	a := m.rank * m.width
	return v[:a], v[a : a+m.models*m.rank], v[a+m.models*m.rank:]
}

// loss is the logistic loss on some records; gradient nil = it is not wanted.
func (m *bilinear) loss(c evidence, at []int, v, gradient []float64) float64 {
	clear(gradient)
	u, w, b := m.parts(v)
	var gu, gw, gb []float64
	if gradient != nil {
		gu, gw, gb = m.parts(gradient)
	}
	sum, h, gh := 0.0, make([]float64, m.rank), make([]float64, m.rank)
	for _, i := range at {
		x := c.embedding[i]
		for r := range h {
			h[r], gh[r] = product(u[r*m.width:(r+1)*m.width], x), 0
		}
		for k, y := range c.quality[i] {
			z := product(w[k*m.rank:(k+1)*m.rank], h) + b[k]
			sum += max(z, 0) + calc.Log1p(calc.Exp(-math.Abs(z))) - float64(y*z)
			if gradient == nil {
				continue
			}
			d := curve.Sigmoid(z) - y
			gb[k] += d
			for r, hr := range h {
				gw[k*m.rank+r] += float64(d * hr)
				gh[r] += float64(d * w[k*m.rank+r])
			}
		}
		if gradient == nil {
			continue
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

// At implements Estimates.
func (m *bilinear) At(s Sample) Estimate {
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

// FLOPs implements Estimates.
func (m *bilinear) FLOPs(Sample) float64 { return 2 * float64(m.rank*(m.width+m.models)) }

func (m *bilinear) learned() [][]float64 { return [][]float64{m.v} }
