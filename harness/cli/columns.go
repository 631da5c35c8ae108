package cli

import (
	"fmt"
	"io"
	"strings"

	"infnet/harness/outcomes"
)

// columnFlags name the columns of a log; other columns are recognised by name.
type columnFlags struct {
	Confidence string `help:"Column of the student's confidence in [0,1]. Default: confidence, beta or score." placeholder:"COL"`
	Class      string `help:"Column of the class the student chose. Default: class, label or prediction, where there is one." placeholder:"COL"`
	Single     bool   `help:"One threshold for all: leave classes out, also where there is a column of them."`
	Student    string `help:"Column that says whether the student is right (1, 0, true, false), its score in [0,1], or with a reference its answer. Default: student, student_correct, …" placeholder:"COL"`
	Master     string `help:"The same of the master. Default: master, master_correct, …" placeholder:"COL"`
	Reference  string `help:"Column of the right answer: answers equal to it are right. Default, where student holds answers: reference, gold or answer." placeholder:"COL"`
	Soft       bool   `help:"Read the student's and the master's column as scores in [0,1]; the error is 1 less the score. Default where a score is neither 0 nor 1 and no reference is at hand."`
	ID         string `help:"Column of the query's id, by which records are drawn. Default: id, query_id or record_id, else the row number." placeholder:"COL"`
	Group      string `help:"Column of what queries share (a passage, a conversation): their rows stay together. Default: group, cluster or source, where there is one." placeholder:"COL"`
}

// columns converts the flags for package outcomes.
func (f *columnFlags) columns() outcomes.Columns {
	return outcomes.Columns{
		Confidence: f.Confidence, Class: f.Class, Student: f.Student, Master: f.Master, Reference: f.Reference,
		ID: f.ID, Group: f.Group, Single: f.Single, Soft: f.Soft,
	}
}

// sayLog reports what was found out about a log, one sentence at a time.
func sayLog(f *outcomes.File, recognised []string, say func(string)) {
	if f.Separator != "" {
		say(fmt.Sprintf("Cells are parted by %q, as the header shows.", f.Separator))
	}
	if len(recognised) > 0 {
		say(clean(fmt.Sprintf("Columns recognised: %s.", strings.Join(recognised, ", "))))
	}
}

// sayTo writes sentences to w, one per line.
func sayTo(w io.Writer) func(string) { return func(text string) { fmt.Fprintln(w, text) } }
