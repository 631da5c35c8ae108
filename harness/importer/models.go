package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"infnet/harness/recorded"
	"infnet/harness/spec"
)

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
	if i := strings.LastIndexByte(name, '/'); i < len(name)-1 {
		name = name[i+1:]
	}
	name = strings.Trim(strings.Map(func(r rune) rune {
		if spec.NameFault("a"+string(r)+"a") != "" {
			return '-'
		}
		return r
	}, name), "-._+")
	return cmp.Or(strings.Trim(name[:min(len(name), spec.LongestName)], "-._+"), "model")
}

// shorten takes from models that are named after their files what all of the names begin with, up to a point, as in
// answers.mmlu.small and answers.mmlu.large: what is left begins with a letter, and is a word of its own.
func shorten(models []*Model) {
	if len(models) < 2 || slices.ContainsFunc(models, func(m *Model) bool { return m.Of != "" }) {
		return
	}
	start := models[0].Name
	for start != "" && slices.ContainsFunc(models, func(m *Model) bool {
		rest, begins := strings.CutPrefix(m.Name, start)
		return !strings.HasSuffix(start, ".") || !begins || rest == "" || !unicode.IsLetter([]rune(rest)[0])
	}) {
		start = start[:len(start)-1]
	}
	for _, m := range models {
		m.Name = strings.TrimPrefix(m.Name, start)
	}
}

// distinct gives models whose names are equal, whatever their case, names of their own: with the organisation or the
// folder before it, else with a number.
func distinct(models []*Model) {
	taken := map[string]int{}
	for _, m := range models {
		taken[strings.ToLower(m.Name)]++
	}
	for _, m := range models {
		if taken[strings.ToLower(m.Name)] < 2 {
			continue
		}
		long := strings.ReplaceAll(m.Of, "/", "-")
		if m.Of == "" {
			long = filepath.Base(filepath.Dir(m.Paths[0])) + "-" + base(m.Paths[0])
		}
		m.Name = legal(long)
	}
	used := map[string]bool{}
	for _, m := range models {
		name := m.Name
		for n := 2; used[strings.ToLower(name)]; n++ {
			end := fmt.Sprintf("-%d", n)
			name = m.Name[:min(len(m.Name), spec.LongestName-len(end))] + end
		}
		m.Name = name
		used[strings.ToLower(name)] = true
	}
}

