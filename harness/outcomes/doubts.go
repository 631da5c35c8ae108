package outcomes

import (
	"slices"
	"strings"

	"infnet/harness/dataset"
	"infnet/harness/doubt"
)

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

// doubtTexts asks about queries without text, and about those of both parts.
func (l *Log) doubtTexts(fit, test []int) (found []doubt.Doubt) {
	at := l.textColumn()
	if at < 0 || len(test) == 0 {
		return nil
	}
	r := doubt.Records{Fit: fit, Test: test}
	for i := range l.Len() {
		text, err := l.file.table.Text(i, l.file.columns[at].Path)
		if err != nil {
			return nil
		}
		r.Text, r.Blank = append(r.Text, text), append(r.Blank, strings.TrimSpace(text) == "")
	}
	for _, d := range doubt.Texts(r).Doubts {
		if d.Kind == "overlap" || d.Kind == "blank" {
			d.Text = strings.Replace(d.Text, doubt.OverlapRemedy, "Leave the copies out of the log.", 1)
			found = append(found, d)
		}
	}
	return found
}

// textColumn is the place of the column of the queries, -1 where there is none.
func (l *Log) textColumn() int {
	return slices.IndexFunc(l.file.columns, func(col dataset.Column) bool {
		return slices.ContainsFunc(Names("query"), func(n string) bool { return strings.EqualFold(n, col.Path) })
	})
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
