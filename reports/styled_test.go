package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/result/style"
	"infnet/reports/table"
)

// styled are the tables of the hand-made study in a style.
func styled(st style.Style) []table.Table {
	s := study()
	s.Style = st
	return Tables(s)
}

// tableNamed is the table with a file's name.
func tableNamed(t *testing.T, tables []table.Table, file string) *table.Table {
	t.Helper()
	i := slices.IndexFunc(tables, func(x table.Table) bool { return x.File == file })
	if i < 0 {
		t.Fatalf("no table has the file %q", file)
	}
	return &tables[i]
}

// heads are the heads of the columns of a table's Markdown.
func heads(t *testing.T, tab *table.Table) []string {
	t.Helper()
	var b bytes.Buffer
	if err := tab.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(line, "|") {
			var out []string
			for _, cell := range strings.Split(strings.Trim(line, "|"), "|") {
				out = append(out, strings.TrimSpace(cell))
			}
			return out
		}
	}
	t.Fatalf("no head in\n%s", b.String())
	return nil
}

// A table shows the columns that are asked for, in their order, and says which rows are of which dataset.
func TestColumns(t *testing.T) {
	for _, tt := range []struct {
		name string
		st   style.Style
		want []string
	}{
		{"usual", style.Style{}, []string{"Models", "Dataset", "Metrics", "Policy", "Performance", "Cost Saved (%)",
			"Error (%)", "Budget B/N (%)", "Deferred (%)"}},
		{"paper", style.Style{Layout: style.Paper},
			[]string{"Models", "Dataset", "Policy", "Performance", "Cost Saved (%)"}},
		{"asked", style.Style{Layout: style.Paper,
			Columns: []style.Column{style.Deferred, style.Policy, style.Dataset, style.Records}},
			[]string{"Models", "Deferred (%)", "Policy", "Dataset", "Test records"}},
		{"without the dataset", style.Style{Columns: []style.Column{style.Policy, style.OwnSaved, style.Cascade}},
			[]string{"Dataset", "Policy", "Cost Saved, own cost (%)", "Models"}},
		{"several cascades", style.Style{Columns: []style.Column{style.Policy, style.Error}},
			[]string{"Models", "Dataset", "Policy", "Error (%)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, heads(t, tableNamed(t, styled(tt.st), "policies"))); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// Files for machines are the same in every style, but for one table in place of several.
func TestStylesKeepTheData(t *testing.T) {
	three := 3
	read := func(st style.Style) string {
		var b strings.Builder
		for _, tab := range styled(st) {
			if err := tab.CSV(&b); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	want := read(style.Style{})
	for _, st := range []style.Style{{Layout: style.Paper, Digits: &three, Caption: "x"}, {Intervals: style.NoIntervals},
		{Intervals: style.PlusMinus, Columns: []style.Column{style.Policy}}, {Footnotes: style.AllNotes}} {
		if d := cmp.Diff(want, read(st)); d != "" {
			t.Errorf("%+v: CSV files differ (-want +got)\n%s", st, d)
		}
	}
}

// A caption has the names that it asks for, and no text of the spec becomes LaTeX.
func TestCaption(t *testing.T) {
	s := study()
	s.Cascades = s.Cascades[:1]
	s.Style = style.Style{Caption: "{{{models}}} on {datasets} & more: {level}, {metrics}, {task}, {target}, " +
		"{setting}."}
	var b bytes.Buffer
	if err := tableNamed(t, Tables(s), "policies").LaTeX(&b); err != nil {
		t.Fatal(err)
	}
	want := `\caption{\{tiny-student (student) and tiny-master (master)\} on reviews, tickets, phrasebook \& more: 95 \%, ` +
		`accuracy / f1-macro / rouge-l / cosine, classification, generation, best, non-oracle.}`
	if !strings.Contains(b.String(), want) {
		t.Errorf("no %s in\n%s", want, b.String())
	}
}

// A caption names few datasets and counts many.
func TestCaptionOfManyDatasets(t *testing.T) {
	for _, tt := range []struct {
		name     string
		datasets int
		want     string
	}{
		{"one", 1, "On set-1."},
		{"the most that are named", 8, "On set-1, set-2, set-3, set-4, set-5, set-6, set-7, set-8."},
		{"one more", 9, "On 9 datasets."},
		{"many", 40, "On 40 datasets."},
	} {
		for _, placeholder := range []string{"{datasets}", "{dataset}"} {
			s := concluded()
			s.Style = style.Style{Caption: "On " + placeholder + "."}
			c := &s.Cascades[0]
			d := c.Datasets[0]
			c.Datasets = nil
			for i := range tt.datasets {
				d.Name = fmt.Sprintf("set-%d", i+1)
				c.Datasets = append(c.Datasets, d)
			}
			var b bytes.Buffer
			if err := tableNamed(t, Tables(s), "policies").LaTeX(&b); err != nil {
				t.Fatal(err)
			}
			text := strings.NewReplacer(`\textsc{`, "", "}", "", "\n", " ").Replace(b.String())
			if !strings.Contains(text, tt.want) {
				t.Errorf("%s, %s: no %q in\n%.600s", tt.name, placeholder, tt.want, b.String())
			}
		}
	}
}

// In one table of many cascades, a caption counts these and their models.
func TestCaptionOfManyCascades(t *testing.T) {
	s := concluded()
	one := s.Cascades[0]
	s.Cascades = nil
	for i := range 9 {
		one.Name = fmt.Sprintf("c%d", i)
		one.Models = []string{fmt.Sprintf("s%d", i), "tiny-master"}
		s.Cascades = append(s.Cascades, one)
	}
	s.Style = style.Style{Caption: "{cascade}, {student} to {master}, {models}."}
	var b bytes.Buffer
	if err := tableNamed(t, Tables(s), "policies").LaTeX(&b); err != nil {
		t.Fatal(err)
	}
	want := "\\caption{9 cascades, 9 models to tiny-master, the models of 9 cascades.}"
	if !strings.Contains(b.String(), want) {
		t.Errorf("no %s in\n%.600s", want, b.String())
	}
}

// A short table has at most five lines below it, whatever there is to say; the notes have it all.
func TestShortTables(t *testing.T) {
	long := styled(style.Style{Footnotes: style.AllNotes})
	for _, tt := range []struct {
		name  string
		notes style.Footnotes
		most  int
	}{{"usual", "", 5}, {"short", style.ShortNotes, 5}, {"none", style.NoNotes, 0}} {
		for i, tab := range styled(style.Style{Footnotes: tt.notes}) {
			var b bytes.Buffer
			if err := tab.LaTeX(&b); err != nil {
				t.Fatal(err)
			}
			lines := 0
			if len(tab.Short.Remark) > 0 {
				lines++
			}
			lines += len(tab.Short.Notes)
			if lines > tt.most {
				t.Errorf("%s, %s: %d lines below the table, want at most %d", tt.name, tab.File, lines, tt.most)
			}
			if tt.most == 0 && strings.Contains(b.String(), "minipage") {
				t.Errorf("%s has something below it:\n%s", tab.File, b.String())
			}
			if len(tab.Notes) != len(long[i].Notes) || len(tab.Remarks) != len(long[i].Remarks) {
				t.Errorf("%s: %d notes and %d remarks, want %d and %d", tab.File, len(tab.Notes), len(tab.Remarks),
					len(long[i].Notes), len(long[i].Remarks))
			}
		}
	}
}
