package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset/files"
	"infnet/harness/recorded"
	"infnet/harness/spec"
)

// scan is one look through the files.
type scan struct {
	o     Options
	found *Found
	seen  map[uint64]uint64 // by the hash of a question's id: the models that answered it, and whether it was written
	write func(line []byte) error
	parts map[string]int
	named map[string]bool // the keys whose named columns some table has
}

// written marks a question that was written.
const written = 1 << 63

// file looks through one file.
func (s *scan) file(ctx context.Context, path string) error {
	o := s.o.options(path)
	format, err := recorded.Detect(ctx, o)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	o.Format = format
	if format == backends.AnswersTable {
		return s.table(ctx, o)
	}
	f := File{Path: path, Format: format}
	err = recorded.Each(ctx, o, func(r recorded.Row) error {
		f.Rows++
		m, err := s.model(path, r.Model, view{model: r.Model})
		if err != nil {
			return err
		}
		m.Format = format
		return s.row(m, r, path)
	})
	s.found.Files = append(s.found.Files, f)
	return err
}

// table looks through a table: of answers, or of questions alone.
func (s *scan) table(ctx context.Context, o recorded.Options) error {
	if sep := files.Separator(o.Path); sep != 0 && sep != ',' {
		o.Separator = sep
	}
	have, err := head(ctx, o)
	if err != nil {
		return err
	}
	for key := range s.o.Columns {
		if s.o.named(key, have) != "" {
			s.named[key] = true
		}
	}
	views := s.o.views(have)
	if !views[0].answers() || isQuestions(have, views) {
		return s.questions(ctx, o, have)
	}
	f := File{Path: o.Path, Format: backends.AnswersTable}
	var read []recorded.Options
	for _, v := range views {
		if v.columns["id"] == "" {
			return fmt.Errorf("%s: no column of ids: name it, --column id=COLUMN; there are %q", o.Path, have)
		}
		all, _ := v.roles()
		f.Roles = append(f.Roles, all...)
		read = append(read, v.options(o))
	}
	asked, part := column(have, askedNames, claimed(views)...), column(have, partNames)
	err = recorded.EachView(ctx, o, read, func(k int, r recorded.Row, raw files.Row) error {
		if k == 0 {
			f.Rows++
		}
		name := views[k].model
		if r.Model != "" {
			name = r.Model
		}
		m, err := s.model(o.Path, name, views[k])
		if err != nil {
			return err
		}
		m.Format = backends.AnswersTable
		if asked != "" && r.Question == "" {
			r.Question, _ = raw.Text(asked)
		}
		if part != "" {
			r.Part, _ = raw.Text(part)
		}
		if c := views[k].columns["logprob"]; c != "" {
			if v, err := raw.Value(c); err == nil && v == nil {
				m.NullLogprobs++
			}
		}
		return s.row(m, r, o.Path)
	})
	s.found.Files = append(s.found.Files, f)
	return err
}

// head returns the columns of a table, from its first rows.
func head(ctx context.Context, o recorded.Options) ([]string, error) {
	have := map[string]bool{}
	n := 0
	stop := errors.New("enough")
	err := files.Each(ctx, files.Options{Path: o.Path, Separator: o.Separator}, func(r files.Row) error {
		for c := range r.Values {
			have[c] = true
		}
		if n++; n == 100 {
			return stop
		}
		return nil
	})
	if err != nil && !errors.Is(err, stop) {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("%s: it has no row", o.Path)
	}
	return slices.Sorted(maps.Keys(have)), nil
}

// claimed are the columns that views use.
func claimed(views []view) []string {
	var out []string
	for _, v := range views {
		out = append(out, slices.Collect(maps.Values(v.columns))...)
	}
	return out
}

// isQuestions recognises a file of questions: a text, and nothing that only answers have.
func isQuestions(have []string, views []view) bool {
	if len(views) > 1 {
		return false
	}
	c := views[0].columns
	for _, key := range []string{"correct", "score", "confidence", "logprob", "token_logprobs", "cost",
		"completion_tokens"} {
		if c[key] != "" {
			return false
		}
	}
	asked := column(have, askedNames)
	return asked != "" && (c["text"] == "" || c["text"] == asked || column(have, referenceNames) != "")
}

