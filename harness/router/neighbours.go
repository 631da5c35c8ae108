package router

import (
	"context"
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
)

// NewNeighbours returns the router of nearest neighbours (Y. Li, Rethinking predictive modeling for LLM routing: when
// simple kNN beats complex learned routers, 2025, arXiv:2505.12601): a model's quality on a query is estimated by its
// mean over the 100 fit records of largest cosine, or all where there are fewer. It looks at no costs.
func NewNeighbours() Learner { return neighbours("nearest neighbours", false) }

// NewCarrot returns CARROT-kNN (S. Somerstep et al., CARROT: a cost aware rate optimal router, 2025,
// arXiv:2502.03261): quality and cost are each estimated by nearest neighbours, whose number is, of 2, 4 … 512, that
// of the largest R² in five-fold cross-validation.
func NewCarrot() Learner { return neighbours("nearest neighbours, of quality and of cost", true) }

const (
	neighboursCode = 1 // version of the computation
	fewNeighbours  = 100
	tuningFolds    = 5
	mostNeighbours = 512 // tuned
)

func neighbours(name string, tuned bool) Learner {
	key := fmt.Sprintf("neighbours %d: tuned %v, %d, 2…%d in %d folds", neighboursCode, tuned, fewNeighbours,
		mostNeighbours, tuningFolds)
	return estimator(name, key, func(ctx context.Context, _ Task, c evidence) (estimates, error) {
		report, quality, cost := Report{}, fewNeighbours, 0
		if tuned {
			ranked, err := c.ranked(ctx)
			if err != nil {
				return estimates{}, err
			}
			quality, cost = tune(c.quality, ranked), tune(c.cost, ranked)
		}
		at := func(s Sample) Estimate {
			ranked := c.near(unitOf(s.Embedding), nil)
			e := Estimate{Quality: mean(c.quality, ranked[:min(quality, len(ranked))])}
			if tuned {
				e.Cost = mean(c.cost, ranked[:min(cost, len(ranked))])
			}
			return e
		}
		all := slices.Concat(c.embedding, c.quality, c.cost, [][]float64{{float64(quality), float64(cost)}})
		return estimates{at, 2 * float64(len(c.embedding)*len(c.embedding[0])), all, report}, nil // cosines with all
	})
}

// ranked are the neighbours of each record in the other folds, the nearest first.
func (c evidence) ranked(ctx context.Context) ([][]int, error) {
	n := len(c.embedding)
	out := make([][]int, n)
	for i := range out {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out[i] = c.near(c.embedding[i], func(j int) bool { return fold(i, n) == fold(j, n) })
	}
	return out, nil
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
func (c evidence) near(v []float64, skip func(i int) bool) (out []int) {
	far := make([]float64, len(c.embedding))
	for i, e := range c.embedding {
		far[i] = -product(v, e)
	}
	for _, i := range calc.Ascending(far) {
		if len(out) < mostNeighbours && (skip == nil || !skip(i)) {
			out = append(out, i)
		}
	}
	return out
}

// tune returns the number of neighbours whose means predict the values best: the largest sum over folds and models of
// R², of equal ones the smallest. Of values that are all the same R² is 1 where the prediction is exact, else 0.
func tune(values [][]float64, ranked [][]int) int {
	best, most, n := 2, math.Inf(-1), len(values)
	for k := 2; k <= mostNeighbours; k *= 2 {
		score := 0.0
		for m := range values[0] {
			var residual, sum, squares, size [tuningFolds]float64
			for i, v := range values {
				if len(ranked[i]) < k {
					return best
				}
				f, guess := fold(i, n), 0.0
				for _, j := range ranked[i][:k] {
					guess += values[j][m] / float64(k)
				}
				residual[f] += float64((v[m] - guess) * (v[m] - guess))
				sum[f], squares[f], size[f] = sum[f]+v[m], squares[f]+float64(v[m]*v[m]), size[f]+1
			}
			for f, n := range size {
				if spread := squares[f] - float64(sum[f]*sum[f]/n); spread > 1e-12 {
					score += 1 - residual[f]/spread
				} else if residual[f] <= 1e-12 {
					score++
				}
			}
		}
		if score > most {
			best, most = k, score
		}
	}
	return best
}

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
