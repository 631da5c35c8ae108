package outcomes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset/files"
	"infnet/harness/policy"
)

// Log is a file's rows as policies see them, by column.
type Log struct {
	Columns // what held what
	Path    string

	Groups  []string // nil = none; "" = a row alone
	Classes []string // names in index order; nil = one threshold for all
	Records policy.Records
	Costs   [2][]float64 // per query, of student and master; nil = not known

	ids  []string // nil = they are row numbers
	file *File
}

// Len returns the number of rows.
func (l *Log) Len() int { return len(l.Records.Beta) }

// IDOf returns a row's id: what its column says, or its number.
func (l *Log) IDOf(i int) string {
	if l.ids == nil {
		return strconv.Itoa(i + 1)
	}
	return l.ids[i]
}

// IDs returns the ids of all rows.
func (l *Log) IDs() []string {
	out := make([]string, l.Len())
	for i := range out {
		out[i] = l.IDOf(i)
	}
	return out
}

// Read turns the rows into columns. Of several mistakes it reports that of the first row.
func (f *File) Read(c Columns) (*Log, error) {
	l := &Log{Columns: c, Path: f.Path, file: f}
	var p problem
	l.readIDs(&p)
	l.Records.Beta = column(l, &p, l.Confidence, [2]int{confidenceCell, confidenceValue},
		func(text string) (float64, error) { return Unit("confidence", text) })
	l.readErrors(&p)
	if l.Class != "" {
		l.Records.Class = column(l, &p, l.Class, [2]int{classCell, classCell}, l.classes())
	}
	if l.Columns.Group != "" {
		l.readGroups(&p)
	}
	if p.err != nil {
		return nil, f.wrong(p.err)
	}
	l.Records.Classes = len(l.Classes)
	return l, f.wrong(l.readCosts())
}

// Shed lets go of the cells that nothing but Covariates would read again.
func (l *Log) Shed() {
	kept := []string{l.Columns.ID}
	if l.Reference != "" {
		kept = append(kept, l.Student, l.Master, l.Reference)
	}
	if at := l.textColumn(); at >= 0 {
		kept = append(kept, l.file.columns[at].Path)
	}
	l.file.table.Keep(kept...)
}

// What can be wrong with a row, in the order in which it is reported.
const (
	idCell = iota
	idAgain
	confidenceCell
	confidenceValue
	studentCell
	masterCell
	referenceCell
	studentValue
	masterValue
	classCell
	groupCell
)

// problem is the first mistake of a file: in the first row, and of its mistakes the first.
type problem struct {
	row, place int
	err        error
}

func (p *problem) found(row, place int, err error) {
	if p.err == nil || row < p.row || row == p.row && place < p.place {
		*p = problem{row, place, err}
	}
}

// column converts a column of the log. places are those of a cell that cannot be read, and of a text that means
// nothing.
func column[T any](l *Log, p *problem, name string, places [2]int, value func(text string) (T, error)) []T {
	out, bad, unread, err := files.Convert(l.file.table, name, value)
	switch {
	case err == nil:
	case unread:
		p.found(bad, places[0], err)
	case places[1] == confidenceValue:
		p.found(bad, places[1], fmt.Errorf("row %d: %w", bad+1, err))
	default:
		p.found(bad, places[1], fmt.Errorf("row %d, column %q: %w", bad+1, name, err))
	}
	return out
}

// classes returns the function that numbers classes in the order in which they come.
func (l *Log) classes() func(name string) (int, error) {
	index := map[string]int{}
	return func(name string) (int, error) {
		k, ok := index[name]
		if !ok {
			k = len(l.Classes)
			index[name] = k
			l.Classes = append(l.Classes, strings.Clone(name))
		}
		return k, nil
	}
}

// readGroups reads the groups.
func (l *Log) readGroups(p *problem) {
	l.Groups = make([]string, l.file.table.Rows)
	for i := range l.Groups {
		if v, ok := l.file.table.Value(i, l.Columns.Group); ok && v == nil {
			continue // alone
		}
		var err error
		if l.Groups[i], err = l.file.table.Text(i, l.Columns.Group); err != nil {
			p.found(i, groupCell, err)
			return
		}
	}
}

// readIDs reads the ids, where a column has them.
func (l *Log) readIDs(p *problem) {
	if l.Columns.ID == "" {
		return
	}
	l.ids = column(l, p, l.Columns.ID, [2]int{idCell, idCell}, func(text string) (string, error) { return text, nil })
	seen := make(map[string]int, len(l.ids))
	for i, id := range l.ids {
		if first, again := seen[id]; again {
			p.found(i, idAgain, fmt.Errorf("row %d has the id %q of row %d: a query counts once; leave one out, name another "+
				"column with --id, or where %s is what several queries share, name it with --group", i+1, id, first+1,
				l.Columns.ID))
			return
		}
		seen[id] = i
	}
}

// readErrors reads both models' errors.
func (l *Log) readErrors(p *problem) {
	r := &l.Records
	if !l.Oracle && l.Reference == "" {
		r.Student = column(l, p, l.Student, [2]int{studentCell, studentValue}, l.loss)
		r.Master = column(l, p, l.Master, [2]int{masterCell, masterValue}, l.loss)
		return
	}
	names := []string{l.Student, l.Master, l.Reference}
	if l.Oracle {
		names = names[:2]
	}
	texts := make([]string, len(names))
	for i := range l.file.table.Rows {
		for k, name := range names {
			var err error
			if texts[k], err = l.file.table.Text(i, name); err != nil {
				p.found(i, studentCell+k, err)
				return
			}
		}
		right := texts[len(texts)-1]
		r.Student = append(r.Student, wrong(texts[0] == right))
		if !l.Oracle {
			r.Master = append(r.Master, wrong(texts[1] == right))
		}
	}
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
	if l.Groups == nil {
		return nil
	}
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
	r := &l.Records
	return policy.Records{Classes: r.Classes, Beta: pick(r.Beta, rows), Student: pick(r.Student, rows),
		Class: pick(r.Class, rows), Master: pick(r.Master, rows)}
}

// pick returns some values of a column; nil of none.
func pick[T any](column []T, rows []int) []T {
	if column == nil {
		return nil
	}
	out := make([]T, len(rows))
	for k, i := range rows {
		out[k] = column[i]
	}
	return out
}
