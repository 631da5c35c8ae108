package importer

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
	"infnet/harness/recorded"
)

type scan struct {
	o     Options
	found *Found
	seen  map[uint64]entry // by the hash of a question's id
	write func(line []byte) error
	parts map[string]int
	named map[string]bool // the keys whose named columns some file has

	words []string // of each file, what its rows are called, such as "line"
	lost  entry    // the first question that not every model answers

	filtered bool   // some file has filters or scorers
	later    int    // samples of later epochs
	task     Place  // what the first file calls its dataset
	asks     string // the file of questions whose right answers are in a column that answers have too
	unsure   bool   // some column of labels may be what the model said or what is right
	labels   names  // of probabilities, of labels that models said, and of right answers
	read     int    // rows
	rights   tally  // questions with another right answer than before
	texts    tally  // questions whose text is another in another file
	moved    tally  // questions that are in another part in another file

	choices []string // of the first question
	differ  bool     // some question has other choices
}

type entry struct {
	answered, heard, graded uint64 // by the models' bits; heard are the answers that are no error
	place                   uint64 // where it was found first: a file from 1, and a number there
	text                    uint64 // the hash of its text; 0 = there is none
	right                   uint64 // the hash of its right answer, the first; 0 = there is none
	rights                  uint8  // 1 = one; 2 = two that differ; 3 = that is said
	part                    uint8  // 1 = fit, 2 = test
	known                   bool   // it is written, or in the file of questions
}

func (s *scan) file(ctx context.Context, path string) error {
	o := s.o.options(path)
	s.words = append(s.words, "answer")
	format, err := recorded.Detect(ctx, o)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	o.Format = format
	if format == backends.AnswersTable {
		return s.table(ctx, o)
	}
	f := File{Path: path, Format: format}
	columns := s.special(&o)
	err = recorded.Each(ctx, o, func(r recorded.Row) error {
		f.Rows++
		if s.task.What != "" && r.Task != "" && r.Task != s.task.What {
			return fmt.Errorf("its answers are to %q, and those of %s to %q: equal ids may be those of different questions; "+
				"import one evaluation at a time", r.Task, s.task.Where, s.task.What)
		} else if r.Task != "" && s.task.What == "" {
			s.task = Place{r.Task, path}
		}
		name := r.Model
		if org, model, ok := strings.Cut(filepath.Base(filepath.Dir(path)), "__"); format == backends.AnswersLMEval &&
			ok && org != "" && model != "" {
			name = cmp.Or(name, org+"/"+model) // samples are in a folder named after the model, org__model
		}
		m, err := s.model(path, name, view{model: r.Model})
		if err != nil {
			return err
		}
		m.Format, m.Filter, m.Columns = format, o.Filter, columns
		return s.row(m, r, path)
	})
	s.found.Files = append(s.found.Files, f)
	return err
}

// table looks through a table: of answers, or of questions alone.
func (s *scan) table(ctx context.Context, o recorded.Options) error {
	o.Separator = files.Separator(o.Path)
	table, err := files.OpenTable(o.Path, 100)
	if err != nil {
		return err
	}
	have := table.Names()
	for key := range s.o.Columns {
		if s.o.named(key, have) != "" {
			s.named[key] = true
		}
	}
	views := s.o.views(have)
	if !views[0].has(all) || s.asks == o.Path || isQuestions(have, views) {
		return s.questions(ctx, o, have)
	}
	if c := views[0].unsure; c != "" && !views[0].has(graded) {
		return fmt.Errorf("%s: the column %q may hold what the model said or what is right: say which it is, "+
			"--column label=%s or --column reference=%s", o.Path, c, c, c)
	} else if c != "" {
		s.unsure = true
	}
	var taken []string
	for _, v := range views {
		taken = append(taken, slices.Collect(maps.Values(v.columns))...)
	}
	asked, part := ofQuestions(have, "query", taken...), ofQuestions(have, "part")
	taken = append(taken, asked, part, views[0].unsure)
	f := File{Path: o.Path, Format: backends.AnswersTable}
	for _, c := range have {
		if !slices.ContainsFunc(taken, func(t string) bool {
			return c == t || strings.HasPrefix(t, c+".") || strings.HasPrefix(t, c+"[")
		}) {
			f.Unused = append(f.Unused, c)
		}
	}
	var read []recorded.Options
	for _, v := range views {
		if v.columns["id"] == "" {
			return fmt.Errorf("%s: no column of ids: name it, --column id=COLUMN; there are %q", o.Path, have)
		}
		all, _ := v.roles()
		f.Roles = append(f.Roles, all...)
		read = append(read, v.options(o))
	}
	err = recorded.EachView(ctx, o, read, func(k int, r recorded.Row, raw files.Row) error {
		v := views[k].columns
		m, err := s.model(o.Path, cmp.Or(r.Model, views[k].model), views[k])
		if err != nil {
			return err
		}
		if m.Format, m.Sep = backends.AnswersTable, o.Separator; k == 0 {
			f.Rows++
		}
		if v["model"] != "" && r.Model == "" {
			return fmt.Errorf("%s: %s: column %q is empty: it says whose answer the row is", o.Path, r.Place, v["model"])
		}
		if asked != "" && r.Question == "" {
			r.Question, _ = raw.Text(asked)
		}
		if part != "" {
			r.Part, _ = raw.Text(part)
		}
		if v["reference"] != "" && r.References == nil {
			if r.References, err = texts(raw, v["reference"]); err != nil {
				return fmt.Errorf("%s: %s: %w", o.Path, r.Place, err)
			}
		}
		if v["logprob"] != "" {
			if lp, err := raw.Value(v["logprob"]); err == nil && lp == nil {
				m.NullLogprobs++
			}
		}
		return s.row(m, r, o.Path)
	})
	s.found.Files = append(s.found.Files, f)
	return err
}

