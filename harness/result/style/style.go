// Package style says how a study's tables and figures look: their layout, what names are called, which formats. It owns
// the closed sets of these settings and their form in results.json. It refuses whatever would change a number. Its
// opinion: a table has one look, and a paper's tables have the paper's.
package style

import (
	"infnet/harness/choice"
)

// Style is the appearance of tables and figures; the zero value is the usual one. Its fields are keys of a study's
// [report], and flags of infnet report.
type Style struct {
	Layout  Layout            `json:"layout,omitempty" toml:"layout" usual:"full" placeholder:"FORM" help:"full, or the paper's own columns and rows, without intervals, bold type and footnotes"`
	Titles  map[string]string `json:"titles,omitempty" toml:"titles" usual:"their names" range:"table of name = text" kong:"-" help:"what tables call datasets, models, metrics, policies and extra information; CSV files have the names"`
	Figures []Format          `json:"figures,omitempty" toml:"figures" least:"1" usual:"svg" placeholder:"FORMAT" help:"formats of figures"`
	Draw    []Kind            `json:"draw,omitempty" toml:"draw" usual:"cost-error, grid, transfer" placeholder:"KIND" help:"figures to write: cost-error one per study, the others per cascade and dataset. report.html has all"`
	Page    *bool             `json:"page,omitempty" toml:"page" usual:"true" range:"true or false" kong:"-" help:"write report.html, the page of the run"`
	Texts   *Size             `json:"texts,omitempty" toml:"texts" usual:"5MB" range:"0 to 500MB, in B, kB, MB or GB" kong:"-" help:"of prompts and answers in report.html, compressed; with more they are left out"`
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
