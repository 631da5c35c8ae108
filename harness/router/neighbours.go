package router

import (
	"context"
	"fmt"
	"slices"
)

// NewNeighbours returns the router of nearest neighbours (Y. Li, Rethinking predictive modeling for LLM routing: when
// simple kNN beats complex learned routers, 2025, arXiv:2505.12601): a model's quality on a query is estimated by its
// mean over the 100 fit records of largest cosine, or all where there are fewer. It looks at no costs.
func NewNeighbours() Estimator { return neighbours{} }

// NewCarrot returns CARROT-kNN (S. Somerstep et al., CARROT: a cost aware rate optimal router, 2025,
// arXiv:2502.03261): quality and cost are each estimated by nearest neighbours, whose number is, of 2, 4 … 512, that
// of the largest R² in five-fold cross-validation.
func NewCarrot() Estimator { return neighbours{tuned: true} }

// neighbours estimates by the mean over the nearest records.
type neighbours struct{ tuned bool }

const (
	neighboursCode = 1 // version of the computation
	fewNeighbours  = 100
	tuningFolds    = 5
	mostNeighbours = 512 // tuned
)

// Name names the rule.
func (n neighbours) Name() string {
	if n.tuned {
		return "nearest neighbours, of quality and of cost"
	}
	return "nearest neighbours"
}

// Key names the version and the options.
func (n neighbours) Key() string {
	return fmt.Sprintf("neighbours %d: tuned %v, %d, 2…%d in %d folds", neighboursCode, n.tuned, fewNeighbours,
		mostNeighbours, tuningFolds)
}

// NeedsEmbeddings is true.
func (neighbours) NeedsEmbeddings() bool { return true }

// nearest is a fitted router.
type nearest struct {
	evidence
	// neighbours to average over; forCost 0 = costs are not looked at
	forQuality, forCost int
}

func (n neighbours) Estimate(ctx context.Context, t Task) (Estimates, Report, error) {
	c, err := evidenceOf(t)
	f := &nearest{evidence: c, forQuality: fewNeighbours}
	if err != nil || !n.tuned {
		return f, Report{}, err
	}
	ranked := make([][]int, len(c.order)) // neighbours of each record in the other folds, the nearest first
	for i := range ranked {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, Report{}, ctx.Err()
		}
		ranked[i] = c.near(c.embedding[i], func(j int) bool { return fold(i, len(c.order)) == fold(j, len(c.order)) })
	}
	f.forQuality, f.forCost = tune(c.quality, ranked), tune(c.cost, ranked)
	cosines := len(c.order) * len(c.order) * (tuningFolds - 1) / tuningFolds
	return f, Report{FLOPs: 2 * float64(cosines) * float64(len(c.embedding[0]))}, nil
}

// fold divides records into five blocks of neighbouring places, the first ones longer, as scikit-learn's KFold does.
func fold(i, n int) int {
	size, longer := n/tuningFolds, n%tuningFolds
	if i < longer*(size+1) {
		return i / (size + 1)
	}
	return longer + (i-longer*(size+1))/max(size, 1)
}

// near lists the records by falling cosine with a vector of length 1, of equal ones in order, up to mostNeighbours.
func (c evidence) near(v []float64, skip func(i int) bool) []int {
	type hit struct {
		at int
		by float64
	}
	hits := make([]hit, 0, len(c.embedding))
	for i, e := range c.embedding {
		if skip == nil || !skip(i) {
			hits = append(hits, hit{i, product(v, e)})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		switch {
		case a.by > b.by:
			return -1
		case a.by < b.by:
			return 1
		}
		return a.at - b.at
	})
	out := make([]int, min(len(hits), mostNeighbours))
	for k := range out {
		out[k] = hits[k].at
	}
	return out
}

// tune returns the number of neighbours whose means predict the values best: the largest mean over folds and models
// of R², of equal ones the smallest.
func tune(values [][]float64, ranked [][]int) int {
	n, models := len(values), len(values[0])
	best, most := 2, 0.0
	if n < tuningFolds {
		return best
	}
	for k := 2; k <= mostNeighbours; k *= 2 {
		square, sum, squares := zeros(tuningFolds, models), zeros(tuningFolds, models), zeros(tuningFolds, models)
		size := make([]float64, tuningFolds)
		for i := range values {
			if len(ranked[i]) < k {
				return best
			}
			f, guess := fold(i, n), mean(values, ranked[i][:k])
			size[f]++
			for m, v := range values[i] {
				square[f][m] += float64((v - guess[m]) * (v - guess[m]))
				sum[f][m] += v
				squares[f][m] += float64(v * v)
			}
		}
		score := 0.0
		for f := range size {
			for m := range models {
				score += determined(square[f][m], squares[f][m]-float64(sum[f][m]/size[f]*sum[f][m]))
			}
		}
		if k == 2 || score > most {
			best, most = k, score
		}
	}
	return best
}

// determined is R²; of values that are all the same 1 where the prediction is exact, else 0.
func determined(residual, spread float64) float64 {
	switch {
	case spread > 1e-12:
		return 1 - residual/spread
	case residual <= 1e-12:
		return 1
	}
	return 0
}

func zeros(n, m int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, m)
	}
	return out
}

// mean is the mean of some rows.
func mean(values [][]float64, at []int) []float64 {
	out := make([]float64, len(values[0]))
	for _, i := range at {
		for m, v := range values[i] {
			out[m] += v
		}
	}
	for m := range out {
		out[m] /= float64(len(at))
	}
	return out
}

// At implements Estimates.
func (f *nearest) At(s Sample) Estimate {
	ranked := f.near(unitOf(s.Embedding), nil)
	e := Estimate{Quality: mean(f.quality, ranked[:min(f.forQuality, len(ranked))])}
	if f.forCost > 0 {
		e.Cost = mean(f.cost, ranked[:min(f.forCost, len(ranked))])
	}
	return e
}

// FLOPs implements Estimates: the cosines with all records. Their order is comparisons.
func (f *nearest) FLOPs(s Sample) float64 { return 2 * float64(len(f.embedding)*len(s.Embedding)) }

func (f *nearest) learned() [][]float64 {
	return slices.Concat(f.embedding, f.quality, f.cost, [][]float64{{float64(f.forQuality), float64(f.forCost)}})
}
