package outcomes

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset"
	"infnet/harness/doubt"
	"infnet/sufficiency"
)

// Covariates reads columns of numbers as one set. A column of lists, such as an embedding, is one covariate per place.
func (l *Log) Covariates(name string, columns []string) (sufficiency.Set, error) {
	set := sufficiency.Set{Name: name}
	for k, column := range columns {
		after := []string{l.Student, l.Master} // known only after the decision
		if l.Reference != "" {
			after[0] = l.Reference // the student's column is its answer, which is known before
		}
		if slices.Contains(after, column) {
			return set, l.file.wrong(fmt.Errorf("column %q holds the outcome of the query, which is unknown when deciding: it "+
				"cannot be extra information", column))
		}
		if slices.Contains(columns[:k], column) {
			return set, l.file.wrong(fmt.Errorf("column %q is named twice", column))
		}
		read, err := l.file.numbers(column)
		if err != nil {
			return set, l.file.wrong(err)
		}
		set.Columns = append(set.Columns, read...)
	}
	return set, nil
}

// CovariatesBy is Covariates of all columns whose names begin with prefix.
func (l *Log) CovariatesBy(prefix string) (sufficiency.Set, error) {
	var names []string
	for _, column := range l.file.columns {
		if _, ok := l.file.table.Value(0, column.Path); ok && strings.HasPrefix(column.Path, prefix) {
			names = append(names, column.Path)
		}
	}
	if len(names) == 0 {
		return sufficiency.Set{}, l.file.wrong(fmt.Errorf("no column begins with %q", prefix))
	}
	return l.Covariates(prefix+"…", names)
}

// numbers reads a column of numbers, or of lists of numbers that are equally long.
func (f *File) numbers(column string) ([]sufficiency.Covariate, error) {
	cells := func(i int) (cells []any, isList bool) {
		v, _ := f.table.Value(i, column)
		cells, isList = v.([]any)
		return cells, isList
	}
	first, isList := cells(0)
	n := 1
	if isList {
		n = len(first)
	}
	out := make([]sufficiency.Covariate, n)
	for place := range out {
		out[place] = sufficiency.Covariate{Name: column, Values: make([]float64, f.table.Rows)}
		if isList {
			out[place].Name = fmt.Sprintf("%s[%d]", column, place)
		}
	}
	for i := range f.table.Rows {
		text, err := f.table.Text(i, column)
		if err != nil {
			return nil, err
		}
		list := []any{text}
		if isList {
			var ok bool
			if list, ok = cells(i); !ok || len(list) != len(first) {
				return nil, fmt.Errorf("row %d: column %q is no list of %d numbers, as in row 1", i+1, column, len(first))
			}
		}
		for place, v := range list {
			if out[place].Values[i], err = finite(fmt.Sprint(v), i+1, column); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// finite reads a number that 32 bits hold; true is 1 and false 0.
func finite(text string, row int, column string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if truth, no := strconv.ParseBool(text); err != nil && no == nil {
		v, err = 1-wrong(truth), nil
	}
	if err != nil || math.IsNaN(v) || math.Abs(v) > math.MaxFloat32 {
		return 0, fmt.Errorf("row %d: column %q holds %.40q, which is no finite number of 32 bits; J is made of numbers: "+
			"fill it, drop the row, or give categories a column of 0 and 1 each", row, column, text)
	}
	return v, nil
}

// Doubts returns the questions that a careful reader would ask about a log: about its answers and,
// if it holds the queries, about rows that are in both parts. Without a test part the queries raise
// no question.
func (l *Log) Doubts(fit, test []int) []doubt.Doubt {
	right := func(errs []float64) []bool {
		if errs == nil {
			return nil // the reference itself is not asked about
		}
		out := make([]bool, len(errs))
		for i, e := range errs {
			out[i] = e == 0
		}
		return out
	}
	student := doubt.Answers{Model: "student", Beta: l.Records.Beta, Right: right(l.Records.Student), Given: true}
	master := doubt.Answers{Model: "master", Right: right(l.Records.Master)}
	references, labels := l.classify(&student, &master)
	return append(doubt.Pair(student, master, references, labels), l.doubtTexts(fit, test)...)
}

// doubtTexts asks about queries of both parts.
func (l *Log) doubtTexts(fit, test []int) (found []doubt.Doubt) {
	column := l.text()
	if column == "" || len(test) == 0 {
		return nil
	}
	texts := make([]string, l.Len())
	for i := range texts {
		var err error
		if texts[i], err = l.file.table.Text(i, column); err != nil {
			return nil
		}
	}
	found = doubt.Texts(texts, fit, test).Doubts()
	for i := range found {
		found[i].Text = strings.Replace(found[i].Text, doubt.Remedy, "Leave the copies out of the log.", 1)
	}
	return found
}

// text is the column of the queries, "" where there is none.
func (l *Log) text() string {
	var have []string
	for _, col := range l.file.columns {
		have = append(have, col.Path)
	}
	return dataset.Find(have, Names("query"))
}

// classify takes answers and references as classes, where there are so few different ones that they can be.
func (l *Log) classify(student, master *doubt.Answers) (references []int, labels []string) {
	if l.Reference == "" {
		return nil, nil
	}
	index := map[string]int{}
	for i := range l.Len() {
		r, _ := l.file.table.Text(i, l.Reference) // read before
		if _, ok := index[r]; !ok {
			index[r] = len(labels)
			labels = append(labels, r)
		}
		if len(labels) > mostClasses {
			return nil, nil
		}
	}
	if len(labels) < 2 {
		return nil, nil
	}
	of := func(column string) []int {
		out := make([]int, l.Len())
		for i := range out {
			out[i] = -1
			text, _ := l.file.table.Text(i, column)
			if k, ok := index[text]; ok {
				out[i] = k
			}
		}
		return out
	}
	student.Class, master.Class = of(l.Student), of(l.Master)
	return of(l.Reference), labels
}
