package cli

import (
	"context"
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/backends/bart"
	"infnet/backends/openai"
	"infnet/harness/collect"
	"infnet/harness/spec"
)

// needsScores reports whether the study's scorer has anything to score.
func (st *study) needsScores() bool {
	return slices.ContainsFunc(st.spec.Datasets, func(d spec.Dataset) bool { return st.spec.Scores(&d) })
}

// scoreJob lists the pairs to score: every reference with every answer to its
// example. Scores are kept as vectors of one number, by the text of their pair.
func (st *study) scoreJob() collect.EmbedJob {
	m := st.spec.Scorer
	return collect.EmbedJob{
		Embedder: st.models[m.Name].ID, Name: m.Name, What: "scores", Batch: 64,
		Open: func() (backends.Embedder, error) {
			s, err := st.openScorer(m)
			return s, withCode(ExitModel, err)
		},
		Texts: func(yield func(string) bool) {
			for j := range st.spec.Datasets {
				d := &st.spec.Datasets[j]
				if !st.spec.Scores(d) {
					continue
				}
				examples := st.sheets[d.Name].Set.Examples
				ok := st.answered(d, func(i int, text string) bool {
					for _, reference := range examples[i].References {
						if !yield(backends.Pair{Source: reference, Target: text}.Text()) {
							return false
						}
					}
					return true
				})
				if !ok {
					return
				}
			}
		},
	}
}

// openScorer opens the study's scorer, with retries around a server's.
func (st *study) openScorer(m *spec.Model) (backends.Embedder, error) {
	cfg := st.configs[m.Name]
	if cfg.Scorer == nil {
		copied, err := *cfg.OpenAI, error(nil)
		if copied.Headers, err = headers(m); err != nil {
			return nil, err
		}
		cfg.OpenAI = &copied
		server, err := openai.Open(cfg)
		if err != nil {
			return nil, err
		}
		return st.retried(m, "pairs", pairs{server}), nil
	}
	files, err := st.folder(m)
	if err != nil {
		return nil, err
	}
	s, err := bart.OpenFS(files, cfg.Scorer.Threads)
	if err != nil {
		return nil, fmt.Errorf("model folder %s: %w", m.Path, err)
	}
	return pairs{s}, nil
}

// pairs is a scorer as the store of vectors sees it.
type pairs struct{ backends.Scorer }

// Embed scores the pairs that the texts stand for.
func (p pairs) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	list := make([]backends.Pair, len(texts))
	for i, t := range texts {
		var err error
		if list[i], err = backends.PairOf(t); err != nil {
			return nil, err
		}
	}
	scores, err := p.Score(ctx, list)
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(scores))
	for i, s := range scores {
		out[i] = []float32{float32(s)}
	}
	return out, nil
}
