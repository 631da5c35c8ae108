package retry

import (
	"context"
	"math"

	"infnet/backends"
)

// Embedder retries. It brings texts to the embedder inside in batches of the
// size that it likes, and asks again for a batch whose failure is temporary, so
// that one bad call does not cost the others.
type Embedder struct{ batches[string, []float32] }

// NewEmbedder wraps an embedder. Options.Notify gets the number of texts.
func NewEmbedder(e backends.Embedder, opt Options) *Embedder {
	out := &Embedder{batches[string, []float32]{ask: e.Embed, check: checkVectors, waits: New(nil, opt)}}
	if b, ok := e.(backends.Batcher); ok {
		out.size = max(1, b.BatchSize())
	}
	return out
}

// BatchSize is that of the embedder inside; 1 where it has none.
func (e *Embedder) BatchSize() int { return max(1, e.size) }

// Embed asks for all batches at once; the embedder decides how many calls are
// in flight. The error is that of the first batch, in order, that failed.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return e.all(ctx, texts)
}

func checkVectors(texts []string, vectors [][]float32) error {
	if len(vectors) != len(texts) {
		return badResponse("%d vectors for %d texts", len(vectors), len(texts))
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return badResponse("a vector of length %d among vectors of length %d", len(v), len(vectors[0]))
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return badResponse("the vector of text %d holds %v", i, x)
			}
		}
	}
	return nil
}
