package importer

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/recorded"
)

// row takes over one answer.
func (s *scan) row(m *Model, r recorded.Row, path string) error {
	m.Rows++
	if m.Rows == 1 {
		m.first = Place{r.IDs[0], path + ": " + r.Place}
	}
	m.count(r, path)
	s.score(path, r)
	if m.Rows == 1 && s.choices == nil {
		s.choices = r.Choices
	}
	s.differ = s.differ || !slices.Equal(s.choices, r.Choices)
	key := hash(r.IDs[0])
	e := s.seen[key]
	if e.answered&m.bit != 0 {
		if m.Twice++; m.Twice == 1 {
			m.twiceID = r.IDs[0]
		}
	}
	if text := hash(r.Question); r.Question != "" && e.text != 0 && e.text != text && s.found.Questions.Path == "" {
		s.texts.add(path, r)
	}
	if part := partOf(r.Part); part != 0 && e.part != 0 && part != e.part {
		s.moved.add(path, r)
	}
	if !e.known && s.found.Questions.Path == "" {
		if err := s.question(&e, r); err != nil {
			return err
		}
	}
	e.answered |= m.bit
	if e.place == 0 {
		e.place = s.place(r, m.Rows)
	}
	if r.Fault == "" {
		e.heard |= m.bit
	}
	if r.Grade != nil {
		e.graded |= m.bit
	}
	s.seen[key] = e
	return nil
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

// question writes what was asked.
func (s *scan) question(e *entry, r recorded.Row) error {
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
	e.known = true
	q := &s.found.Questions
	if r.Question != "" {
		e.text = hash(r.Question)
		q.Asked++
	}
	if len(r.References) > 0 {
		q.References++
	}
	if r.Part != "" {
		e.part = s.part(r.Part)
	}
	return nil
}
