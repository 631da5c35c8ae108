package outcomes

import (
	"fmt"
	"slices"
	"strconv"

	"infnet/harness/policy"
)

// Log is a file's rows as policies see them, by column.
type Log struct {
	Columns // what held what
	Path    string

	IDs     []string
	Groups  []string // nil = none; "" = a row alone
	Classes []string // names in index order; nil = one threshold for all
	Records policy.Records
	Costs   [2][]float64 // per query, of student and master; nil = not known

	students, masters, references []string // answers, where there is a column of references
	file                          *File
}

// Read turns the rows into columns.
func (f *File) Read(c Columns) (*Log, error) {
	l := &Log{Columns: c, Path: f.Path, file: f}
	index, seen := map[string]int{}, map[string]int{}
	for i := range f.rows {
		if err := l.add(i, index, seen); err != nil {
			return nil, f.wrong(err)
		}
	}
	l.Records.Classes = len(l.Classes)
	return l, f.wrong(l.readCosts())
}

// add adds row i. index holds the classes so far, seen the row of every id.
func (l *Log) add(i int, index, seen map[string]int) error {
	id, err := l.id(i, seen)
	if err != nil {
		return err
	}
	text, err := l.file.cell(i, l.Confidence)
	if err != nil {
		return err
	}
	beta, err := Unit("confidence", text)
	if err != nil {
		return fmt.Errorf("row %d: %w", i+1, err)
	}
	student, master, err := l.errors(i)
	if err != nil {
		return err
	}
	if l.Class != "" {
		name, err := l.file.cell(i, l.Class)
		if err != nil {
			return err
		}
		if _, ok := index[name]; !ok {
			index[name] = len(l.Classes)
			l.Classes = append(l.Classes, name)
		}
		l.Records.Class = append(l.Records.Class, index[name])
	}
	if l.Columns.Group != "" {
		group, err := l.file.group(i, l.Columns.Group)
		if err != nil {
			return err
		}
		l.Groups = append(l.Groups, group)
	}
	l.IDs = append(l.IDs, id)
	l.Records.Beta = append(l.Records.Beta, beta)
	l.Records.Student = append(l.Records.Student, student)
	if !l.Oracle {
		l.Records.Master = append(l.Records.Master, master)
	}
	return nil
}

// id returns a row's id: what its column says, or its number.
func (l *Log) id(i int, seen map[string]int) (string, error) {
	if l.ID == "" {
		return strconv.Itoa(i + 1), nil
	}
	id, err := l.file.cell(i, l.ID)
	if err != nil {
		return "", err
	}
	if before, again := seen[id]; again {
		return "", fmt.Errorf("row %d has the id %q of row %d: a query counts once; leave one out, name another column "+
			"with --id, "+
			"or where %s is what several queries share, name it with --group", i+1, id, before, l.ID)
	}
	seen[id] = i + 1
	return id, nil
}

// errors returns both models' errors on a row, and keeps their answers where the row holds answers.
func (l *Log) errors(i int) (student, master float64, err error) {
	s, err := l.file.cell(i, l.Student)
	if err != nil {
		return 0, 0, err
	}
	m, err := l.file.cell(i, l.Master)
	if err != nil {
		return 0, 0, err
	}
	switch {
	case l.Oracle:
		return wrong(s == m), 0, nil
	case l.Reference != "":
		r, err := l.file.cell(i, l.Reference)
		l.students, l.masters, l.references = append(l.students, s), append(l.masters, m), append(l.references, r)
		return wrong(s == r), wrong(m == r), err
	}
	if student, err = l.loss(s); err != nil {
		return 0, 0, fmt.Errorf("row %d, column %q: %w", i+1, l.Student, err)
	}
	if master, err = l.loss(m); err != nil {
		return 0, 0, fmt.Errorf("row %d, column %q: %w", i+1, l.Master, err)
	}
	return student, master, nil
}

// loss is the error of one answer, from a truth value or a score.
func (l *Log) loss(text string) (float64, error) {
	right, err := strconv.ParseBool(text)
	switch {
	case err == nil:
		return wrong(right), nil
	case l.Soft:
		v, err := Unit("score", text)
		return 1 - v, err
	}
	return 0, fmt.Errorf("%q is neither 1 nor 0, true nor false; name the column of the right answers with --reference "+
		"if these are answers, "+
		"or say --soft if they are scores in [0,1]", text)
}

func wrong(right bool) float64 {
	if right {
		return 0
	}
	return 1
}

// SoftErrors reports whether some error is neither 0 nor 1.
func (l *Log) SoftErrors() bool {
	for _, col := range [][]float64{l.Records.Student, l.Records.Master} {
		if slices.ContainsFunc(col, func(e float64) bool { return e != 0 && e != 1 }) {
			return true
		}
	}
	return false
}

// GroupOf returns a row's group, "" where it is alone.
func (l *Log) GroupOf(i int) string {
	if l.Groups == nil {
		return ""
	}
	return l.Groups[i]
}

// Clusters numbers the groups of some rows, nil where none has any. A row alone is a cluster of its own.
func (l *Log) Clusters(rows []int) []int {
	number := map[string]int{}
	out := make([]int, len(rows))
	for k, i := range rows {
		g := l.GroupOf(i)
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

// Pick returns the records of some rows.
func (l *Log) Pick(rows []int) policy.Records {
	r := policy.Records{Classes: l.Records.Classes}
	for _, i := range rows {
		r.Beta = append(r.Beta, l.Records.Beta[i])
		r.Student = append(r.Student, l.Records.Student[i])
		if l.Records.Class != nil {
			r.Class = append(r.Class, l.Records.Class[i])
		}
		if l.Records.Master != nil {
			r.Master = append(r.Master, l.Records.Master[i])
		}
	}
	return r
}
