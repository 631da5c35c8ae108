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
	Path      string
	Separator string // what separates cells, where that was found out and is not a comma; else ""

	columns []dataset.Column
	table   *files.Table
}

// Open reads a file.
func Open(path string) (*File, error) {
	table, err := files.OpenTable(path, 0)
	if err != nil {
		return nil, fault.Data.Wrap(err)
	}
	f := &File{Path: path, columns: table.Columns(), table: table}
	if sep := table.Separator; sep != 0 && sep != ',' {
		f.Separator = files.WrittenSeparator(sep)
	}
	return f, nil
}

// wrong is an error about the file.
func (f *File) wrong(err error) error {
	if err == nil {
		return nil
	}
	return fault.Data.Wrap(fmt.Errorf("%s: %w", f.Path, err))
}
