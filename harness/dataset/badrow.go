package dataset

import (
	"fmt"
	"strconv"

	"infnet/harness/choice"
)

// OnBadRow says what a row that cannot be used does.
type OnBadRow string

// What bad rows do.
const (
	FailOnBadRow OnBadRow = "error" // ends the reading, naming file, line and fix
	SkipBadRow   OnBadRow = "skip"  // is left out and listed in Set.Skipped
)

// OnBadRows lists the valid choices.
func OnBadRows() []OnBadRow { return []OnBadRow{FailOnBadRow, SkipBadRow} }

// UnmarshalText accepts a choice's name.
func (o *OnBadRow) UnmarshalText(b []byte) error {
	return choice.Decode(o, b, "treatment of bad rows", OnBadRows())
}

// Skipped is a row that was left out, and why.
type Skipped struct {
	Row    int
	Reason string
}

// RowError is a row that cannot be used. Callers branch on it to show the
// place.
type RowError struct {
	File   string
	Row    int    // 1-based, among the source's rows
	Line   int    // 1-based line where the row begins; 0 for files without lines
	Column string // path of the column at fault; "" = the whole row
	Reason string
	Fix    string // what the user can do; "" = nothing obvious
}

// Error names the place, the reason and the fix.
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

// What is the reason with its column, without the place and the fix: the
// Reason of a Skipped row.
func (e *RowError) What() string {
	if e.Column == "" {
		return e.Reason
	}
	return fmt.Sprintf("column %q: %s", e.Column, e.Reason)
}
