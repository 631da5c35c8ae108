// Package style says how a study's tables and figures look: which columns, how intervals are printed, how many
// footnotes, which formats. It owns the closed sets of these settings and their form in results.json. It refuses
// whatever would change a number. Its opinion: a paper wants short tables, and what a short table leaves out is in a
// file next to it.
package style

import (
	"infnet/harness/choice"
)

// Style is the appearance of tables and figures; the zero value is the usual one. Its fields are keys of a study's
// [report], and flags of infnet report.
type Style struct {
	Layout Layout `json:"layout,omitempty" toml:"layout" usual:"full" placeholder:"FORM" help:"full, or the paper's own columns and rows, without intervals, bold type and footnotes; data.md has all caveats"`
	// nil = those of the layout
	Columns   []Column          `json:"columns,omitempty" toml:"columns" usual:"those of the layout" placeholder:"COLUMN" help:"of the tables of policies, in this order. own_saved: saved by each record's own cost; records: size of the test part. CSV files have every column"`
	Intervals Intervals         `json:"intervals,omitempty" toml:"intervals" usual:"brackets; layout paper: none" placeholder:"FORM" help:"0.87 [0.85, 0.90], or 0.87 ± 0.02 (+0.03 −0.02 where the ends are not equally far), or none. CSV files have them"`
	Footnotes Footnotes         `json:"footnotes,omitempty" toml:"footnotes" usual:"short; layout paper: none" placeholder:"AMOUNT" help:"below a LaTeX table: all, at most five lines, or nothing. NAME.md and data.md have all"`
	Digits    *int              `json:"digits,omitempty" toml:"digits" range:"0 to 6" usual:"2 (3 where intervals are narrow), percentages 1 or 2" placeholder:"N" help:"after the point of numbers from 0 to 1 in the tables of policies; percentages have two fewer"`
	Caption   string            `json:"caption,omitempty" toml:"caption" range:"text with PLACEHOLDERS" usual:"the task, the setting, the target and the models" placeholder:"TEXT" help:"of the tables of policies; of more than 8 names it gives the number"`
	Titles    map[string]string `json:"titles,omitempty" toml:"titles" usual:"their names" range:"table of name = text" kong:"-" help:"what tables call datasets, models, metrics, policies and extra information; CSV files have the names"`
	Figures   []Format          `json:"figures,omitempty" toml:"figures" least:"1" usual:"svg" placeholder:"FORMAT" help:"formats of figures"`
	Draw      []Kind            `json:"draw,omitempty" toml:"draw" usual:"cost-error, grid, transfer" placeholder:"KIND" help:"figures to write: cost-error one per study, the others per cascade and dataset. report.html has all"`
	Page      *bool             `json:"page,omitempty" toml:"page" usual:"true" range:"true or false" kong:"-" help:"write report.html, the page of the run"`
	Texts     *Size             `json:"texts,omitempty" toml:"texts" usual:"5MB" range:"0 to 500MB, in B, kB, MB or GB" kong:"-" help:"of prompts and answers in report.html, compressed; with more they are left out"`
}

// Title is what tables call a dataset, a model, a metric, a policy or a kind of information.
func (s Style) Title(name string) string {
	if t, ok := s.Titles[name]; ok {
		return t
	}
	return name
}

// Formats are the formats of figures.
func (s Style) Formats() []Format {
	if len(s.Figures) == 0 {
		return []Format{SVG}
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
	if s.Footnotes == "" && s.Layout == Paper {
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

// UnmarshalText accepts a layout's name.
func (l *Layout) UnmarshalText(b []byte) error {
	return choice.Decode(l, b, "layout", []Layout{Full, Paper})
}

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

// UnmarshalText accepts a column's name.
func (c *Column) UnmarshalText(b []byte) error {
	return choice.Decode(c, b, "column", []Column{Cascade, Dataset, Policy, Performance, Saved, OwnSaved, Error, Budget,
		Deferred, Records})
}

// Intervals is how an interval is printed.
type Intervals string

// The ways to print an interval.
const (
	Brackets    Intervals = "brackets" // 0.87 [0.85, 0.90]
	PlusMinus   Intervals = "pm"       // 0.87 ± 0.02; its two parts where they differ: +0.03 −0.02
	NoIntervals Intervals = "none"
)

// UnmarshalText accepts a way's name.
func (i *Intervals) UnmarshalText(b []byte) error {
	return choice.Decode(i, b, "form of intervals", []Intervals{Brackets, PlusMinus, NoIntervals})
}

// Footnotes is how much stands below a LaTeX table.
type Footnotes string

// What stands below a LaTeX table.
const (
	AllNotes   Footnotes = "all"
	ShortNotes Footnotes = "short" // at most five lines
	NoNotes    Footnotes = "none"
)

// UnmarshalText accepts a choice's name.
func (f *Footnotes) UnmarshalText(b []byte) error {
	return choice.Decode(f, b, "amount of footnotes", []Footnotes{AllNotes, ShortNotes, NoNotes})
}

// Format is a format of figures.
type Format string

// The formats.
const (
	PDF Format = "pdf"
	SVG Format = "svg"
)

// Formats lists the valid formats, in the order in which files are written.
func Formats() []Format { return []Format{SVG, PDF} }

// UnmarshalText accepts a format's name.
func (f *Format) UnmarshalText(b []byte) error { return choice.Decode(f, b, "format", Formats()) }

// Kind is a kind of figure. The page shows all of them.
type Kind string

// The kinds: one of the study, then those of each cascade and dataset.
const (
	CostError   Kind = "cost-error" // every model alone, and ours, of all datasets
	Frontier    Kind = "frontier"
	Threshold   Kind = "threshold"
	Reliability Kind = "reliability"
	Grid        Kind = "grid"     // by an axis of the study's grid
	Transfer    Kind = "transfer" // which budgets are kept on other domains
	Signals     Kind = "signals"  // which signal adds to which, of all cascades and datasets
)

// Drawn are the kinds that are written to files.
func (s Style) Drawn() []Kind {
	if s.Draw == nil {
		return []Kind{CostError, Grid, Transfer}
	}
	return s.Draw
}

// Kinds lists the valid kinds.
func Kinds() []Kind {
	return []Kind{CostError, Frontier, Threshold, Reliability, Grid, Transfer, Signals}
}

// UnmarshalText accepts the name of a kind.
func (k *Kind) UnmarshalText(b []byte) error { return choice.Decode(k, b, "kind of figure", Kinds()) }
