// Package ci says what a night came to where a continuous integration reads it: JUnit XML, a Markdown summary,
// annotations of GitHub Actions, JSON, and the figure of the trend.
//
// It owns these forms. It refuses to compare, to decide what is worse, to word what was found and to choose exit codes:
// the numbers and the lines are those of package compare, and the place among the nights is that of package nights. Its
// opinion: the first line has the verdict, names of studies and records are never markup or commands, and a file for a
// machine says the same as the page for a person.
package ci

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"infnet/harness/compare"
	"infnet/harness/nights"
	"infnet/harness/result/style"
)

// Night is a comparison and its place in the history.
type Night struct {
	Comparison *compare.Comparison
	Date       string          // 2006-01-02
	History    *nights.History // with tonight; nil = none is kept
	Look       nights.Look     // of tonight; the zero value where no history is kept
}

// probability prints a probability to two digits, and a very small one as a power.
func probability(p float64) string {
	if p > 0 && p < 0.001 {
		return strconv.FormatFloat(p, 'e', 1, 64)
	}
	return strconv.FormatFloat(p, 'g', 2, 64)
}

// Place says where tonight is in the history; "" where none is kept.
func (n *Night) Place() string {
	h := n.History
	if h == nil || len(h.Nights) == 0 {
		return ""
	}
	last := n.line()
	var text string
	switch {
	case last.Verdict == nights.Incomplete:
		text = fmt.Sprintf("Night %d of the history: incomplete, so it is no look.", last.Number)
	case last.Look == 0:
		same := "every record is as in the accepted run"
		if len(n.Comparison.Gone) > 0 {
			same = "what both runs have is the same"
		}
		text = fmt.Sprintf("Night %d of the history: %s, so there was nothing to test.", last.Number, same)
	default:
		text = fmt.Sprintf("Night %d of the history, look %d at these records, tested at %s. The probability of ever "+
			"alarming "+
			"while no night's answers are worse is at most %s.", last.Number, last.Look, probability(last.Level),
			probability(last.Alpha))
	}
	if first := n.since(); first != "" && first != last.Date {
		text += " The alarm has lasted since " + first + "."
	}
	return text
}

// line is tonight's line of the history: the last one, unless the same run was there already.
func (n *Night) line() *nights.Night {
	if n.Look.Again != nil {
		return n.Look.Again
	}
	return &n.History.Nights[len(n.History.Nights)-1]
}

// since is the day on which the present alarm began; "" without one.
func (n *Night) since() (day string) {
	for _, night := range n.History.Nights {
		switch {
		case night.Alarm && day == "":
			day = night.Date
		case !night.Alarm && night.Verdict != nights.Incomplete:
			day = ""
		}
	}
	return day
}

// Files of a report folder.
const (
	JUnitFile   = "junit.xml"
	SummaryFile = "summary.md"
	JSONFile    = "comparison.json"
	TrendFile   = "trend" // .svg and .pdf
)

// Report is the JSON of a night, for every other program.
type Report struct {
	Version    int                 `json:"version"`
	Date       string              `json:"date"`
	Verdict    compare.Verdict     `json:"verdict"`
	Alarm      bool                `json:"alarm"` // something is worse
	Counts     map[string]int      `json:"counts"`
	Night      *nights.Night       `json:"night,omitempty"` // its line of the history
	Comparison *compare.Comparison `json:"comparison"`
}

// JSON returns the night as JSON.
func JSON(n *Night) ([]byte, error) {
	r := Report{Version: 1, Date: n.Date, Verdict: n.Comparison.Verdict, Alarm: n.Comparison.Verdict == compare.Worse,
		Counts:     map[string]int{},
		Comparison: n.Comparison}
	for _, v := range compare.Gravity {
		r.Counts[string(v)] = n.Comparison.Count(v)
	}
	if n.History != nil && len(n.History.Nights) > 0 {
		r.Night = n.line()
	}
	data, err := json.MarshalIndent(&r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the night as JSON: %w", err)
	}
	return append(data, '\n'), nil
}

// Write writes all files of a night to a folder, the trend only where a history is kept, and returns their paths.
func Write(dir string, n *Night, save func(path string, data []byte) error) (paths []string, err error) {
	var junit, summary bytes.Buffer
	report, err := JSON(n)
	if err := errors.Join(err, JUnit(&junit, n), Summary(&summary, n)); err != nil {
		return nil, err
	}
	names, all := []string{JUnitFile, SummaryFile, JSONFile}, [][]byte{junit.Bytes(), summary.Bytes(), report}
	if n.History != nil && len(n.History.Nights) > 0 {
		if f, ok := Trend(n.History, n.Comparison.PolicyTitle); ok {
			for _, format := range style.Formats() {
				drawn, err := f.Draw(format)
				if err != nil {
					return nil, fmt.Errorf("the trend: %w", err)
				}
				names, all = append(names, TrendFile+"."+string(format)), append(all, drawn)
			}
		}
	}
	for i, name := range names {
		path := filepath.Join(dir, name)
		if err := save(path, all[i]); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
