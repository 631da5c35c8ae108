package outcomes

import (
	"fmt"
	"math"
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

// Read turns the rows into columns. Of several mistakes it reports the first of the first column that has one.
func (f *File) Read(c Columns) (*Log, error) {
	l := &Log{Columns: c, Path: f.Path, file: f}
	for _, read := range []func() error{l.readIDs, func() (err error) {
		l.Records.Beta, err = column(l, l.Confidence, func(text string) (float64, error) { return Unit("confidence", text) })
		return err
	}, l.readErrors, l.readClasses, l.readGroups, l.readCosts} {
		if err := read(); err != nil {
			return nil, f.wrong(err)
		}
	}
	return l, nil
}

// Shed lets go of the cells that nothing but Covariates would read again.
func (l *Log) Shed() {
	kept := []string{l.Columns.ID, l.text()}
	if l.Reference != "" {
		kept = append(kept, l.Student, l.Master, l.Reference)
	}
	l.file.table.Keep(kept...)
}

func column[T any](l *Log, name string, value func(text string) (T, error)) ([]T, error) {
	out, bad, unread, err := files.Convert(l.file.table, name, value)
	if err != nil && !unread {
		err = fmt.Errorf("row %d, column %q: %w", bad+1, name, err)
	}
	return out, err
}

func (l *Log) readClasses() (err error) {
	if l.Class == "" {
		return nil
	}
	index := map[string]int{}
	l.Records.Class, err = column(l, l.Class, func(name string) (int, error) {
		k, ok := index[name]
		if !ok {
			k = len(l.Classes)
			index[name] = k
			l.Classes = append(l.Classes, strings.Clone(name))
		}
		return k, nil
	})
	l.Records.Classes = len(l.Classes)
	return err
}

// readGroups reads the groups: a row of none is alone.
func (l *Log) readGroups() (err error) {
	if l.Columns.Group == "" {
		return nil
	}
	l.Groups = make([]string, l.file.table.Rows)
	for i := range l.Groups {
		if v, ok := l.file.table.Value(i, l.Columns.Group); ok && v == nil {
			continue
		}
		if l.Groups[i], err = l.file.table.Text(i, l.Columns.Group); err != nil {
			return err
		}
	}
	return nil
}

func (l *Log) readIDs() (err error) {
	if l.Columns.ID == "" {
		return nil
	}
	if l.ids, err = column(l, l.Columns.ID, func(text string) (string, error) { return text, nil }); err != nil {
		return err
	}
	seen := make(map[string]int, len(l.ids))
	for i, id := range l.ids {
		if first, again := seen[id]; again {
			return fmt.Errorf("row %d has the id %q of row %d: a query counts once; leave one out, name another column with "+
				"--id, or where %s is what several queries share, name it with --group", i+1, id, first+1, l.Columns.ID)
		}
		seen[id] = i
	}
	return nil
}

func (l *Log) readErrors() (err error) {
	r := &l.Records
	if !l.Oracle && l.Reference == "" {
		if r.Student, err = column(l, l.Student, l.loss); err == nil {
			r.Master, err = column(l, l.Master, l.loss)
		}
		return err
	}
	names := []string{l.Student, l.Master, l.Reference}
	if l.Oracle {
		names = names[:2]
	}
	texts := make([]string, len(names))
	for i := range l.file.table.Rows {
		for k, name := range names {
			if texts[k], err = l.file.table.Text(i, name); err != nil {
				return err
			}
		}
		right := texts[len(texts)-1]
		r.Student = append(r.Student, wrong(texts[0] == right))
		if !l.Oracle {
			r.Master = append(r.Master, wrong(texts[1] == right))
		}
	}
	return nil
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
	return slices.ContainsFunc(slices.Concat(l.Records.Student, l.Records.Master),
		func(e float64) bool { return e != 0 && e != 1 })
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
		if _, known := number[g]; !known && g != "" {
			number[g] = len(number)
		}
		if out[k] = -1 - k; g != "" {
			out[k] = number[g]
		}
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

// Unit reads a number in [0,1]; what it is appears in the error.
func Unit(what, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1 {
		if _, again := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err != nil && again == nil {
			return 0, fmt.Errorf("%s %q is no number in [0,1]: write a point, not a comma, before the decimals", what, text)
		}
		return 0, fmt.Errorf("%s %q is no number in [0,1]", what, text)
	}
	return v, nil
}

func (l *Log) readCosts() error {
	if l.StudentCost == "" {
		return nil
	}
	for k, given := range []string{l.StudentCost, l.MasterCost} {
		if constant, err := strconv.ParseFloat(given, 64); err == nil {
			l.Costs[k] = slices.Repeat([]float64{constant}, l.Len())
			continue
		}
		var err error
		if l.Costs[k], err = column(l, given, cost); err != nil {
			return err
		}
	}
	if slices.Max(l.Costs[1]) == 0 {
		return fmt.Errorf("the master costs nothing on any row: there is nothing to save; leave the costs out")
	}
	return nil
}

func cost(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("cost %q: want a finite number of 0 or more", text)
	}
	return v, nil
}
