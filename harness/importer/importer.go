// Package importer writes the studies of infnet init: the one that replays files of recorded answers, and a starter for
// a file of data. It owns the recognition of columns and models, the guess at what data are, what it says about them,
// and the text of the studies (*.tmpl). It refuses to guess a number: a fact that the files do not have is reported as
// missing, and data in which no column looks like a label or a reference are no study.
//
// Its opinion: a run says best what is wrong with single answers, so import looks only for what the study has to say.
package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
	"infnet/harness/recorded"
)

// Options say what to import.
type Options struct {
	Name    string            // of the study
	Files   []string          // of answers, and of questions
	Columns map[string]string // roles by the keys of a model's columns, such as correct → right; others are recognised
}

// Found is what the files hold.
type Found struct {
	Name      string
	Files     []string // what each is, and what its columns mean
	Models    []*Model
	Questions Questions
	Remarks   []string // what is missing or suspect
}

// Model is one model of the files.
type Model struct {
	Name    string // in the study
	Of      string // as the files name it; "" = they do not
	Path    string
	Columns map[string]string // to be written into the study, by their keys; nil = their names are usual

	Rows, Failed int
	Has          [facts]int // answers with each fact
	Partly       bool       // some grade is neither 0 nor 1
	Whole        bool       // some log-probability is of a whole answer
	Right        float64    // of the graded and the judged
	Cost         float64
	Currency     string

	judged    int // without a grade, and compared with the right answer
	unclassed int // neither a label nor scores of labels
	bit       uint64
}

// What an answer may have.
const (
	Grade = iota
	Cost
	Time
	Tokens
	Confidence
	facts
)

// Questions are what was asked.
type Questions struct {
	N         int
	Everybody int      // answered by every model
	Usable    int      // answered by every model, with a grade where grades decide
	Rights    int      // those with a right answer
	Labels    []string // of a classification, in order; nil = it is none

	Path                  string // the file to use; "" = one has to be written
	ID, Text, Right, Part string // its columns; "" = there is none
}

type scan struct {
	o     Options
	found *Found
	seen  map[string]entry // by the question's id
	write func(line []byte) error
	parts map[string]bool // words of the column of the split

	task     string          // what the first log calls its dataset
	labels   map[string]bool // of probabilities, of labels that models said, and of right answers
	several  bool            // some question has several right answers
	textless bool            // some question has no text
}

type entry struct {
	answered, heard, graded uint64 // by the models' bits; heard are the answers that are no error
	right                   string // the right answer, the first
	known                   bool   // it is written, or in the file of questions
}

// mostModels is how many models one import may have: each has a bit.
const mostModels = 64

// Import looks through the files. questions takes a line of JSON for every question, where no file holds them.
func Import(ctx context.Context, o Options, questions func(line []byte) error) (*Found, error) {
	s := &scan{o: o, found: &Found{Name: o.Name}, seen: map[string]entry{}, parts: map[string]bool{},
		labels: map[string]bool{}, write: questions}
	var answers []func() error // they are compared with what is right, so questions come first
	for _, path := range o.Files {
		format, err := recorded.Detect(recorded.Options{Path: path})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if format != recorded.Table {
			answers = append(answers, func() error { return s.log(ctx, path, format) })
			continue
		}
		table, err := files.OpenTable(path, 100)
		if err != nil {
			return nil, err
		}
		have := table.Names()
		c := o.columns(have)
		asked := ofQuestions(have, "query")
		switch {
		case c["id"] == "":
			return nil, fmt.Errorf("%s: no column of ids: name it, --column id=COLUMN; there are %q", path, have)
		case asked != "" && !has(c, marks) && (o.Columns["text"] == "" || c["text"] != o.Columns["text"]):
			if err := s.questions(ctx, path, have, c["id"]); err != nil {
				return nil, err
			}
		default:
			answers = append(answers, func() error { return s.table(ctx, path, have, c) })
		}
	}
	for _, read := range answers {
		if err := read(); err != nil {
			return nil, err
		}
	}
	if len(s.found.Models) == 0 {
		return nil, errors.New("there are no answers in what was named: a row of answers has an id, and a text, a grade " +
			"or a confidence; name columns that have other names, --column correct=COLUMN")
	}
	s.finish()
	return s.found, nil
}

// Keys lists the roles that a column can be given.
func Keys() []string { return dataset.Roles(dataset.Recording) }

// Recorded reports whether a file is a log of answers, or what nothing else reads: not a table.
func Recorded(path string) bool {
	format, err := recorded.Detect(recorded.Options{Path: path})
	return err != nil || format != recorded.Table
}

