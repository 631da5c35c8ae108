package reports

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// rare is a study with a row whose estimate lies outside its own interval.
func rare(policy int, change func(r *result.Row)) *result.Results {
	s := concluded()
	change(&s.Cascades[0].Datasets[0].Rows[policy])
	return s
}

func lowMacro(r *result.Row) {
	// of 300 test records of 100 classes, whose resamples miss 5 classes on average
	r.Metrics["f1-macro"] = infer.Interval{Value: 0.92, Low: 0.76, High: 0.88, Level: 0.95, N: 300}
}

const (
	macroSaid = "The macro F1 lies above its own interval: resamples of the test part miss rare classes, and a class " +
		"that is missed counts as an F1 of 0."
	errorSaid = "Error (%) lies outside its own interval: the resamples"
)

// An estimate outside its own interval has a footnote in the tables and is a grave caveat of the
// headline; one inside it, or at its edge but for rounding, has none.
func TestEstimateOutsideItsInterval(t *testing.T) {
	const student, master, other, best, ours = 0, 1, 2, 3, 4 // rows of the study
	for _, tt := range []struct {
		name     string
		row      int
		change   func(r *result.Row)
		footnote string // "" = none
		headline bool
	}{
		{name: "inside", row: ours, change: func(*result.Row) {}},
		{name: "at the edge", row: ours, change: func(r *result.Row) {
			r.Error = infer.Interval{Value: 0.3, Low: math.Nextafter(0.3, 1), High: 0.4}
		}},
		{name: "no interval", row: ours, change: func(r *result.Row) { r.Metrics["f1-macro"] = infer.Interval{} }},
		{name: "macro F1 of ours", row: ours, change: lowMacro, footnote: macroSaid, headline: true},
		{name: "macro F1 of the student", row: student, change: lowMacro, footnote: macroSaid, headline: true},
		{name: "macro F1 of the master", row: master, change: lowMacro, footnote: macroSaid, headline: true},
		{name: "macro F1 of a baseline that the headline is not about", row: other, change: lowMacro, footnote: macroSaid},
		{name: "error", row: ours, footnote: errorSaid, headline: true, change: func(r *result.Row) {
			r.Error = infer.Interval{Value: 0.3, Low: 0.1, High: 0.2}
		}},
		{name: "macro F1 below its interval: not for rare classes", row: best, headline: true,
			footnote: "f1-macro lies outside its own interval", change: func(r *result.Row) {
				r.Metrics["f1-macro"] = infer.Interval{Value: 0.7, Low: 0.8, High: 0.9}
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := rare(tt.row, tt.change)
			policies := Tables(s)[0]
			var marked []int
			for i, row := range policies.Groups[0] {
				for _, n := range row[3].Marks {
					if policies.Notes[n].Kind == string(outsideInterval) {
						marked = append(marked, i)
						if !strings.HasPrefix(policies.Notes[n].Text, tt.footnote) {
							t.Errorf("footnote %q, want %q", policies.Notes[n].Text, tt.footnote)
						}
					}
				}
			}
			if tt.footnote == "" && len(marked) > 0 || tt.footnote != "" && (len(marked) != 1 || marked[0] != tt.row) {
				t.Errorf("footnotes on the rows %v, want row %d: %v", marked, tt.row, tt.footnote != "")
			}
			var found bool
			for _, c := range Headlines(s)[0].Caveats {
				if c.Kind == outsideInterval {
					found = true
					if c.Gravity != Invalid || !strings.HasPrefix(c.Text, tt.footnote) {
						t.Errorf("caveat of gravity %d: %s", c.Gravity, c.Text)
					}
				}
			}
			if found != tt.headline {
				t.Errorf("the headline has the caveat: %v, want %v", found, tt.headline)
			}
		})
	}
}

// The screen names the caveat among those that matter most, and every file of the tables has it.
func TestOutsideIntervalIsPrinted(t *testing.T) {
	s := rare(4, lowMacro)
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	var screen bytes.Buffer
	if err := Brief(&screen, s, Screen{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(words(screen.String()), "miss rare classes") {
		t.Errorf("the screen does not say it:\n%s", screen.String())
	}
	for _, notes := range []style.Footnotes{"", style.AllNotes} {
		s.Style = &style.Style{Footnotes: notes}
		files, err := render(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]bool{}
		for _, f := range files {
			text := words(string(f.data))
			said[f.name] = strings.Contains(text, "miss rare classes") || strings.Contains(text, "outside-interval")
		}
		for _, name := range []string{"tables.md", "classification.tex", "classification.csv"} {
			if !said[name] {
				t.Errorf("%s does not say it, footnotes %q; the files: %v", name, notes, said)
			}
		}
	}
}

// Columns that readers do not see need no footnote: theirs would have no number.
func TestOutsideIntervalOfHiddenColumns(t *testing.T) {
	s := rare(4, lowMacro)
	s.Style = &style.Style{Columns: []style.Column{style.Policy, style.Saved}}
	var policies table.Table = Tables(s)[0]
	for _, n := range policies.Notes {
		if n.Kind == string(outsideInterval) {
			t.Errorf("a footnote to a number that is not shown: %s", n.Text)
		}
	}
}

// The published table's scores are numbered: the caveat is about the metric that has the number.
func TestOutsideIntervalBesidePublished(t *testing.T) {
	s := &result.Results{Published: &result.Published{Groups: []result.PublishedGroup{
		{Metrics: []string{"accuracy", "f1-macro"}}}}}
	tab := table.Table{Kind: "published-performance",
		Columns: []table.Column{{Head: table.Words("Policy")},
			{Head: table.Words("Ours"), Fields: []string{"score1_ours", "score2_ours"}}},
		Groups: [][]table.Row{{{table.Of(table.Plain("Random")), table.Of(table.Num(table.Estimated(0.9, 0.8, 1, 2)),
			table.Plain(" / "), table.Num(table.Estimated(0.92, 0.76, 0.88, 2)))}}}}
	markOutside(s, &tab)
	if len(tab.Notes) != 1 || !strings.HasPrefix(tab.Notes[0].Text, macroSaid) || len(tab.Groups[0][0][0].Marks) != 1 {
		t.Errorf("footnotes %+v, marks %v", tab.Notes, tab.Groups[0][0][0].Marks)
	}
}
