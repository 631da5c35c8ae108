package spec

import (
	"cmp"
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/harness/policy"
	"infnet/harness/task"
	"infnet/metrics"
)

// Embedder turns texts into vectors, for the cosine and for the embeddings of the sufficiency test.
type Embedder struct {
	Kind  backends.Kind // lexical, or the model's; "" in a study with mistakes
	Model *Model        `json:",omitempty"` // nil = the built-in lexical embedder
}

// Name is the embedder's name in tables.
func (e Embedder) Name() string {
	if e.Model != nil {
		return e.Model.Name
	}
	return string(e.Kind)
}

// Measures reports whether the cosine of its vectors measures meaning, so that a correctness rule
// may use it.
func (e Embedder) Measures() bool { return e.Kind != backends.Lexical }

// Scores reports whether the study's scorer is asked about a dataset: for its
// metrics, or because a baseline routes by the quality of generated answers.
func (s *Study) Scores(d *Dataset) bool {
	if s.Scorer == nil || d.Task == task.Classification || s.Policy.Setting == policy.Oracle {
		return false
	}
	return slices.Contains(d.Metrics, metrics.BARTScore) ||
		slices.ContainsFunc(s.Baselines, func(b Baseline) bool { return b.Quality() })
}

// helper is a model that a study asks besides those of its cascades.
type helper struct {
	table string
	model *definition
	can   func(backends.Traits) bool
	lacks string // of a model that cannot
	fix   string
	use   func(s *Study, m *Model)
}

func (c *cascadeCheck) helpers(s *Study) []helper {
	raw := &c.main.raw
	s.Embedder = Embedder{Kind: backends.Lexical}
	const lexical = string(backends.Lexical)
	embeds, scores, judges := cmp.Or(or(raw.Embedder, rawEmbedder{}).Model, lexical), "", ""
	embeds = c.stand.serving(embeds, EmbedderRole, lexical)
	if embeds != "" {
		s.Embedder.Kind = "" // until the model says
	}
	if raw.Scorer != nil && raw.Scorer.Model != "" {
		scores = c.stand.serving(raw.Scorer.Model, ScorerRole, NoScorer)
	}
	if raw.Judge != nil {
		judges = raw.Judge.Of
	}
	return []helper{
		{"embedder", c.serving("embedder", embeds, "it answers, and cannot embed"),
			func(t backends.Traits) bool { return t.Embeds }, "embeds nothing",
			"set backend = \"encoder\" for a sentence encoder in this process, or name a server's model (kind openai) that " +
				"has /v1/embeddings",
			func(s *Study, m *Model) { s.Embedder = Embedder{Kind: m.Config.Model.Kind, Model: m} }},
		{"scorer", c.serving("scorer", scores, "it answers, and cannot score"),
			func(t backends.Traits) bool { return t.Scores }, "scores no pairs of texts",
			"set backend = \"bart\" and path to a folder in the layout of BART, or name a server's model (kind openai) " +
				"whose /completions echoes the prompt's log-probabilities", func(s *Study, m *Model) { s.Scorer = m }},
		{"judge", c.serving("judge", judges, "it would judge its own answers"),
			func(t backends.Traits) bool { return t.Answers }, "answers nothing", "name another model",
			func(s *Study, m *Model) { takeJudge(s, c.main, m) }},
	}
}

func (h helper) take(s *Study, main *file, m Model) {
	if k := m.Config.Model.Kind; k != "" && !h.can(k.Traits()) {
		main.wrong(h.table+".model", fmt.Sprintf("%s is computed by %s, which %s", m.Name, k, h.lacks), h.fix)
		return
	}
	if h.table != "judge" { // what they compute is kept by their revision alone
		remote, _ := m.Config.Remote()
		m.Config.Model.Revision += mark(remote.Engine(), len(remote.Engine()))
	}
	h.use(s, &m)
}
