package spec

import (
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/harness/policy"
	"infnet/harness/spec/place"
	"infnet/harness/task"
	"infnet/metrics"
)

// scores finds the model that [scorer] names, and marks it; the model itself is
// checked with the others. It returns nil where there is none.
func (l *loader) scores(s *Study, models []*definition, cascades []Cascade, whole bool) *definition {
	f := l.files[0]
	const key = "scorer.model"
	if f.raw.Scorer == nil {
		return nil
	}
	if f.raw.Scorer.Model == nil {
		l.missing(f, "scorer", "model", "the name of a model whose backend is bart")
		return nil
	}
	name := l.scorerInstead(s, models)
	if name == "" {
		return nil
	}
	i := slices.IndexFunc(models, func(d *definition) bool { return d.name != "" && d.name == name })
	switch {
	case i < 0 && whole:
		var known []string
		for _, d := range models {
			known = append(known, d.name)
		}
		l.bad(f, key, fmt.Sprintf("no model is named %q", name), place.Suggest(name, known))
		return nil
	case i < 0:
		return nil
	case slices.ContainsFunc(cascades, func(c Cascade) bool { return slices.Contains(c.Models, name) }):
		d := models[i]
		if kind := d.file.raw.Models[d.i].Backend; kind == nil || *kind != string(backends.BART) { // else answering reports it
			l.bad(f, key, fmt.Sprintf("%s stands in a cascade: it answers, and scores nothing", name), "write a [[models]] entry of its own for the scorer")
		}
		return nil
	}
	models[i].embeds = true
	return models[i]
}

// scorer takes over the model that scores.
func (l *loader) scorer(s *Study, m Model) {
	if k := m.Config.Model.Kind; k != "" && k != backends.BART && k != backends.OpenAI {
		l.bad(l.files[0], "scorer.model", fmt.Sprintf("%s is computed by %s, which scores no pairs of texts", m.Name, k),
			`set backend = "bart" and path to a folder in the layout of BART, or name a server's model (kind openai) whose /completions echoes the prompt's log-probabilities`)
		return
	}
	s.Scorer = &m
}

// bart checks a scorer in this process: a local model's folder that only
// scores.
func (l *loader) bart(d *definition, r *rawModel, m *Model, b *backend, s *Study) {
	l.local(d, r, m, b, s)
	if c := m.Config.Local; c != nil {
		m.Config.Scorer, m.Config.Local = &backends.ScorerConfig{Path: c.Path, Threads: c.Threads}, nil
	}
}

// scored refuses the metric bartscore where nothing scores.
func (c *setting) scored(s *Study, key string) {
	switch {
	case c.files[0].raw.Scorer == nil, s.instead(ScorerRole, NoScorer):
		c.bad(c.def.file, key, "bartscore is what a scorer says, and the study has none", `[scorer] model = "…", a model whose backend is bart`)
	case s.Policy.Setting == policy.Oracle:
		c.bad(c.def.file, key, "bartscore in the oracle setting would hold every answer against the master's, which nobody scored", "leave it out, or use the non-oracle setting")
	}
}

// Scores reports whether the study's scorer is asked about a dataset: for its
// metrics, or because a baseline routes by the quality of generated answers.
func (s *Study) Scores(d *Dataset) bool {
	if s.Scorer == nil || d.Task == task.Classification || s.Policy.Setting == policy.Oracle {
		return false
	}
	return slices.Contains(d.Metrics, metrics.BARTScore) || slices.ContainsFunc(s.Baselines, func(b Baseline) bool { return b.Kind == HybridLLM })
}
