package files

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/dataset"
)

// OptionsField is the field of a multiple choice's options, one a line: "A. Paris".
const OptionsField = "options"

// choices are the options of a row that is a multiple choice.
type choices struct {
	columns []path
	rank    func(texts []string) []uint64 // by which they are ordered; nil = as they stand
}

// letters are what options are called.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// of sets the field of the options, and the answer by its letter: as the class, or as the reference.
func (c *choices) of(m mapper, r Row, e *dataset.Example) *fieldError {
	texts, names, fault := c.read(r)
	if fault != nil {
		return fault.of("options")
	}
	role := refsRole
	if m.roles[classRole] != nil {
		role = classRole
	}
	column := m.roles[role]
	right := -1
	if column != nil {
		if right, fault = c.right(*column, r, texts, names); fault != nil {
			return fault.of(roleKeys[role])
		}
	}
	order := make([]int, len(texts)) // by its place, which option stands there
	for i := range order {
		order[i] = i
	}
	if c.rank != nil {
		about := slices.Sorted(slices.Values(texts))
		for _, f := range m.fields {
			about = append(about, e.Fields[f.name])
		}
		ranks := c.rank(about)
		rank := func(i int) uint64 { return ranks[slices.Index(about, texts[i])] }
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	}
	var lines []string
	for place, i := range order {
		line := letters[place:place+1] + ". " + texts[i]
		lines = append(lines, line)
		switch {
		case i != right:
		case role == refsRole:
			e.References = []string{line}
		default:
			var ok bool
			if e.Class, ok = m.labels.index(letters[place : place+1]); !ok {
				return &fieldError{column: column.text, reason: fmt.Sprintf("the answer %s is none of the labels", line[:1]),
					fix: fmt.Sprintf("labels are the letters of the options, here A to %c", letters[len(texts)-1]), key: "labels"}
			}
		}
	}
	e.Fields[OptionsField] = strings.Join(lines, "\n")
	return nil
}

// read returns the options' texts, and what the source calls them where they are in its columns text and label; nil =
// it does not say.
func (c *choices) read(r Row) (texts, names []string, fault *fieldError) {
	for _, p := range c.columns {
		v, fault := p.get(r)
		if fault != nil {
			return nil, nil, fault
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for i, x := range list {
			s, fault := text(p, x)
			if fault != nil {
				return nil, nil, p.fault("option %d %s", i+1, fault.reason)
			}
			texts = append(texts, strings.TrimSpace(s))
		}
	}
	for len(c.columns) > 1 && len(texts) > 0 && texts[len(texts)-1] == "" {
		texts = texts[:len(texts)-1] // a table with columns for more options than this row has
	}
	p := c.columns[0]
	if i := slices.Index(texts, ""); i >= 0 {
		return nil, nil, p.fault("option %d is empty", i+1)
	}
	if len(texts) < 2 || len(texts) > len(letters) {
		return nil, nil, p.fault("has %d options: want 2 to %d", len(texts), len(letters))
	}
	if k := len(p.steps) - 1; k > 0 && p.steps[k] == (dataset.Step{Key: "text", IsKey: true}) {
		beside := path{steps: append(slices.Clone(p.steps[:k]), dataset.Step{Key: "label", IsKey: true})}
		if v, fault := beside.walk(any(r.Values), beside.steps); fault == nil {
			list, _ := v.([]any)
			for _, x := range list {
				s, _ := x.(string)
				names = append(names, s)
			}
		}
	}
	if len(names) != len(texts) {
		names = nil
	}
	return texts, names, nil
}

// right returns which option a column says is the answer: by its number from 0, its name in the source, its letter or
// its text.
func (c *choices) right(p path, r Row, texts, names []string) (int, *fieldError) {
	v, fault := p.get(r)
	if fault != nil {
		return 0, fault
	}
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	said, fault := text(p, v)
	if fault != nil {
		return 0, fault
	}
	said = strings.TrimSpace(said)
	var found []int
	for i, t := range texts {
		is := said == t || said == letters[i:i+1]
		if _, written := v.(string); !written {
			is = said == fmt.Sprint(i)
		} else if names != nil {
			is = said == names[i]
		}
		if is {
			found = append(found, i)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	problem, fix := "is none", "want its letter, its text, or its number, counted from 0 and written as a number"
	if len(found) > 1 {
		problem = "is more than one"
	}
	return 0, &fieldError{column: p.text, reason: fmt.Sprintf("%q %s of the %d options", clip(said), problem, len(texts)),
		fix: fix}
}
