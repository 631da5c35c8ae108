package reports

import (
	"bytes"
	"encoding/csv"
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
	s.Style = &st
	return Tables(s)
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
		{"usual", style.Style{}, []string{"Dataset", "Policy", "Performance (accuracy / f1-macro)", "Cost Saved (%)",
			"Error (%)",
			"Budget B/N (%)", "Deferred (%)"}},
		{"paper", style.Style{Layout: style.Paper},
			[]string{"Dataset", "Policy", "Performance (accuracy / f1-macro)", "Cost Saved (%)"}},
		{"asked", style.Style{Layout: style.Paper,
			Columns: []style.Column{style.Deferred, style.Policy, style.Dataset, style.Records}},
			[]string{"Deferred (%)", "Policy", "Dataset", "Test records"}},
		{"without the dataset", style.Style{Columns: []style.Column{style.Policy, style.OwnSaved, style.Cascade}},
			[]string{"Dataset", "Policy", "Cost Saved, own cost (%)", "Cascade"}},
		{"one table", style.Style{OneTable: true, Columns: []style.Column{style.Policy, style.Error}},
			[]string{"Cascade", "Dataset", "Policy", "Error (%)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, heads(t, &styled(tt.st)[0])); d != "" {
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

// One table has the rows of all cascades of a family, each once, with the footnotes that they had.
func TestOneTable(t *testing.T) {
	count := func(tables []table.Table) map[string]int {
		rows := map[string]int{}
		for i := range tables {
			if tables[i].Kind != "classification" && tables[i].Kind != "generation" {
				continue
			}
			var b bytes.Buffer
			if err := tables[i].CSV(&b); err != nil {
				t.Fatal(err)
			}
			all, err := csv.NewReader(&b).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			notes, cascade, dataset := slices.Index(all[0], "notes"), slices.Index(all[0], "cascade"), slices.Index(all[0],
				"dataset")
			for _, r := range all[1:] {
				rows[r[cascade]+"\n"+r[dataset]+"\n"+r[slices.Index(all[0], "policy_id")]+"\n"+r[notes]]++
			}
		}
		return rows
	}
	s := study()
	second := s.Cascades[0] // the same families under another name
	second.Name = "second"
	s.Cascades = append(s.Cascades, second)
	several := Tables(s)
	s.Style = &style.Style{OneTable: true}
	one := Tables(s)
	if d := cmp.Diff(count(several), count(one)); d != "" {
		t.Errorf("rows (-several +one)\n%s", d)
	}
	if len(one) != len(several)-2 { // classification and generation, of two cascades
		t.Errorf("%d tables, want %d", len(one), len(several)-2)
	}
	if got := one[0].File; got != "classification" {
		t.Errorf("the table's file is %q", got)
	}
}

// A caption has the names that it asks for, and no text of the spec becomes LaTeX.
func TestCaption(t *testing.T) {
	tables := styled(style.Style{Caption: "{{{models}}} on {datasets} & more: {level}, {metrics}, {task}, {target}, " +
		"{setting}."})
	var b bytes.Buffer
	if err := tables[0].LaTeX(&b); err != nil {
		t.Fatal(err)
	}
	want := `\caption{\{tiny-student (student) and tiny-master (master)\} on reviews, tickets \& more: 95 \%, accuracy / f1-macro, ` +
		`classification, best, non-oracle.}`
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
			s.Style = &style.Style{Caption: "On " + placeholder + "."}
			c := &s.Cascades[0]
			d := c.Datasets[0]
			c.Datasets = nil
			for i := range tt.datasets {
				d.Name = fmt.Sprintf("set-%d", i+1)
				c.Datasets = append(c.Datasets, d)
			}
			var b bytes.Buffer
			if err := Tables(s)[0].LaTeX(&b); err != nil {
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
	s.Style = &style.Style{OneTable: true, Caption: "{cascade}, {student} to {master}, {models}."}
	var b bytes.Buffer
	if err := Tables(s)[0].LaTeX(&b); err != nil {
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
			var notes bytes.Buffer
			tab.MarkdownNotes(&notes)
			for _, n := range tab.Notes {
				if !strings.Contains(notes.String(), table.Markdown(n.Text)) {
					t.Errorf("notes.md lacks %q of %s", n.Text, tab.File)
				}
			}
		}
	}
}
