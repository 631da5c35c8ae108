package doctor

import (
	"context"
	"fmt"
	"math"
	"slices"

	"infnet/backends"
)

// Embeddings embeds two texts, one of them twice. err is why there is no embedder; nil = there is one.
func Embeddings(ctx context.Context, e backends.Embedder, err error) backends.Finding {
	const question = "embeddings"
	texts := []string{"the film was long", "la pluie tombe", "the film was long"}
	var vectors [][]float32
	if err == nil {
		vectors, err = e.Embed(ctx, texts)
	}
	uneven := slices.ContainsFunc(vectors, func(v []float32) bool { return len(v) == 0 || len(v) != len(vectors[0]) })
	switch {
	case err != nil:
		return backends.Broken.On(question, err.Error(), "")
	case len(vectors) != len(texts) || uneven:
		return backends.Broken.On(question, fmt.Sprintf("not one vector of one length for each of %d texts", len(texts)), "")
	case slices.ContainsFunc(slices.Concat(vectors...), func(x float32) bool { return x != x }):
		return backends.Broken.On(question, "a vector holds what is no number", "")
	case slices.Equal(vectors[0], vectors[1]):
		return backends.Broken.On(question, "two texts have the same vector", "")
	}
	found := fmt.Sprintf("%d dimensions; the same text ", len(vectors[0]))
	if !slices.Equal(vectors[0], vectors[2]) {
		return backends.Doubt.On(question, found+"twice has two vectors", "")
	}
	return backends.Fine.On(question, found+"has the same vector", "")
}

// Scores scores a text after itself and after another, the first twice. err is why there is no scorer.
func Scores(ctx context.Context, scorer backends.Scorer, err error) backends.Finding {
	const question, text = "scores", "the film was long"
	var scores []float64
	if err == nil {
		itself := backends.Pair{Source: text, Target: text}
		scores, err = scorer.Score(ctx, []backends.Pair{itself, {Source: "the rain falls", Target: text}, itself})
	}
	switch {
	case err != nil:
		return backends.Broken.On(question, err.Error(), "")
	case len(scores) != 3:
		return backends.Broken.On(question, fmt.Sprintf("not one score for each of 3 pairs: %v", scores), "")
	case scores[0] == scores[1]:
		return backends.Broken.On(question, "a text scores the same after any other",
			"look whether the model is complete, and a scorer")
	case float32(scores[0]) != float32(scores[2]): // as they are stored
		return backends.Doubt.On(question,
			fmt.Sprintf("the same pair twice differs by %.2g", math.Abs(scores[0]-scores[2])),
			"scores are stored, so tables repeat; a new collection may differ from this one")
	}
	return backends.Fine.On(question, fmt.Sprintf("a text scores %.3g after itself, %.3g after another; the same pair "+
		"has the same score", scores[0], scores[1]), "")
}
