// Package style says how a study's tables and figures look: which columns, how
// intervals are printed, how many footnotes, which formats. It owns the closed
// sets of these settings and their form in results.json. It refuses whatever
// would change a number. Its opinion: a paper wants short tables, and what a
// short table leaves out is in a file next to it.
package style

import (
	"reflect"

	"infnet/harness/choice"
)

// Style is the appearance of tables and figures; the zero value is the usual one.
type Style struct {
	Layout    Layout    `json:"layout,omitempty"`
	Columns   []Column  `json:"columns,omitempty"` // of the tables of policies; nil = those of the layout
	Intervals Intervals `json:"intervals,omitempty"`
	Footnotes Footnotes `json:"footnotes,omitempty"`
	Digits    *int      `json:"digits,omitempty"`  // of numbers in [0,1]; percentages have two fewer; nil = by column
	Caption   string    `json:"caption,omitempty"` // of the tables of policies, with placeholders; "" = the usual one
	Figures   []Format  `json:"figures,omitempty"` // nil = UsualFormats
	Draw      []Kind    `json:"draw,omitempty"`    // the kinds of figures that are written; nil = CostError
	NoPage    bool      `json:"no_page,omitempty"` // no report.html is written
	Texts     *Size     `json:"texts,omitempty"`   // bytes of texts in the page; nil = UsualTexts
}

// Of is a style that may be missing.
func Of(s *Style) Style {
	if s == nil {
		return Style{}
	}
	return *s
}

// Usual reports whether the style asks for nothing.
func (s Style) Usual() bool { return reflect.DeepEqual(s, Style{}) }

// Formats are the formats of figures.
func (s Style) Formats() []Format {
	if len(s.Figures) == 0 {
		return UsualFormats()
	}
	return s.Figures
}

// Limit is how many footnotes a LaTeX table has; below 0 = all.
func (s Style) Limit() int {
	switch s.Footnotes {
	case AllNotes:
		return -1
	case NoNotes:
		return 0
	}
	return 5
}

// Ranges says how intervals are printed: as asked, else as the layout has it.
func (s Style) Ranges() Intervals {
	switch {
	case s.Intervals != "":
		return s.Intervals
	case s.Layout == Paper:
		return NoIntervals
	}
	return Brackets
}

// Shown are the columns of a table of policies: as asked, else those of the layout.
func (s Style) Shown() []Column {
	switch {
	case len(s.Columns) > 0:
		return s.Columns
	case s.Layout == Paper:
		return []Column{Dataset, Policy, Performance, Saved}
	}
	return []Column{Dataset, Policy, Performance, Saved, Error, Budget, Deferred}
}

// Layout is the form of a table of policies.
type Layout string

// The layouts.
const (
	Full  Layout = "full"
	Paper Layout = "paper" // the paper's own: dataset, policy, performance, cost saved, without intervals
)

// Layouts lists the valid layouts.
func Layouts() []Layout { return []Layout{Full, Paper} }

// UnmarshalText accepts a layout's name.
func (l *Layout) UnmarshalText(b []byte) error { return choice.Decode(l, b, "layout", Layouts()) }

// Column is a column of a table of policies.
type Column string

// The columns.
const (
	Cascade     Column = "cascade"
	Dataset     Column = "dataset"
	Policy      Column = "policy"
	Performance Column = "performance"
	Saved       Column = "saved"
	OwnSaved    Column = "own_saved" // by each record's own cost
	Error       Column = "error"
	Budget      Column = "budget"
	Deferred    Column = "deferred"
	Records     Column = "records" // of the test part
)

// Columns lists the valid columns.
func Columns() []Column {
	return []Column{Cascade, Dataset, Policy, Performance, Saved, OwnSaved, Error, Budget, Deferred, Records}
}

// UnmarshalText accepts a column's name.
func (c *Column) UnmarshalText(b []byte) error { return choice.Decode(c, b, "column", Columns()) }

// Intervals is how an interval is printed.
type Intervals string

// The ways to print an interval.
const (
	Brackets    Intervals = "brackets" // 0.87 [0.85, 0.90]
	PlusMinus   Intervals = "pm"       // 0.87 ± 0.02; its two parts where they differ: +0.03 −0.02
	NoIntervals Intervals = "none"
)

// AllIntervals lists the valid ways.
func AllIntervals() []Intervals { return []Intervals{Brackets, PlusMinus, NoIntervals} }

// UnmarshalText accepts a way's name.
func (i *Intervals) UnmarshalText(b []byte) error {
	return choice.Decode(i, b, "form of intervals", AllIntervals())
}

// Footnotes is how much stands below a LaTeX table.
type Footnotes string

// What stands below a LaTeX table.
const (
	AllNotes   Footnotes = "all"
	ShortNotes Footnotes = "short" // at most five lines
	NoNotes    Footnotes = "none"
)

// AllFootnotes lists the valid choices.
func AllFootnotes() []Footnotes { return []Footnotes{AllNotes, ShortNotes, NoNotes} }

// UnmarshalText accepts a choice's name.
func (f *Footnotes) UnmarshalText(b []byte) error {
	return choice.Decode(f, b, "amount of footnotes", AllFootnotes())
}

// Format is a format of figures.
type Format string

// The formats.
const (
	PDF      Format = "pdf"
	SVG      Format = "svg"
	PNG      Format = "png"
	PGFPlots Format = "pgfplots" // LaTeX source
)

// Formats lists the valid formats, in the order in which files are written.
func Formats() []Format { return []Format{SVG, PDF, PNG, PGFPlots} }

// UsualFormats are those that are written unless others are asked for.
func UsualFormats() []Format { return []Format{SVG} }

// UnmarshalText accepts a format's name.
func (f *Format) UnmarshalText(b []byte) error { return choice.Decode(f, b, "format", Formats()) }

// Kind is a kind of figure. The page shows all of them.
type Kind string

// The kinds: one of the study, then those of each cascade and dataset.
const (
	CostError    Kind = "cost-error" // every model alone, and ours, of all datasets
	Frontier     Kind = "frontier"
	Threshold    Kind = "threshold"
	Reliability  Kind = "reliability"
	Boundaries   Kind = "boundaries"
	Classes      Kind = "classes"
	Permutations Kind = "permutations"
	Pool         Kind = "pool"
)

// Kinds lists the valid kinds.
func Kinds() []Kind {
	return []Kind{CostError, Frontier, Threshold, Reliability, Boundaries, Classes, Permutations, Pool}
}

// Drawn are the kinds that are written to files.
func (s Style) Drawn() []Kind {
	if s.Draw == nil {
		return []Kind{CostError}
	}
	return s.Draw
}

// UnmarshalText accepts the name of a kind.
func (k *Kind) UnmarshalText(b []byte) error { return choice.Decode(k, b, "kind of figure", Kinds()) }
