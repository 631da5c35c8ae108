package spec

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

// Judge is a model that says whether answers are right.
type Judge struct {
	// a model in no cascade; asked for a letter
	Of    string `toml:"model" json:"-" need:"the name of a model that is in no cascade" range:"a model's name"`
	Model *Model
	// reference: does the answer say what the reference says. A text names {prompt}, {answer} and {reference} and asks
	// for A (right) or B
	Template string `toml:"template" usual:"reference" range:"reference, or a text"`
	Human    string `json:"-"` // the file of HumanText, in Study.FS or on the machine; "" = there is none
	// human grades of answers drawn at random: rows of id, model, correct, perhaps dataset, answer. Tables say how far
	// the judge is right, and correct the accuracy
	HumanText string `toml:"human" json:",omitempty" usual:"none" range:"a path"`
}

// JudgeFields are the names that a judge's template has, next to the dataset's fields: what the model was asked, its
// answer, the references.
var JudgeFields = []string{"prompt", "answer", "reference"}

// shipped is the template that a study need not write. Its wording is the project's own; asking for one letter with a
// definition of each follows SimpleQA's grader (Wei et al. 2024).
const shipped = `A model answered a question. Compare its answer with the reference answer.

Question:
{prompt}

Reference answer:
{reference}

Answer of the model:
{answer}

A: the answer says what the reference says. Wording, order and further true details do not matter.
B: the answer contradicts the reference, lacks a part of it, hedges between several answers, or gives none.

Reply with the letter A or B.
Letter:`

// usualTemplate is what a study calls it.
const usualTemplate = "reference"

// Parse reads the template.
func (j *Judge) Parse() (*task.Template, error) {
	text := j.Template
	if text == usualTemplate {
		text = shipped
	}
	template, err := task.ParseTemplate(text)
	if err == nil && !slices.Contains(template.Fields(), "answer") {
		err = errors.New("the template does not show {answer}")
	}
	return template, err
}

// Named is the template's name, or the hash of its text.
func (j *Judge) Named() string {
	if j.Template == usualTemplate {
		return j.Template
	}
	sum := sha256.Sum256([]byte(j.Template))
	return hex.EncodeToString(sum[:6])
}

func takeJudge(s *Study, main *file, m *Model) {
	j := *main.raw.Judge
	j.Model, j.Template = m, cmp.Or(j.Template, usualTemplate)
	if _, err := j.Parse(); err != nil {
		main.wrong("judge.template", err.Error(), `reference, or a text with {prompt}, {reference} and {answer}`)
		return
	}
	if j.HumanText != "" {
		if s.Policy.Setting == policy.Oracle {
			main.wrong("judge.human", "people say whether answers are right, and in the oracle setting the master always is",
				"leave human out, or the oracle setting")
		}
		j.Human, _ = main.path("judge.human", j.HumanText)
	}
	s.Judge = &j
}
