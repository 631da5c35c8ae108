package router

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"infnet/harness/seed"
)

// NewClusters returns the router of clusters (Y. Zhang et al., Beyond GPT-5: making LLMs cheaper and better via
// performance-efficiency optimized routing, 2025, arXiv:2508.12631, "Avengers-Pro"): k-means divides the embeddings of
// the fit records, and a query has the mean quality and cost of each model in the cluster whose centre is nearest. As
// in the authors' code there are 32 clusters, fewer where there are few records, and the best of ten starts counts.
func NewClusters() Learner {
	key := fmt.Sprintf("clusters %d: %d, %d starts, %d steps", clustersCode, mostClusters, clusterStarts, clusterSteps)
	return estimator("clusters", key, clusters)
}

const (
	clustersCode  = 1 // version of the computation
	mostClusters  = 32
	clusterStarts = 10
	clusterSteps  = 300
)

func clusters(ctx context.Context, t Task, c evidence) (estimates, error) {
	rng := seed.Stream(t.Seed, t.Name, "clusters")
	k := min(mostClusters, len(c.embedding))
	var best kMeans
	passes := 0
	for start := range clusterStarts {
		if ctx.Err() != nil {
			return estimates{}, ctx.Err()
		}
		m := newKMeans(c.embedding, k, rng)
		for range clusterSteps {
			passes++
			if !m.step() {
				break
			}
		}
		if start == 0 || m.inertia < best.inertia {
			best = m
		}
	}
	means, square, width := best.means(c), squares(best.centre), len(c.embedding[0])
	all := slices.Clone(best.centre)
	for _, e := range means {
		all = append(all, e.Quality, e.Cost)
	}
	at := func(s Sample) Estimate {
		at, _ := nearestCentre(best.centre, square, unitOf(s.Embedding))
		return means[at]
	}
	return estimates{at, 2 * float64(len(best.centre)*width), all,
		Report{Passes: passes}}, nil
}

func (m kMeans) means(c evidence) (out []Estimate) {
	for at := range m.centre {
		members := membersOf(m.of, at)
		out = append(out, Estimate{mean(c.quality, members), mean(c.cost, members)})
	}
	return out
}

func membersOf(of []int, cluster int) (out []int) {
	for i, at := range of {
		if at == cluster {
			out = append(out, i)
		}
	}
	return out
}

// kMeans is Lloyd's algorithm (S. P. Lloyd, Least squares quantization in PCM, 1982) between two steps.
type kMeans struct {
	x, centre [][]float64
	of        []int // the cluster of each vector
	inertia   float64
}

// newKMeans starts with k different vectors, each drawn by its squared distance to the nearest before it (D. Arthur
// and S. Vassilvitskii, k-means++: the advantages of careful seeding, 2007).
func newKMeans(x [][]float64, k int, rng *rand.Rand) kMeans {
	m := kMeans{x: x, of: make([]int, len(x))}
	far, square := make([]float64, len(x)), squares(x)
	at := rng.IntN(len(x))
	for {
		m.centre = append(m.centre, slices.Clone(x[at]))
		total := 0.0
		for i, v := range x {
			if d := max(0, square[i]+square[at]-2*product(v, x[at])); len(m.centre) == 1 || d < far[i] {
				far[i] = d
			}
			total += far[i]
		}
		if len(m.centre) == k || total <= 1e-12 { // fewer vectors than clusters are different
			return m
		}
		draw := rng.Float64() * total
		for at = 0; at < len(x)-1 && (draw >= far[at] || far[at] == 0); at++ {
			draw -= far[at]
		}
	}
}

func squares(list [][]float64) (out []float64) {
	for _, v := range list {
		out = append(out, product(v, v))
	}
	return out
}

// nearestCentre is the centre of least distance, the first of equal ones, with |c|² − 2·c·v; square holds the |c|².
func nearestCentre(centre [][]float64, square, v []float64) (at int, by float64) {
	by = math.Inf(1)
	for k, c := range centre {
		if d := square[k] - float64(2*product(c, v)); d < by {
			at, by = k, d
		}
	}
	return at, by
}

// step gives every vector to its nearest centre and moves the centres to the means of theirs; false where nothing
// changed. A centre that loses all its vectors takes the one that is farthest from its own.
func (m *kMeans) step() (moved bool) {
	size, d, square := make([]int, len(m.centre)), make([]float64, len(m.x)), squares(m.centre)
	m.inertia = 0
	for i, v := range m.x {
		at, by := nearestCentre(m.centre, square, v)
		d[i] = max(0, by+product(v, v))
		m.inertia += d[i]
		moved = moved || at != m.of[i]
		m.of[i] = at
		size[at]++
	}
	for k, n := range size {
		if n > 0 {
			continue
		}
		far := slices.Index(d, slices.Max(d))
		size[m.of[far]]--
		m.of[far], d[far], size[k], moved = k, 0, 1, true
	}
	for k := range m.centre {
		clear(m.centre[k])
	}
	for i, v := range m.x {
		c := m.centre[m.of[i]]
		for j, x := range v {
			c[j] += x
		}
	}
	for k, c := range m.centre {
		for j := range c {
			c[j] /= float64(size[k])
		}
	}
	return moved
}
