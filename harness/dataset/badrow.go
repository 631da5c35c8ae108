package dataset

import (
	"fmt"
	"strconv"
)

// RowError is a row that cannot be used. Callers branch on it to show the place.
type RowError struct {
	File   string
	Row    int    // 1-based, among the source's rows
	Line   int    // 1-based line where the row begins; 0 for files without lines
	Column string // path of the column at fault; "" = the whole row
	Reason string
	Fix    string // what the user can do; "" = nothing obvious
	Key    string // which setting of the dataset the row contradicts, as SettingError has it; "" = the source
}

func (e *RowError) Error() string {
	place := e.File
	if e.Line > 0 {
		place += ":" + strconv.Itoa(e.Line)
	}
	s := fmt.Sprintf("%s: row %d: %s", place, e.Row, e.What())
	if e.Fix != "" {
		s += "; " + e.Fix
	}
	return s
}

// What is the reason with its column, without the place and the fix.
func (e *RowError) What() string {
	if e.Column == "" {
		return e.Reason
	}
	return fmt.Sprintf("column %q: %s", e.Column, e.Reason)
}

// SettingError is an error of a dataset as a whole that comes from one of its
// settings. Callers branch on it to show where the setting is written.
type SettingError struct {
	Key string // as a study calls it: source, fields.NAME, label, labels, reference, id, group
	Fix string // what the user can do; "" = nothing obvious
	Err error
}

func (e *SettingError) Error() string {
	if e.Fix == "" {
		return e.Err.Error()
	}
	return e.Err.Error() + "; " + e.Fix
}

func (e *SettingError) Unwrap() error { return e.Err }