// Answers reports whether a table with these columns has models' answers: one of a confidence, a grade, a cost, a time
// or a model's name, in whatever case.
func Answers(names []string) bool {
	return slices.ContainsFunc(strings.Fields(marks+" latency latency_ms"), func(key string) bool {
		return key != "completion_tokens" && dataset.Find(names, usual(key)) != ""
	})
}

// marks are the roles of what only answers have.
const marks = "correct score confidence logprob token_logprobs model probs cost completion_tokens"

func has(columns map[string]string, roles string) bool {
	return slices.ContainsFunc(strings.Fields(roles), func(key string) bool { return columns[key] != "" })
}

// usual are the names by which a column of recorded answers is recognised, best first, by the key of a model's columns.
func usual(key string) []string { return dataset.Names(dataset.Recording, dataset.Role(key)) }

// ofQuestions is the column of a file of questions that has a role.
func ofQuestions(have []string, role dataset.Role, taken ...string) string {
	return dataset.Find(have, dataset.Names(dataset.Questions, role), taken...)
}

// columns recognises the columns of a table of answers, by their roles.
func (o Options) columns(have []string) map[string]string {
	out := map[string]string{}
	taken := slices.Collect(maps.Values(o.Columns))
	for _, key := range Keys() {
		c := o.Columns[key]
		if top, _, _ := strings.Cut(strings.ReplaceAll(c, "[", "."), "."); !slices.Contains(have, top) {
			c = dataset.Find(have, usual(key), taken...)
		}
		if c != "" && (key != "score" || out["correct"] == "" || o.Columns["score"] != "") {
			out[key] = c
			taken = append(taken, c)
		}
	}
	if out["latency_ms"] != "" && o.Columns["latency"] == "" {
		delete(out, "latency")
	}
	return out
}

// log reads a log of Inspect, or samples of lm-evaluation-harness.
func (s *scan) log(ctx context.Context, path string, format recorded.Format) error {
	o := recorded.Options{Path: path, Facts: recorded.Facts{Wanted: true}, IDColumn: "id"} // that of written questions
	columns := map[string]string{}
	if format == recorded.LMEval {
		for _, key := range []string{"correct", "id", "score"} {
			if c := s.o.Columns[key]; c != "" {
				columns[key], *o.Columns.ByRole(&o.Facts.AnswerFacts)[dataset.Role(key)] = c, c
			}
		}
	}
	s.found.Files = append(s.found.Files, fmt.Sprintf("%s: %s", path, format))
	return recorded.Each(ctx, o, func(r recorded.Row) error {
		if s.task = cmp.Or(s.task, r.Task); r.Task != "" && s.task != r.Task {
			return fmt.Errorf("its answers are to %q, and those of other files to %q: equal ids may be those of "+
				"different questions; import one evaluation at a time", r.Task, s.task)
		}
		name := cmp.Or(r.Model, base(path))
		if org, model, ok := strings.Cut(filepath.Base(filepath.Dir(path)), "__"); format == recorded.LMEval && ok {
			name = org + "/" + model // samples are in a folder named after the model, org__model
		}
		m, err := s.model(path, name, "", columns)
		if err != nil {
			return err
		}
		return s.row(m, r, "")
	})
}

// table reads a table of answers.
func (s *scan) table(ctx context.Context, path string, have []string, c map[string]string) error {
	if c["label"] != "" && has(c, "text probs") && s.o.Columns["label"] == "" && c["reference"] == "" {
		if !has(c, "correct score") {
			return fmt.Errorf("%s: the column %q may hold what the model said or what is right: say which it is, "+
				"--column label=%s or --column reference=%s", path, c["label"], c["label"], c["label"])
		}
		delete(c, "label")
	}
	o := recorded.Options{Path: path, Facts: recorded.Facts{Wanted: true}, ModelIn: c["model"], Cells: true}
	into, written := o.Columns.ByRole(&o.Facts.AnswerFacts), map[string]string{}
	for key, column := range c {
		if to := into[dataset.Role(key)]; key != column && key != "reference" && !(key == "cost" && column == "cost_usd") {
			if written[key] = column; to != nil {
				*to = column
			}
		}
	}
	if c["label"] == "" && slices.Contains(have, "label") { // it holds the right answer, or may
		o.Columns.Label, written["label"] = backends.NoColumn, ""
	}
	if c["cost"] != "" && c["currency"] == "" {
		o.Facts.In = "USD"
	}
	taken := slices.Collect(maps.Values(c))
	asked, part := ofQuestions(have, "query", taken...), ofQuestions(have, "part")
	s.describe(path, "answers", c)
	return recorded.Each(ctx, o, func(r recorded.Row) (err error) {
		if c["model"] != "" && r.Model == "" {
			return fmt.Errorf("%s: column %q is empty: it says whose answer the row is", r.Place, c["model"])
		}
		m, err := s.model(path, cmp.Or(r.Model, base(path)), r.Model, written)
		if err != nil {
			return err
		}
		if asked != "" {
			r.Question, _ = r.Cells.Text(asked)
		}
		in := ""
		if part != "" {
			in, _ = r.Cells.Text(part)
		}
		if r.References, err = texts(*r.Cells, c["reference"]); err != nil {
			return fmt.Errorf("%s: %w", r.Place, err)
		}
		return s.row(m, r, in)
	})
}

