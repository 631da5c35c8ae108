package reports

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/result"
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

// heads are the heads of the columns that readers see.
func heads(tab *table.Table) (out []string) {
	for _, i := range tab.Visible() {
		out = append(out, strings.TrimSuffix(tab.Columns[i].Head.HTML(), " (%)"))
	}
	return out
}

// A table shows the columns that are asked for, in their order, and says which rows are of which dataset.
func TestColumns(t *testing.T) {
	for _, tt := range []struct {
		name string
		st   style.Style
		want []string
	}{
		{"usual", style.Style{}, []string{"Models", "Dataset", "Metrics", "Policy", "Performance", "Cost Saved",
			"Error", "Budget B/N", "Deferred"}},
		{"paper", style.Style{Layout: style.Paper},
			[]string{"Models", "Dataset", "Policy", "Performance", "Cost Saved"}},
		{"asked", style.Style{Layout: style.Paper,
			Columns: []style.Column{style.Deferred, style.Policy, style.Dataset, style.Records}},
			[]string{"Models", "Deferred", "Policy", "Dataset", "Test records"}},
		{"without the dataset", style.Style{Columns: []style.Column{style.Policy, style.OwnSaved, style.Cascade}},
			[]string{"Dataset", "Policy", "Cost Saved, own cost", "Models"}},
		{"several cascades", style.Style{Columns: []style.Column{style.Policy, style.Error}},
			[]string{"Models", "Dataset", "Policy", "Error"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, heads(tableNamed(t, styled(tt.st), "policies"))); d != "" {
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

// A caption has the names that it asks for; of many it counts them.
func TestCaption(t *testing.T) {
	many := func(datasets, cascades int) *result.Results {
		s := concluded()
		one := s.Cascades[0]
		d := one.Datasets[0]
		s.Cascades, one.Datasets = nil, nil
		for i := range datasets {
			d.Name = fmt.Sprintf("set-%d", i+1)
			one.Datasets = append(one.Datasets, d)
		}
		for i := range cascades {
			one.Name, one.Models = fmt.Sprintf("c%d", i), []string{fmt.Sprintf("s%d", i), "m"}
			s.Cascades = append(s.Cascades, one)
		}
		return s
	}
	for _, c := range []struct {
		s             *result.Results
		caption, want string
	}{
		{many(1, 1), "{{{models}}} & more: {level}, {metrics}, {task}, {target}, {setting}.",
			`\{s0 (student) and m (master)\} \& more: 95 \%, accuracy / f1-macro, classification, best, non-oracle.`},
		{many(8, 1), "{datasets}", "set-1, set-2, set-3, set-4, set-5, set-6, set-7, set-8"},
		{many(9, 1), "On {dataset}.", "On 9 datasets."},
		{many(1, 9), "{cascade}, {student} to {master}, {models}.", "9 cascades, 9 models to m, the models of 9 cascades."},
	} {
		c.s.Style = style.Style{Caption: c.caption}
		var b bytes.Buffer
		if err := tableNamed(t, Tables(c.s), "policies").LaTeX(&b); err != nil {
			t.Fatal(err)
		}
		text := strings.NewReplacer(`\textsc{`, "", "\n", " ").Replace(b.String())
		if got := strings.ReplaceAll(text, "}", ""); !strings.Contains(got, "\\caption{"+
			strings.ReplaceAll(c.want, "}", "")) {
			t.Errorf("no %s in\n%.600s", c.want, text)
		}
	}
}

// A short table has at most five lines below it, whatever there is to say; the notes have it all.
func TestShortTables(t *testing.T) {
	long := styled(style.Style{Footnotes: style.AllNotes})
	for notes, most := range map[style.Footnotes]int{"": 5, style.NoNotes: 0} {
		for i, tab := range styled(style.Style{Footnotes: notes}) {
			lines := len(tab.Short.Notes)
			if len(tab.Short.Remark) > 0 {
				lines++
			}
			if lines > most || len(tab.Notes) != len(long[i].Notes) || len(tab.Remarks) != len(long[i].Remarks) {
				t.Errorf("%q, %s: %d lines below the table, want at most %d; %d notes and %d remarks, want %d and %d", notes,
					tab.File, lines, most, len(tab.Notes), len(tab.Remarks), len(long[i].Notes), len(long[i].Remarks))
			}
		}
	}
}
