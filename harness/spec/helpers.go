package spec

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
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
	// reference: does the answer say what the reference says; pairwise: is it as good, in both orders. A text names
	// {prompt}, {answer} and {reference} and asks for A (right) or B; or {first} and {second}, and A, B (the better
	// one) or C (equal)
	Template string `toml:"template" usual:"reference" range:"reference, pairwise, or a text"`
	Human    string `json:"-"` // the file of HumanText, in Study.FS or on the machine; "" = there is none
	// human grades of answers drawn at random: rows of id, model, correct, perhaps dataset, answer. Tables say how far
	// the judge is right, and correct the accuracy
	HumanText string `toml:"human" json:",omitempty" usual:"none" range:"a path"`
}

// JudgeFields are the names that a judge's template has, next to the dataset's fields: what the model was asked, its
// answer, the references; and the latter two in both orders, for a pairwise template.
var JudgeFields = []string{"prompt", "answer", "reference", "first", "second"}

// shipped are the templates that a study names. Their wording is the project's own; asking for one letter with a
// definition of each follows SimpleQA's grader (Wei et al. 2024), both places MT-Bench (Zheng et al. 2023).
var shipped = map[string]string{
	"reference": `A model answered a question. Compare its answer with the reference answer.

Question:
{prompt}

Reference answer:
{reference}

Answer of the model:
{answer}

A: the answer says what the reference says. Wording, order and further true details do not matter.
B: the answer contradicts the reference, lacks a part of it, hedges between several answers, or gives none.

Reply with the letter A or B.
Letter:`,
	"pairwise": `Two models answered a question. Which answer is better? Judge what they say, not how long they are.

Question:
{prompt}

Answer 1:
{first}

Answer 2:
{second}

A: answer 1 is better.
B: answer 2 is better.
C: they are equally good.

Reply with the letter A, B or C.
Letter:`,
}

// Parse reads the template. A pairwise one shows the two answers as {first} and {second}.
func (j *Judge) Parse() (template *task.Template, pairwise bool, err error) {
	text, ok := shipped[j.Template]
	if !ok {
		text = j.Template
	}
	if template, err = task.ParseTemplate(text); err != nil {
		return nil, false, err
	}
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(template.Fields(), n) })
	}
	if pairwise = has("first", "second"); !pairwise && !has("answer") {
		return nil, false, fmt.Errorf("the template shows neither {answer} nor {first} and {second}")
	}
	return template, pairwise, nil
}

// Named is the template's name, or the hash of its text.
func (j *Judge) Named() string {
	if _, ok := shipped[j.Template]; ok {
		return j.Template
	}
	sum := sha256.Sum256([]byte(j.Template))
	return hex.EncodeToString(sum[:6])
}

func takeJudge(s *Study, main *file, m *Model) {
	j := *main.raw.Judge
	j.Model, j.Template = m, cmp.Or(j.Template, "reference")
	if _, _, err := j.Parse(); err != nil {
		main.wrong("judge.template", err.Error(), `reference, pairwise, or a text with {prompt}, {reference} and {answer}`)
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