func (s *scan) describe(path, what string, columns map[string]string) {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(columns)) {
		if columns[key] != "" {
			list = append(list, key+" = "+columns[key])
		}
	}
	s.found.Files = append(s.found.Files, fmt.Sprintf("%s: %s, %s", path, what, strings.Join(list, ", ")))
}

// texts reads the right answers of a row: one, or a list of them.
func texts(raw files.Row, column string) ([]string, error) {
	if column == "" {
		return nil, nil
	}
	v, err := raw.Value(column)
	if err != nil || v == nil || v == "" {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		text, err := raw.Text(column)
		return []string{text}, err
	}
	out := make([]string, len(list))
	for i, x := range list {
		if out[i], ok = x.(string); !ok {
			return nil, fmt.Errorf("column %q: element %d is no text", column, i+1)
		}
	}
	return out, nil
}

// questions reads a file of questions alone.
func (s *scan) questions(ctx context.Context, path string, have []string, id string) error {
	q := &s.found.Questions
	if q.Path != "" {
		return fmt.Errorf("%s and %s both hold questions: import one of them", q.Path, path)
	}
	q.Path, q.ID, q.Text, q.Part = path, id, ofQuestions(have, "query"), ofQuestions(have, "part")
	if q.Right = s.o.Columns["reference"]; !slices.Contains(have, q.Right) {
		q.Right = ofQuestions(have, "reference", q.Text)
	}
	s.describe(path, "questions", map[string]string{"id": q.ID, "question": q.Text, "reference": q.Right, "split": q.Part})
	return files.Each(ctx, files.Options{Path: path}, func(r files.Row) error {
		id, err := r.Text(q.ID)
		var part string
		if err == nil && q.Part != "" {
			part, err = r.Text(q.Part)
		}
		var right []string
		if err == nil {
			right, err = texts(r, q.Right)
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", path, r.Line, err)
		}
		s.parts[part] = true
		e := entry{known: true}
		s.right(&e, right)
		s.seen[id] = e
		return nil
	})
}

// model returns the model of a row.
func (s *scan) model(path, name, of string, columns map[string]string) (*Model, error) {
	for _, m := range s.found.Models {
		if m.Path == path && m.Of == of {
			return m, nil
		} else if of != "" && m.Of == of {
			return nil, fmt.Errorf("answers of %s are in %s and in %s: put them into one file", of, m.Path, path)
		}
	}
	if len(s.found.Models) == mostModels {
		return nil, fmt.Errorf("%s: more than %d models: import them in groups", path, mostModels)
	}
	m := &Model{Name: legal(name, s.found.Models), Of: of, Path: path, Columns: columns, bit: 1 << len(s.found.Models)}
	s.found.Models = append(s.found.Models, m)
	return m, nil
}

func (s *scan) row(m *Model, r recorded.Row, part string) error {
	m.Rows++
	e := s.seen[r.ID]
	if e.answered&m.bit != 0 {
		return fmt.Errorf("%s: a second answer of %s to the question %q: leave out one of the two", r.Place, m.Name, r.ID)
	}
	s.right(&e, r.References)
	if err := s.count(m, r, e.right); err != nil {
		return err
	}
	if !e.known && s.found.Questions.Path == "" {
		line, err := json.Marshal(struct {
			ID         string   `json:"id"`
			Text       string   `json:"text,omitempty"`
			References []string `json:"reference,omitempty"`
			Part       string   `json:"part,omitempty"`
		}{r.ID, r.Question, r.References, part})
		if err == nil {
			err = s.write(append(line, '\n'))
		}
		if err != nil {
			return err
		}
		e.known, s.parts[part], s.textless = true, true, s.textless || r.Question == ""
	}
	if e.answered |= m.bit; r.Fault == "" {
		e.heard |= m.bit
	}
	if r.Grade != nil {
		e.graded |= m.bit
	}
	s.seen[r.ID] = e
	return nil
}

func (s *scan) right(e *entry, texts []string) {
	if len(texts) == 0 {
		return
	}
	if e.right == "" {
		s.found.Questions.Rights++
		e.right = texts[0]
	}
	s.several = s.several || len(texts) > 1
	s.label(texts[0])
}

