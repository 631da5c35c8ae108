package reports

import (
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

// heads are the heads of the columns that readers see.
func heads(tab *table.Table) (out []string) {
	for _, i := range tab.Visible() {
		out = append(out, strings.TrimSuffix(tab.Columns[i].Head.HTML(), " (%)"))
	}
	return out
}

// The paper's layout has the paper's columns.
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
	if d := cmp.Diff(want, read(style.Style{Layout: style.Paper})); d != "" {
		t.Errorf("CSV files differ (-want +got)\n%s", d)
	}
}
