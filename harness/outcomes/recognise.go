package outcomes

import (
	"errors"
	"strconv"

	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

// mostClasses is the number of values up to which an unnamed column counts as classes; a column
// with more holds texts.
const mostClasses = 100

// recogniser fills in the unnamed columns.
type recogniser struct {
	*Columns
	file  *File
	taken func(column string) bool // nil = none
	found []string
}

// Recognise fills in the unnamed columns by their names in the file, and returns a description of
// each choice. Columns for which taken returns true have another use.
func (f *File) Recognise(c *Columns, taken func(column string) bool) (found []string) {
	r := &recogniser{Columns: c, file: f, taken: taken}
	r.must(&c.Confidence, "confidence")
	r.must(&c.Student, "student")
	r.must(&c.Master, "master")
	kind := f.kindOf(c.Student, c.Master)
	if !c.Oracle && !c.Soft && kind != truths {
		r.take(&c.Reference, "reference", func(col dataset.Column) bool {
			bad, _ := f.scan(col.Path, isUnit) // next to a reference in [0,1] such numbers may be answers
			return kind == answers || bad < 0
		})
	}
	if kind == scores && !c.Oracle && c.Reference == "" {
		c.Soft = true
	}
	r.take(&c.ID, "id", nil)
	r.take(&c.Group, "group", func(col dataset.Column) bool { return !col.List })
	if !c.Single {
		r.take(&c.Class, "class", func(col dataset.Column) bool { return !col.List && col.Distinct <= mostClasses })
	}
	return r.found
}

// Names are the names by which a column of a log is recognised, best first.
func Names(what dataset.Role) []string { return dataset.Names(dataset.Log, what) }

// take fills in a column by the first of its names that fits.
func (r *recogniser) take(into *string, what dataset.Role, fits func(dataset.Column) bool) {
	if *into != "" {
		return
	}
	var have []string
	for _, col := range r.file.columns {
		if r.free(col.Path, into) && (fits == nil || fits(col)) {
			have = append(have, col.Path)
		}
	}
	if *into = dataset.Find(have, Names(what)); *into != "" {
		r.found = append(r.found, string(what)+" = "+*into)
	}
}

// must is take for a column that has to be there: an error about it will use its usual name.
func (r *recogniser) must(into *string, what dataset.Role) {
	if r.take(into, what, nil); *into == "" {
		*into = Names(what)[0]
	}
}

// free reports whether a column has no use yet, other than as into. The student's answer is its class too.
func (r *recogniser) free(column string, into *string) bool {
	if r.taken != nil && r.taken(column) || column == r.StudentCost || column == r.MasterCost {
		return false
	}
	for _, field := range []*string{&r.Confidence, &r.Class, &r.Student, &r.Master, &r.Reference, &r.ID, &r.Group} {
		answer := into == &r.Class && field == &r.Student && (r.Reference != "" || r.Oracle)
		if field != into && *field == column && !answer {
			return false
		}
	}
	return true
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
