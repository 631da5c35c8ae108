package cli

import (
	"fmt"
	"slices"
	"strconv"

	"infnet/backends"
	"infnet/backends/open"
	"infnet/backends/retry"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/question"
	"infnet/harness/spec"
)

// needsScores reports whether the study's scorer has anything to score.
func (st *study) needsScores() bool {
	return slices.ContainsFunc(st.spec.Datasets, func(d spec.Dataset) bool { return st.spec.Scores(&d) })
}

// scoreJob lists the pairs to score: every reference with every answer to its
// example.
func (st *study) scoreJob() collect.ScoreJob {
	m := st.spec.Scorer
	return collect.ScoreJob{
		Scorer: st.models[m.Name].ID, Served: question.Served(m), Name: m.Name,
		Open: func() (backends.Scorer, error) {
			s, err := st.openScorer(m)
			return s, fault.Model.Wrap(err)
		},
		Pairs: func(yield func(backends.Pair) bool) {
			for j := range st.spec.Datasets {
				d := &st.spec.Datasets[j]
				if !st.spec.Scores(d) {
					continue
				}
				examples := st.sheets[d.Name].Set.Examples
				ok := st.answered(d, func(i int, text string) bool {
					for _, reference := range examples[i].References {
						if !yield(backends.Pair{Source: reference, Target: text}) {
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

// planScores is the scorer's line of a plan, and the number of pairs to score:
// at most, as every answer that is not on disk counts as a new text.
func (st *study) planScores(planned []collect.Planned) (lines [][]string, pairs int, err error) {
	if !st.needsScores() {
		return nil, 0, nil
	}
	line := []string{st.spec.Scorer.Name, "pairs to score", unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown}
	_, known := st.models[st.spec.Scorer.Name]
	for i := range st.spec.Datasets {
		known = known && st.sheets[st.spec.Datasets[i].Name] != nil
	}
	if !known {
		return [][]string{line}, 0, nil
	}
	p, err := st.scoreJob().Count(st.store)
	if err != nil {
		return nil, 0, err
	}
	pairs = p.Missing
	for _, j := range planned {
		d, ok := st.spec.Dataset(j.Dataset)
		if !ok || !st.spec.Scores(d) {
			continue
		}
		most := 0 // references of one example
		for _, e := range st.sheets[d.Name].Set.Examples {
			most = max(most, len(e.References))
		}
		pairs += (j.Total - j.OnDisk) * most
	}
	line[2], line[3], line[4] = strconv.Itoa(pairs+p.Had), strconv.Itoa(p.Had), strconv.Itoa(pairs)
	return [][]string{line}, pairs, nil
}

// plannedVectors is what a plan says beside the answers of models.
type plannedVectors struct {
	lines [][]string // of the table
	bases []string   // how their numbers were counted
	left  []string   // what is to do once every answer is on disk
}

// planVectors plans what is embedded and scored.
func (st *study) planVectors(planned []collect.Planned) (p plannedVectors, err error) {
	embed, texts, err := st.planEmbeddings(planned)
	if err != nil {
		return p, err
	}
	score, pairs, err := st.planScores(planned)
	if err != nil {
		return p, err
	}
	p.lines = slices.Concat(embed, score)
	if texts > 0 {
		p.bases = append(p.bases, st.spec.Embedder.Name()+": texts to embed, at most: every answer that is not on disk counts as a new text")
		p.left = append(p.left, fmt.Sprintf("%d texts are to be embedded by %s.", texts, st.spec.Embedder.Name()))
	}
	if pairs > 0 {
		p.bases = append(p.bases, st.spec.Scorer.Name+": pairs to score, at most: every answer that is not on disk counts as a new text")
		p.left = append(p.left, fmt.Sprintf("%d pairs are to be scored by %s.", pairs, st.spec.Scorer.Name))
	}
	return p, nil
}

// openScorer opens the study's scorer, with retries around a server's.
func (st *study) openScorer(m *spec.Model) (backends.Scorer, error) {
	cfg, err := st.ready(m)
	if err != nil {
		return nil, err
	}
	inner, err := open.Scorer(cfg)
	if err != nil {
		return nil, inFolder(m, err)
	}
	if cfg.Traits().Remote {
		return retry.NewScorer(inner, st.retries(m, "pairs")), nil
	}
	return inner, nil
}