// texts reads the right answers of a row: one, or a list of them.
func texts(raw files.Row, column string) ([]string, error) {
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

// isQuestions recognises a file of questions: a text, and nothing that only answers have.
func isQuestions(have []string, views []view) bool {
	if len(views) > 1 {
		return false
	}
	c := views[0].columns
	asked := ofQuestions(have, "query")
	return !views[0].has(marks) && asked != "" && (c["text"] == "" || c["text"] == asked || c["reference"] != "")
}

// askers finds the file of questions whose right answers are in a column that answers have too, such as "answer":
// the only file among several that has nothing but that, where others have what only answers have.
func (s *scan) askers(ctx context.Context) {
	var unclear []string
	marked := false
	first := func(path string) { // answers are compared with what is right
		rest := slices.DeleteFunc(slices.Clone(s.o.Files), func(p string) bool { return p == path })
		s.o.Files = append([]string{path}, rest...)
	}
	for _, path := range slices.Clone(s.o.Files) {
		o := s.o.options(path)
		if format, err := recorded.Detect(ctx, o); err != nil || format != backends.AnswersTable {
			marked = marked || err == nil
			continue
		}
		o.Separator = files.Separator(path)
		table, err := files.OpenTable(o.Path, 100)
		if err != nil {
			continue // it is said when the file is read
		}
		have := table.Names()
		views := s.o.views(have)
		if isQuestions(have, views) {
			first(path)
		} else if len(views) > 1 || views[0].has(marks) {
			marked = true
		} else if asked := ofQuestions(have, "query"); asked != "" && views[0].columns["text"] != asked {
			unclear = append(unclear, path)
		}
	}
	if marked && len(unclear) == 1 {
		s.asks = unclear[0]
		first(s.asks)
	}
}

func (s *scan) questions(ctx context.Context, o recorded.Options, have []string) error {
	q := &s.found.Questions
	if q.Path != "" {
		return fmt.Errorf("%s and %s both hold questions: import one of them, or give their answers apart", q.Path, o.Path)
	}
	q.Sep = o.Separator
	q.Path, q.Text, q.Part = o.Path, ofQuestions(have, "query"), ofQuestions(have, "part")
	q.Right = cmp.Or(s.o.named("reference", have), ofQuestions(have, "reference", q.Text))
	q.ID = cmp.Or(s.o.named("id", have), ofQuestions(have, "id"))
	if q.ID == "" {
		return fmt.Errorf("%s: no column of ids: name it, --column id=COLUMN; there are %q", o.Path, have)
	}
	f := File{Path: o.Path}
	for _, r := range []Role{{q.ID, "id", ""}, {q.Text, "question", ""}, {q.Right, "reference", ""},
		{q.Part, "split", ""}} {
		if r.Column != "" {
			f.Roles = append(f.Roles, r)
		}
	}
	err := files.Each(ctx, files.Options{Path: o.Path, Separator: o.Separator}, func(r files.Row) error {
		f.Rows++
		place := fmt.Sprintf("line %d", r.Line)
		id, err := r.Text(q.ID)
		var part string
		var right []string
		if err == nil && q.Part != "" {
			part, err = r.Text(q.Part)
		}
		if err == nil && q.Right != "" {
			right, err = texts(r, q.Right)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", o.Path, place, err)
		}
		e := s.seen[hash(id)]
		e.known, e.place = true, s.place(recorded.Row{Place: place}, f.Rows)
		if text, err := r.Text(q.Text); q.Text != "" && err == nil {
			e.text = hash(text)
		}
		if q.Part != "" {
			e.part = s.part(part)
		}
		s.right(&e, right)
		q.Asked++
		return s.keep(hash(id), e)
	})
	s.found.Files = append(s.found.Files, f)
	return err
}

// special sets what reads a format that has no columns of its own choice: the filter or scorer, and of
// lm-evaluation-harness the metric and the id of a document. It returns the columns to be written into the study.
func (s *scan) special(o *recorded.Options) []Role {
	if o.Format != backends.AnswersLMEval && o.Format != backends.AnswersInspect {
		return nil
	}
	s.filtered = true
	o.Filter = s.o.Filter
	o.Later = func() { s.later++ }
	if o.Format != backends.AnswersLMEval {
		return nil
	}
	o.IDColumn = "id" // the column of the written questions, which a run looks for too
	var roles []Role
	for _, key := range []string{"correct", "id", "score"} {
		if column := s.o.Columns[key]; column != "" {
			s.named[key] = true
			*o.Columns.ByRole(&o.Facts.AnswerFacts)[dataset.Role(key)] = column
			roles = append(roles, Role{Column: column, Key: key})
		}
	}
	return roles
}

// part counts a row of a part, and says which it is.
func (s *scan) part(name string) uint8 {
	if len(s.parts) < 20 || s.parts[name] > 0 {
		s.parts[name]++
	}
	return partOf(name)
}

// partOf is 1 for the fit part, 2 for the test part, and 0 for a word that is neither.
func partOf(name string) uint8 {
	return map[string]uint8{"fit": 1, "train": 1, "test": 2}[strings.ToLower(name)]
}

func hash(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}
