package doctor

import (
	"context"
	"fmt"
	"math"

	"infnet/backends"
)

// Embeddings embeds two texts, one of them twice. err is why there is no embedder; nil = there is one.
func Embeddings(ctx context.Context, e backends.Embedder, err error) []backends.Finding {
	bad := func(text string) []backends.Finding {
		return []backends.Finding{{Verdict: backends.Broken, Question: "embeddings", Found: text}}
	}
	if err != nil {
		return bad(err.Error())
	}
	texts := []string{"the film was long", "la pluie tombe", "the film was long"}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return bad(err.Error())
	}
	if len(vectors) != len(texts) {
		return bad(fmt.Sprintf("%d vectors for %d texts", len(vectors), len(texts)))
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return bad(fmt.Sprintf("vectors of %d and of %d numbers", len(vectors[0]), len(v)))
		}
	}
	same, other := 0.0, 0.0
	for i := range vectors[0] {
		same = max(same, math.Abs(float64(vectors[0][i]-vectors[2][i])))
		other = max(other, math.Abs(float64(vectors[0][i]-vectors[1][i])))
	}
	switch {
	case math.IsNaN(same + other):
		return bad("a vector holds what is no number")
	case other == 0:
		return bad("two texts have the same vector")
	case same > 0:
		return []backends.Finding{{Verdict: backends.Doubt, Question: "embeddings",
			Found: fmt.Sprintf("%d dimensions; the same text twice differs by up to %.2g", len(vectors[0]), same)}}
	}
	return []backends.Finding{{Question: "embeddings",
		Found: fmt.Sprintf("%d dimensions; the same text has the same vector", len(vectors[0]))}}
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
