package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset/files"
	"infnet/harness/policy"
	"infnet/harness/split"
)

// logs are the rows of a file as policies see them.
type logs struct {
	ids     []string
	groups  []string // nil = none; "" = a row alone
	classes []string // names in index order
	records policy.Records
	costs   [2][]float64 // per query, of student and master; nil = not known

	students, masters, golds []string // answers, where there is a column of references
}

// read turns rows into columns.
func (c *columnFlags) read(rows []map[string]any) (*logs, error) {
	l := &logs{}
	index, seen := map[string]int{}, map[string]int{}
	for i, row := range rows {
		get := func(column string) (string, error) { return cell(row, column, i+1) }
		id, err := c.identify(get, i+1, seen)
		if err != nil {
			return nil, err
		}
		text, err := get(c.Confidence)
		if err != nil {
			return nil, err
		}
		beta, err := unitNumber(text)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		student, master, err := c.errors(get, i+1)
		if err != nil {
			return nil, err
		}
		if c.Reference != "" {
			l.answers(c, get)
		}
		if c.Class != "" {
			name, err := get(c.Class)
			if err != nil {
				return nil, err
			}
			if _, ok := index[name]; !ok {
				index[name] = len(l.classes)
				l.classes = append(l.classes, name)
			}
			l.records.Class = append(l.records.Class, index[name])
		}
		if c.Group != "" {
			group, err := groupOf(row, c.Group, i+1)
			if err != nil {
				return nil, err
			}
			l.groups = append(l.groups, group)
		}
		l.ids = append(l.ids, id)
		l.records.Beta = append(l.records.Beta, beta)
		l.records.Student = append(l.records.Student, student)
		if !c.oracle {
			l.records.Master = append(l.records.Master, master)
		}
	}
	l.records.Classes = len(l.classes)
	return l, nil
}

// identify returns a row's id: what its column says, or its number.
func (c *columnFlags) identify(get func(string) (string, error), row int, seen map[string]int) (string, error) {
	if c.ID == "" {
		return strconv.Itoa(row), nil
	}
	id, err := get(c.ID)
	if err != nil {
		return "", err
	}
	if before, again := seen[id]; again {
		return "", fmt.Errorf("row %d has the id %q of row %d: a query counts once; leave one out, name another column with --id, "+
			"or where %s is what several queries share, name it with --group", row, id, before, c.ID)
	}
	seen[id] = row
	return id, nil
}

// groupOf returns a row's group, "" where the cell is empty: the row is alone.
func groupOf(row map[string]any, column string, number int) (string, error) {
	if v, ok := row[column]; ok && v == nil {
		return "", nil
	}
	return cell(row, column, number)
}

// errors returns both models' errors on a row.
func (c *columnFlags) errors(get func(string) (string, error), row int) (student, master float64, err error) {
	s, err := get(c.Student)
	if err != nil {
		return 0, 0, err
	}
	m, err := get(c.Master)
	if err != nil {
		return 0, 0, err
	}
	switch {
	case c.oracle:
		return wrong(s == m), 0, nil
	case c.Reference != "":
		r, err := get(c.Reference)
		return wrong(s == r), wrong(m == r), err
	}
	lost := func(column, text string) float64 {
		e, fault := c.lost(text)
		if fault != nil && err == nil {
			err = fmt.Errorf("row %d, column %q: %w", row, column, fault)
		}
		return e
	}
	return lost(c.Student, s), lost(c.Master, m), err
}

// lost is the error of one answer, from a truth value or a score.
func (c *columnFlags) lost(text string) (float64, error) {
	right, err := strconv.ParseBool(text)
	switch {
	case err == nil:
		return wrong(right), nil
	case c.Soft:
		v, err := unitOf("score", text)
		return 1 - v, err
	}
	return 0, fmt.Errorf("%q is neither 1 nor 0, true nor false; name the column of the right answers with --reference if these are answers, or say --soft if they are scores in [0,1]", text)
}

func wrong(right bool) float64 {
	if right {
		return 0
	}
	return 1
}

// cell returns a row's value as text.
func cell(row map[string]any, column string, number int) (string, error) {
	v, ok := row[column]
	if r := (files.Row{Values: row}); !ok && r.Has(column) {
		text, err := r.Text(column)
		if err != nil {
			return "", fmt.Errorf("row %d: %w", number, err)
		}
		return text, nil
	}
	if !ok {
		var names []string
		for name := range row {
			names = append(names, name)
		}
		slices.Sort(names)
		return "", fmt.Errorf("row %d has no column %q; there are %s", number, column, strings.Join(names, ", "))
	}
	if v == nil {
		return "", fmt.Errorf("row %d: column %q is empty", number, column)
	}
	return fmt.Sprint(v), nil
}

// split draws the fit and the test part, whole groups on one side.
func (c *fitCommand) split(l *logs) (fit, test []int, hash string, err error) {
	items := make([]split.Item, len(l.ids))
	for i, id := range l.ids {
		items[i] = split.Item{ID: id, Class: -1, Group: l.group(i)}
		fit = append(fit, i)
	}
	if c.Fit == 1 {
		return fit, nil, "", nil
	}
	parts, err := split.Split(split.Options{Seed: c.Seed, Name: "fit", Fit: c.Fit}, items)
	return parts.Fit, parts.Test, parts.Graph.Hash, err
}

// group returns a row's group, "" where it is alone.
func (l *logs) group(i int) string {
	if l.groups == nil {
		return ""
	}
	return l.groups[i]
}

// clusters numbers the groups of some rows, nil where none has any.
func (l *logs) clusters(rows []int) []int {
	number := map[string]int{}
	out := make([]int, len(rows))
	for k, i := range rows {
		g := l.group(i)
		if g == "" {
			out[k] = -1 - k
			continue
		}
		if _, ok := number[g]; !ok {
			number[g] = len(number)
		}
		out[k] = number[g]
	}
	if len(number) == 0 {
		return nil
	}
	return out
}

// pick returns the columns of some rows.
func (l *logs) pick(rows []int) policy.Records {
	r := policy.Records{Classes: l.records.Classes}
	for _, i := range rows {
		r.Beta = append(r.Beta, l.records.Beta[i])
		r.Student = append(r.Student, l.records.Student[i])
		if l.records.Class != nil {
			r.Class = append(r.Class, l.records.Class[i])
		}
		if l.records.Master != nil {
			r.Master = append(r.Master, l.records.Master[i])
		}
	}
	return r
}
