package spec

import (
	"fmt"
	"slices"

	"infnet/harness/policy"
	"infnet/harness/task"
	"infnet/metrics"
)

// takeScorer takes over the model that scores.
func takeScorer(s *Study, main *file, m Model) {
	if k := m.Config.Model.Kind; k != "" && !k.Traits().Scores {
		main.wrong("scorer.model", fmt.Sprintf("%s is computed by %s, which scores no pairs of texts", m.Name, k),
			`set backend = "bart" and path to a folder in the layout of BART, or name a server's model (kind openai) whose /completions echoes the prompt's log-probabilities`)
		return
	}
	m.Config.Model.Revision += engineVariant(m)
	s.Scorer = &m
}

// scored refuses the metric bartscore where nothing scores.
func (c *gradeCheck) scored(key string) {
	switch {
	case c.main.raw.Scorer == nil, c.study.instead(ScorerRole, NoScorer):
		c.file.wrong(key, "bartscore is what a scorer says, and the study has none",
			`[scorer] model = "…", a model whose backend is bart`)
	case c.study.Policy.Setting == policy.Oracle:
		c.file.wrong(key, "bartscore in the oracle setting would hold every answer against the master's, which nobody scored",
			"leave it out, or use the non-oracle setting")
	}
}

// Scores reports whether the study's scorer is asked about a dataset: for its
// metrics, or because a baseline routes by the quality of generated answers.
func (s *Study) Scores(d *Dataset) bool {
	if s.Scorer == nil || d.Task == task.Classification || s.Policy.Setting == policy.Oracle {
		return false
	}
	return slices.Contains(d.Metrics, metrics.BARTScore) ||
		slices.ContainsFunc(s.Baselines, func(b Baseline) bool { return b.Quality() })
}