func (m *Model) count(r recorded.Row, path string) {
	if r.Fault != "" {
		m.Failed++
		return
	}
	counted := !r.Usage.Prompt.Plus(r.Usage.Completion).IsZero()
	sure := r.Confidence != nil || len(r.Tokens) > 0 || len(r.Scores) > 0
	for fact, has := range [facts]bool{r.Grade != nil, r.Cost != nil, r.Latency > 0, counted, sure} {
		if has {
			m.Has[fact]++
		} else if m.lacks[fact] == "" {
			m.lacks[fact] = path + ": " + r.Place
		}
	}
	if r.Said {
		m.Said++
	}
	if r.Whole {
		m.Whole++
	}
	if r.Grade != nil {
		m.Right += *r.Grade
		m.Partly = m.Partly || *r.Grade != 0 && *r.Grade != 1
	}
	if c := r.Cost; c != nil {
		m.Cost += c.Amount
		m.Currency = cmp.Or(m.Currency, c.Currency)
		if !slices.ContainsFunc(m.currencies, func(p Place) bool { return p.What == c.Currency }) {
			m.currencies = append(m.currencies, Place{c.Currency, path + ": " + r.Place})
		}
	}
	if sure {
		m.sure.Add(r.Confidence, r.Tokens, m.Rows, path+": "+r.Place)
	}
	text := strings.TrimSpace(r.Text)
	m.overflow = m.overflow || len(m.texts) == 500
	if !m.overflow && (len(text) <= 20 || slices.Contains(r.Choices, text)) {
		m.texts[text]++
	}
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

// factNames are those of what an answer may have.
var factNames = [facts]string{"grade", "cost", "time", "tokens", "confidence"}

func (s *scan) row(m *Model, r recorded.Row, path string) error {
	if m.Rows++; m.Rows == 1 {
		m.first = Place{r.ID, path + ": " + r.Place}
		if s.choices == nil {
			s.choices = r.Choices
		}
	}
	m.count(r, path)
	s.differ = s.differ || !slices.Equal(s.choices, r.Choices)
	key := hash(r.ID)
	e := s.seen[key]
	if e.answered&m.bit != 0 {
		m.twice.add(path, r)
	}
	if text := hash(r.Question); r.Question != "" && e.text != 0 && e.text != text && s.found.Questions.Path == "" {
		s.texts.add(path, r)
	}
	if part := partOf(r.Part); part != 0 && e.part != 0 && part != e.part {
		s.moved.add(path, r)
	}
	s.right(&e, r.References)
	if r.Grade == nil && r.Fault == "" && e.right != 0 {
		m.judge(e.right, r)
	}
	s.classes(m, r)
	if !e.known && s.found.Questions.Path == "" {
		if err := s.question(&e, r); err != nil {
			return err
		}
	}
	if e.answered |= m.bit; e.place == 0 {
		e.place = s.place(r, m.Rows)
	}
	if r.Fault == "" {
		e.heard |= m.bit
	}
	if r.Grade != nil {
		e.graded |= m.bit
	}
	if e.rights == 2 {
		s.rights.add(path, r)
		e.rights = 3
	}
	return s.keep(key, e)
}

// mostQuestions bounds the questions: each takes some 200 bytes of memory.
const mostQuestions = 3_000_000

// saidEvery is how many rows are read between two words about it.
const saidEvery = 200_000

func (s *scan) keep(key uint64, e entry) error {
	if s.seen[key] = e; len(s.seen) > mostQuestions {
		return fmt.Errorf("more than %d questions: import a part of them", mostQuestions)
	}
	if s.read++; s.read%saidEvery == 0 && s.o.Progress != nil {
		s.o.Progress(s.read)
	}
	return nil
}

func (s *scan) right(e *entry, texts []string) {
	if len(texts) == 0 {
		return
	}
	h := alike(texts[0])
	switch {
	case e.right == 0:
		s.found.Questions.References++
		e.right, e.rights = h, 1
	case e.right != h && e.rights == 1:
		e.rights = 2
	}
	s.labels.over = s.labels.over || len(texts) > 1
	s.labels.add(texts[0])
}

// judge counts whether an answer without a grade says what is right, as far as that is known by now: which model is
// the better one decides which is the master.
func (m *Model) judge(right uint64, r recorded.Row) {
	said := cmp.Or(r.Label, r.Text)
	if said == "" && len(r.Scores) > 0 {
		said = slices.MaxFunc(r.Scores, func(a, b recorded.Score) int { return cmp.Compare(a.Logprob, b.Logprob) }).Label
	}
	if m.Judged++; alike(said) == right {
		m.Right++
	}
}

// alike is the hash of an answer, whatever its case and the blanks around it. It only tells which model is the better
// one, before anything says what the labels are; a run reads the texts as those of a server (backends/wording).
func alike(text string) uint64 { return hash(strings.ToLower(strings.TrimSpace(text))) }

// classes notes the labels of an answer: it is one, or has scores of them.
func (s *scan) classes(m *Model, r recorded.Row) {
	if r.Labelled {
		s.labels.add(r.Label)
	} else if len(r.Scores) == 0 && r.Fault == "" {
		m.Unclassed++
	}
	for _, x := range r.Scores {
		if m.Unnamed = m.Unnamed || x.Label == ""; x.Label != "" {
			s.labels.add(x.Label)
		}
	}
}

// names are different names, as long as they are few.
type names struct {
	all  map[string]bool
	over bool
}

// mostLabels is how many labels a classification may have that is recognised.
const mostLabels = 200

func (n *names) add(name string) {
	if n.over = n.over || len(n.all) > mostLabels; !n.over {
		n.all[name] = true
	}
}

// fileShift is how many bits of a place are a number in a file.
const fileShift = 48

// place is where a row is, in the file that is read. A name of a sample in an archive stands for its number.
func (s *scan) place(r recorded.Row, n int) uint64 {
	file := len(s.words)
	if word, number, ok := strings.Cut(r.Place, " "); ok {
		if k, err := strconv.Atoi(number); err == nil && k > 0 {
			s.words[file-1], n = word, k
		}
	}
	return uint64(file)<<fileShift | uint64(n)
}

func (s *scan) question(e *entry, r recorded.Row) error {
	line := struct {
		ID         string   `json:"id"`
		Text       string   `json:"text,omitempty"`
		References []string `json:"reference,omitempty"`
		Part       string   `json:"part,omitempty"`
	}{r.ID, r.Question, r.References, r.Part}
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if err := s.write(append(b, '\n')); err != nil {
		return err
	}
	if e.known = true; r.Question != "" {
		e.text = hash(r.Question)
		s.found.Questions.Asked++
	}
	if r.Part != "" {
		e.part = s.part(r.Part)
	}
	return nil
}
