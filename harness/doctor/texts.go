package doctor

import (
	"context"
	"fmt"
	"math"
	"slices"

	"infnet/backends"
)

// Embeddings embeds two texts, one of them twice. err is why there is no embedder; nil = there is one.
func Embeddings(ctx context.Context, e backends.Embedder, err error) []backends.Finding {
	f := backends.Finding{Verdict: backends.Broken, Question: "embeddings"}
	texts := []string{"the film was long", "la pluie tombe", "the film was long"}
	var vectors [][]float32
	if err == nil {
		vectors, err = e.Embed(ctx, texts)
	}
	uneven := slices.ContainsFunc(vectors, func(v []float32) bool { return len(v) == 0 || len(v) != len(vectors[0]) })
	switch {
	case err != nil:
		f.Found = err.Error()
	case len(vectors) != len(texts) || uneven:
		f.Found = fmt.Sprintf("not one vector of one length for each of %d texts", len(texts))
	case slices.ContainsFunc(slices.Concat(vectors...), func(x float32) bool { return x != x }):
		f.Found = "a vector holds what is no number"
	case slices.Equal(vectors[0], vectors[1]):
		f.Found = "two texts have the same vector"
	case !slices.Equal(vectors[0], vectors[2]):
		f.Verdict = backends.Doubt
		f.Found = fmt.Sprintf("%d dimensions; the same text twice has two vectors", len(vectors[0]))
	default:
		f.Verdict, f.Found = backends.Fine, fmt.Sprintf("%d dimensions; the same text has the same vector", len(vectors[0]))
	}
	return []backends.Finding{f}
}

// Scores scores a text after itself and after another, the first twice. err is why there is no scorer.
func Scores(ctx context.Context, scorer backends.Scorer, err error) []backends.Finding {
	f := backends.Finding{Verdict: backends.Broken, Question: "scores"}
	if err != nil {
		f.Found = err.Error()
		return []backends.Finding{f}
	}
	const text = "the film was long"
	itself, other := backends.Pair{Source: text, Target: text}, backends.Pair{Source: "the rain falls", Target: text}
	scores, err := scorer.Score(ctx, []backends.Pair{itself, other, itself})
	switch {
	case err != nil:
		f.Found = err.Error()
	case len(scores) != 3:
		f.Found = fmt.Sprintf("not one score for each of 3 pairs: %v", scores)
	case scores[0] == scores[1]:
		f.Found, f.Fix = "a text scores the same after any other", "look whether the model is complete, and a scorer"
	case float32(scores[0]) != float32(scores[2]): // as they are stored
		f.Verdict, f.Found = backends.Doubt, fmt.Sprintf("the same pair twice differs by %.2g", math.Abs(scores[0]-scores[2]))
		f.Fix = "scores are stored, so tables repeat; a new collection may differ from this one"
	default:
		f.Verdict, f.Found = backends.Fine,
			fmt.Sprintf("a text scores %.3g after itself, %.3g after another; the same pair has the same score", scores[0],
				scores[1])
	}
	return []backends.Finding{f}
}