// mostLabels is how many labels a classification may have that is recognised.
const mostLabels = 200

func (s *scan) label(name string) {
	if len(s.labels) <= mostLabels {
		s.labels[name] = true
	}
}

// count notes what an answer has. Without a grade it is compared with the right answer, which tells which model is the
// better one; a run reads texts as those of a server (backends/wording).
func (s *scan) count(m *Model, r recorded.Row, right string) error {
	if r.Fault != "" {
		m.Failed++
		return nil
	}
	counted := !r.Usage.Prompt.Plus(r.Usage.Completion).IsZero()
	sure := r.Confidence != nil || len(r.Tokens) > 0 || len(r.Scores) > 0
	for fact, has := range [facts]bool{r.Grade != nil, r.Cost != nil, r.Latency > 0, counted, sure} {
		if has {
			m.Has[fact]++
		}
	}
	m.Whole = m.Whole || r.Whole
	if c := r.Cost; c != nil {
		if m.Currency = cmp.Or(m.Currency, c.Currency); m.Currency != c.Currency {
			return fmt.Errorf("%s: a cost in %q after costs in %q: convert them into one currency", r.Place, c.Currency,
				m.Currency)
		}
		m.Cost += c.Amount
	}
	said := cmp.Or(r.Label, r.Text)
	for _, x := range r.Scores {
		if x.Label == "" && !r.Said {
			return fmt.Errorf("%s: probabilities are a list, and nothing says which label is at which place: write them "+
				"as objects, {\"LABEL\": PROBABILITY}", r.Place)
		}
		s.label(x.Label)
	}
	if r.Labelled {
		s.label(r.Label)
	} else if len(r.Scores) == 0 || r.Scores[0].Label == "" {
		m.unclassed++
	} else if said == "" {
		said = slices.MaxFunc(r.Scores, func(a, b recorded.Score) int { return cmp.Compare(a.Logprob, b.Logprob) }).Label
	}
	if r.Grade != nil {
		m.Right += *r.Grade
		m.Partly = m.Partly || *r.Grade != 0 && *r.Grade != 1
	} else if right != "" {
		if m.judged++; strings.EqualFold(strings.TrimSpace(said), strings.TrimSpace(right)) {
			m.Right++
		}
	}
	return nil
}

// finish counts the questions and says what is missing or suspect.
func (s *scan) finish() {
	f, q := s.found, &s.found.Questions
	all := uint64(1)<<len(f.Models) - 1
	graded := !f.some(func(m *Model) bool { return m.Has[Grade] == 0 })
	for _, e := range s.seen { // sums: the order has no effect
		if !e.known {
			continue // an answer without a question
		}
		if q.N++; e.answered == all {
			q.Everybody++
		}
		if e.heard == all && (!graded || e.graded == all) {
			q.Usable++
		}
	}
	if q.Path == "" {
		q.ID, q.Part = "id", "part"
		if !s.textless {
			q.Text = "text"
		}
	}
	if q.Part != "" && !(s.parts["test"] && (s.parts["train"] || s.parts["fit"])) {
		q.Part = "" // the split is drawn
	}
	// A classification: every answer is a label or has scores of them, and every question has one right label or every
	// answer a grade.
	if !s.several && len(s.labels) > 1 && len(s.labels) <= mostLabels && !f.some(func(m *Model) bool {
		return m.unclassed > 0 || m.Has[Grade] < m.Rows-m.Failed && q.Rights < q.N
	}) {
		q.Labels = slices.Sorted(maps.Keys(s.labels))
	}
	remark := func(applies bool, format string, args ...any) {
		if applies {
			f.Remarks = append(f.Remarks, fmt.Sprintf(format, args...))
		}
	}
	remark(q.Everybody < q.N, "%d of %d questions are not answered by every model: they count as missing wherever a "+
		"cascade needs them", q.N-q.Everybody, q.N)
	remark(q.Text == "", "the questions' texts are not there, or not of all: learned baselines and embeddings cannot be "+
		"used")
	for _, m := range f.Models {
		remark(m.Failed > 0, "%s: %d of %d answers ended in an error", m.Name, m.Failed, m.Rows)
		remark(m.Has[Confidence] == 0, "%s: no confidence: thresholds keep all of its answers or none", m.Name)
		remark(m.Partly, "%s: some grades are between 0 and 1: an answer counts as right from 0.5; soft = true counts "+
			"them as they are", m.Name)
	}
	remark(f.costModel() == "fixed", "nothing says what every answer costs, in one currency: all are charged 1; set what "+
		"a query costs at each model (fixed_cost)")
}
