// Package outcomes reads logs of two models: files with one query per row that give the student's
// confidence and whether each model was right. It owns the recognition of columns, the conversion
// of rows to the columns that policies need, and the questions that a careful reader would ask
// about them. It refuses to guess at an empty or invalid cell: the error names the row, the column
// and the flag that fixes it. It fits nothing and decides nothing.
//
// Its opinion: any log should work unchanged; so columns are recognised by their usual names, and
// the choice is reported.
package outcomes

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
	"infnet/harness/fault"
)

// Columns names the columns of a log. An empty name is recognised by its usual names.
type Columns struct {
	Confidence string // the student's confidence in [0,1]
	Class      string // the class the student chose; "" after recognition: one threshold for all
	Student    string // whether the student is right, its score in [0,1], or with a reference its answer
	Master     string // the same of the master
	Reference  string // the right answer
	ID         string // the query's id; "" after recognition: the row's number
	Group      string // what queries share; their rows stay together

	Single bool // leave classes out, also where there is a column of them
	Soft   bool // student and master hold scores in [0,1]; the error is 1 less the score
	Oracle bool // the master's answers are the reference

	StudentCost string // what a query costs at the student: a number, or the column that holds it
	MasterCost  string // the same of the master
}

// Check refuses columns that contradict each other, costs that are no costs, and one cost without the other.
func (c *Columns) Check() error {
	switch {
	case c.Single && c.Class != "":
		return errors.New("--single and --class: a threshold per class is what --single leaves out")
	case c.Soft && c.Oracle:
		return errors.New("--soft and --oracle: scores say how good an answer is, and --oracle compares answers; leave " +
			"one out")
	case c.Soft && c.Reference != "":
		return errors.New("--soft and --reference: the columns hold scores or answers, not both; leave one out")
	case c.Oracle && c.Reference != "":
		return errors.New("--oracle and --reference: the right answer is the master's or the reference's; leave one out")
	case (c.StudentCost == "") != (c.MasterCost == ""):
		return errors.New("--student-cost and --master-cost belong together: give both, in one unit")
	}
	for _, given := range []string{c.StudentCost, c.MasterCost} {
		if _, err := strconv.ParseFloat(given, 64); err == nil {
			if _, err := cost(given); err != nil {
				return err
			}
		}
	}
	return nil
}

// File is an opened log.
type File struct {
	Path string

	columns []dataset.Column
	table   *files.Table
}

// Open reads a file.
func Open(path string) (*File, error) {
	table, err := files.OpenTable(path, 0)
	if err != nil {
		return nil, fault.Data.Wrap(err)
	}
	return &File{Path: path, columns: table.Columns(), table: table}, nil
}

func (f *File) wrong(err error) error {
	if err == nil {
		return nil
	}
	return fault.Data.Wrap(fmt.Errorf("%s: %w", f.Path, err))
}

// mostClasses is the number of values up to which an unnamed column counts as classes; a column
// with more holds texts.
const mostClasses = 100

// Names are the names by which a column of a log is recognised, best first.
func Names(what dataset.Role) []string { return dataset.Names(dataset.Log, what) }

// Recognise fills in the unnamed columns by their names in the file, and returns a description of
// each choice. Columns for which taken returns true have another use.
func (f *File) Recognise(c *Columns, taken func(column string) bool) (found []string) {
	// The student's answer is its class too.
	used := func(column string, into *string) bool {
		for _, field := range []*string{&c.Confidence, &c.Class, &c.Student, &c.Master, &c.Reference, &c.ID, &c.Group} {
			answer := into == &c.Class && field == &c.Student && (c.Reference != "" || c.Oracle)
			if field != into && *field == column && !answer {
				return true
			}
		}
		return taken != nil && taken(column) || column == c.StudentCost || column == c.MasterCost
	}
	take := func(into *string, what dataset.Role, fits func(dataset.Column) bool) {
		if *into != "" {
			return
		}
		var have []string
		for _, col := range f.columns {
			if !used(col.Path, into) && (fits == nil || fits(col)) {
				have = append(have, col.Path)
			}
		}
		if *into = dataset.Find(have, Names(what)); *into != "" {
			found = append(found, string(what)+" = "+*into)
		}
	}
	must := func(into *string, what dataset.Role) { // an error about it will use its usual name
		take(into, what, nil)
		*into = cmp.Or(*into, Names(what)[0])
	}
	must(&c.Confidence, "confidence")
	must(&c.Student, "student")
	must(&c.Master, "master")
	kind := f.kindOf(c.Student, c.Master)
	if !c.Oracle && !c.Soft && kind != truths {
		take(&c.Reference, "reference", func(col dataset.Column) bool {
			bad, _ := f.scan(col.Path, isUnit) // next to a reference in [0,1] such numbers may be answers
			return kind == answers || bad < 0
		})
	}
	c.Soft = c.Soft || kind == scores && !c.Oracle && c.Reference == ""
	take(&c.ID, "id", nil)
	take(&c.Group, "group", func(col dataset.Column) bool { return !col.List })
	if !c.Single {
		take(&c.Class, "class", func(col dataset.Column) bool { return !col.List && col.Distinct <= mostClasses })
	}
	return found
}

// RecogniseCosts is Recognise for the columns of costs: of both models, or of none.
func (f *File) RecogniseCosts(c *Columns) (found []string) {
	if c.StudentCost != "" || c.MasterCost != "" {
		return nil
	}
	have := f.table.Names()
	s, m := dataset.Find(have, Names("student cost")), dataset.Find(have, Names("master cost"))
	if s != "" && m != "" {
		c.StudentCost, c.MasterCost = s, m
		found = []string{"student cost = " + s, "master cost = " + m}
	}
	return found
}

// content is what the columns of student and master hold.
type content int

const (
	truths  content = iota // 1, 0, true, false
	scores                 // numbers in [0,1], not all of them 0 or 1
	answers                // anything else: right or wrong by a reference
)

// kindOf finds out what columns hold. The first cell that is neither a truth value nor a score decides.
func (f *File) kindOf(columns ...string) content {
	kind, row := truths, f.table.Rows
	for _, column := range columns {
		found := truths
		bad, unread := f.scan(column, func(text string) bool {
			if _, err := strconv.ParseBool(text); err == nil {
				return true
			}
			found = scores
			return isUnit(text)
		})
		switch {
		case bad >= 0 && bad < row && unread:
			kind, row = truths, bad // reported where it is read
		case bad >= 0 && bad < row:
			kind, row = answers, bad
		case row == f.table.Rows:
			kind = max(kind, found)
		}
	}
	return kind
}

// scan finds the first cell of a column that cannot be read, or for which fits is false; -1 = there is none.
func (f *File) scan(column string, fits func(text string) bool) (bad int, unread bool) {
	_, bad, unread, _ = files.Convert(f.table, column, func(text string) (none struct{}, err error) {
		if !fits(text) {
			err = errors.New("the cell does not fit")
		}
		return none, err
	})
	return bad, unread
}

func isUnit(text string) bool {
	_, err := Unit("confidence", text)
	return err == nil
}
