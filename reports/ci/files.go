package ci

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"infnet/harness/compare"
	"infnet/harness/nights"
)

// Files of a report folder.
const (
	JUnitFile   = "junit.xml"
	SummaryFile = "summary.md"
	JSONFile    = "comparison.json"
	TrendFile   = "trend" // .svg, .pdf and .png
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
			for i, draw := range []func() ([]byte, error){f.SVG, f.PDF, f.PNG} {
				drawn, err := draw()
				if err != nil {
					return nil, fmt.Errorf("the trend: %w", err)
				}
				names, all = append(names, TrendFile+[]string{".svg", ".pdf", ".png"}[i]), append(all, drawn)
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
