package files

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infnet/harness/dataset"
)

// sameAsRows checks that a table holds of a file what the reader of rows gives, or fails with the same words.
func sameAsRows(t *testing.T, path string) {
	t.Helper()
	rows, want := rowsOf(path)
	if want == nil && len(rows) == 0 {
		want = fmt.Errorf("%w: %s has no row", dataset.ErrEmpty, path)
	}
	table, err := OpenTable(path, 0)
	text, _ := os.ReadFile(path)
	text = text[:min(len(text), 300)]
	if fmt.Sprint(err) != fmt.Sprint(want) {
		t.Fatalf("%q:\n  table: %v\n  rows:  %v", text, err, want)
	}
	if err != nil {
		return
	}
	if table.Rows != len(rows) {
		t.Fatalf("%q: %d rows, want %d", text, table.Rows, len(rows))
	}
	for i, row := range rows {
		have := map[string]any{}
		for _, name := range []string{"x", "y", "z", "id", "x.p", "kind", "late", "long", "a"} {
			if v, ok := table.Value(i, name); ok {
				have[name] = v
			}
		}
		if !reflect.DeepEqual(have, row) {
			t.Fatalf("%q, row %d: %v, want %v", text, i, have, row)
		}
	}
}

// Of files of all kinds of mistakes, quotes and line ends, tables hold what the readers of rows hold, and fail with
// their words.
func TestTablesOfCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := map[string][]string{
		"log.csv": {"a", "bb", ",", ",", ",", "\n", "\n", "\r\n", "\"", "\"", "\"\"", "\"x\"", "\"x,y\"", "\"x\ny\"",
			"\"x\r\ny\"", "é", "\r", ";", " ", "1", "0.5", "\xff", "\"q\"\"q\""},
		"log.tsv": {"a", "bb", "\t", "\t", "\n", "\n", "\r\n", "\"", "é", "\r", " ", "1", ",", "\xff"},
	}
	path := filepath.Join(t.TempDir(), "x")
	for name, pieces := range pieces {
		for round := range 500 {
			var b strings.Builder
			if round%5 == 0 {
				b.WriteString("\ufeff")
			}
			sep := ","
			if name == "log.tsv" {
				sep = "\t"
			}
			columns := 1 + rng.IntN(3)
			b.WriteString(strings.Join([]string{"x", "y", "z"}[:columns], sep) + []string{"\n", "\r\n"}[rng.IntN(2)])
			for range rng.IntN(6) { // rows that are mostly whole, with something odd in between
				for k := range columns {
					if k > 0 {
						b.WriteString(sep)
					}
					for range rng.IntN(2) + rng.IntN(2) {
						b.WriteString(pieces[rng.IntN(len(pieces))])
					}
				}
				b.WriteString([]string{"\n", "\n", "\r\n", ""}[rng.IntN(4)])
			}
			file := filepath.Join(filepath.Dir(path), name)
			if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			sameAsRows(t, file)
		}
	}
}