// questions takes a file of questions for the dataset of the study.
func (s *scan) questions(ctx context.Context, o recorded.Options, have []string) error {
	q := &s.found.Questions
	if q.Path != "" {
		return fmt.Errorf("%s and %s both hold questions: import one of them, or give their answers apart", q.Path, o.Path)
	}
	q.Path, q.Text, q.Part = o.Path, column(have, askedNames), column(have, partNames)
	q.ID = cmp.Or(s.o.named("id", have), column(have, usual["id"]))
	if q.ID == "" {
		return fmt.Errorf("%s: no column of ids: name it, --column id=COLUMN; there are %q", o.Path, have)
	}
	f := File{Path: o.Path}
	for key, c := range map[string]string{"id": q.ID, "question": q.Text, "split": q.Part} {
		if c != "" {
			f.Roles = append(f.Roles, Role{Column: c, Key: key})
		}
	}
	slices.SortFunc(f.Roles, func(a, b Role) int { return strings.Compare(a.Key, b.Key) })
	err := files.Each(ctx, files.Options{Path: o.Path, Separator: o.Separator}, func(r files.Row) error {
		f.Rows++
		id, err := r.Text(q.ID)
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", o.Path, r.Line, err)
		}
		s.seen[hash(id)] |= written
		if q.Part != "" {
			part, err := r.Text(q.Part)
			if err != nil {
				return fmt.Errorf("%s: line %d: %w", o.Path, r.Line, err)
			}
			s.part(part)
		}
		q.Asked++
		return nil
	})
	s.found.Files = append(s.found.Files, f)
	return err
}

// part counts a row of a part.
func (s *scan) part(name string) {
	if s.parts == nil {
		s.parts = map[string]int{}
	}
	if len(s.parts) < 20 || s.parts[name] > 0 {
		s.parts[name]++
	}
}

// model returns the model of a row, and adds the file to its files.
func (s *scan) model(path, name string, v view) (*Model, error) {
	of := name
	if name == "" {
		name = base(path)
	}
	for _, m := range s.found.Models {
		if m.Of == of && (of != "" || m.Paths[0] == path) {
			if m.Paths[len(m.Paths)-1] != path {
				m.Paths = append(m.Paths, path)
			}
			return m, nil
		}
	}
	if len(s.found.Models) == mostModels-1 {
		return nil, fmt.Errorf("%s: more than %d models: import them in groups", path, mostModels-1)
	}
	m := &Model{Name: legal(name), Of: of, Paths: []string{path}, ModelIn: v.columns["model"],
		bit: 1 << len(s.found.Models), texts: map[string]int{}}
	_, m.Columns = v.roles()
	s.found.Models = append(s.found.Models, m)
	return m, nil
}

// legal turns a model's name into one that a study may use.
func legal(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 && i < len(name)-1 {
		name = name[i+1:]
	}
	out := strings.Map(func(r rune) rune {
		if spec.NameFault("a"+string(r)+"a") != "" {
			return '-'
		}
		return r
	}, name)
	out = strings.Trim(out, "-._+")
	if len(out) > spec.LongestName {
		out = strings.Trim(out[:spec.LongestName], "-._+")
	}
	if out == "" {
		return "model"
	}
	return out
}

// row takes over one answer.
func (s *scan) row(m *Model, r recorded.Row, path string) error {
	m.Rows++
	m.count(r)
	key := hash(r.IDs[0])
	mask := s.seen[key]
	if mask&m.bit != 0 {
		if m.Twice++; m.FirstTwice == "" {
			m.FirstTwice = fmt.Sprintf("%s: %s, id %q", path, r.Place, r.IDs[0])
		}
	}
	if mask&written == 0 && s.found.Questions.Path == "" {
		line := struct {
			ID         string   `json:"id"`
			Text       string   `json:"text,omitempty"`
			References []string `json:"reference,omitempty"`
			Part       string   `json:"part,omitempty"`
		}{r.IDs[0], r.Question, r.References, r.Part}
		b, err := json.Marshal(line)
		if err != nil {
			return err
		}
		if err := s.write(append(b, '\n')); err != nil {
			return err
		}
		mask |= written
		q := &s.found.Questions
		if r.Question != "" {
			q.Asked++
		}
		if len(r.References) > 0 {
			q.References++
		}
		if r.Part != "" {
			s.part(r.Part)
		}
	}
	s.seen[key] = mask | m.bit
	return nil
}

// count adds one answer's facts.
func (m *Model) count(r recorded.Row) {
	if r.Fault != "" {
		m.Failed++
		return
	}
	if r.Grade != nil {
		m.Graded++
		m.Right += *r.Grade
		m.Partly = m.Partly || *r.Grade != 0 && *r.Grade != 1
	}
	if r.Cost != nil {
		m.Costed++
		m.Cost += r.Cost.Amount
		m.Currency = r.Cost.Currency
	}
	if r.Latency > 0 {
		m.Timed++
	}
	if !r.Usage.Prompt.Plus(r.Usage.Completion).IsZero() {
		m.Counted++
	}
	if r.Confidence != nil || len(r.Tokens) > 0 || len(r.Scores) > 0 {
		m.Sure++
	}
	if r.Whole {
		m.Whole++
	}
	switch text := strings.TrimSpace(r.Text); {
	case m.overflow:
	case len(m.texts) < 500:
		if len(text) <= 20 {
			m.texts[text]++
		}
	default:
		m.overflow = true
	}
}

func hash(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}
