package files

import (
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/harness/dataset"
)

// sameAsPeek checks that a table says of a file what Peek says, cell by cell, or fails with the same words.
func sameAsPeek(t *testing.T, path string) {
	t.Helper()
	columns, rows, errWant := Peek(path, 0)
	table, err := OpenTable(path)
	if fmt.Sprint(err) != fmt.Sprint(errWant) {
		text, _ := os.ReadFile(path)
		t.Fatalf("%.200q:\n  table: %v\n  rows:  %v", text, err, errWant)
	}
	if err != nil {
		return
	}
	fail := func(format string, args ...any) {
		t.Helper()
		text, _ := os.ReadFile(path)
		t.Fatalf("%.300q: %s", text, fmt.Sprintf(format, args...))
	}
	if table.Rows != len(rows) {
		fail("%d rows, want %d", table.Rows, len(rows))
	}
	lean := func(columns []dataset.Column) (out []dataset.Column) {
		for _, c := range columns {
			out = append(out, dataset.Column{Path: c.Path, List: c.List})
		}
		return out
	}
	if got, want := fmt.Sprint(lean(table.Columns())), fmt.Sprint(lean(columns)); got != want {
		fail("columns %s, want %s", got, want)
	}
	for k, c := range columns {
		if got := table.Columns()[k].Distinct; min(got, 200) != min(c.Distinct, 200) && table.Nested(0, c.Path) == nil {
			fail("column %q: %d different, want %d", c.Path, got, c.Distinct)
		}
	}
	for i, row := range rows {
		var names []string
		for name, v := range row {
			names = append(names, name)
			text, written := table.Cells(name).Text(i)
			switch v.(type) {
			case nil:
				if !table.Null(i, name) {
					fail("row %d, %q: not null", i, name)
				}
			case []any, map[string]any:
				if fmt.Sprint(table.Nested(i, name)) != fmt.Sprint(v) {
					fail("row %d, %q: %v, want %v", i, name, table.Nested(i, name), v)
				}
			default:
				if !written || text != fmt.Sprint(v) {
					fail("row %d, %q: %q, want %q", i, name, text, fmt.Sprint(v))
				}
			}
		}
		slices.Sort(names)
		if got := table.Names(i); !slices.Equal(got, names) {
			fail("row %d has %q, want %q", i, got, names)
		}
	}
}

// Of files of all kinds of mistakes, quotes and line ends, tables hold what the readers of rows hold, and fail with
// their words.
func TestTablesAreRows(t *testing.T) {
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
			sameAsPeek(t, file)
		}
	}
}

// Objects come with keys in any order, missing, null, nested, escaped, twice and broken.
func TestTablesOfObjectsAreRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	values := []string{"1", "0", "1.50", "-2e5", "true", "false", "null", `"a"`, `"a b"`, `""`, `"é"`, `"\n"`, `"\u00e9"`,
		`"\ud83d\ude00"`, `{"p":1}`, `{"p":{"q":"x"},"r":null}`, `[1,2]`, `[]`, `["x",null]`, `[{"p":1},{"p":2}]`, `{}`}
	odd := []string{"01", "+1", ".5", "tru", `"\x"`, `"\ud83d"`, "\"\t\"", "", "nan", "1.", `"a`, "\"\xff\""}
	file := filepath.Join(t.TempDir(), "log.jsonl")
	for range 500 {
		var b strings.Builder
		for range rng.IntN(7) {
			keys := []string{"id", "x", "y", "x.p", "z"}
			rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			var members []string
			for _, key := range keys[:rng.IntN(len(keys)+1)] {
				v := values[rng.IntN(len(values))]
				if rng.IntN(60) == 0 {
					v = odd[rng.IntN(len(odd))]
				}
				members = append(members, []string{" ", ""}[rng.IntN(2)]+fmt.Sprintf("%q:%s", key, v))
			}
			if rng.IntN(60) == 0 && len(members) > 0 {
				members = append(members, members[0])
			}
			b.WriteString("{" + strings.Join(members, ", ") + "}")
			b.WriteString([]string{"\n", "\n", "\n", "\r\n", "\n\n", " \n", " x\n"}[rng.IntN(7)%(6+rng.IntN(2))])
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		sameAsPeek(t, file)
	}
}

// Columns of more different texts than are held once, with gaps, over several blocks; also compressed.
func TestLongTables(t *testing.T) {
	var csv, jsonl strings.Builder
	csv.WriteString("id,kind,long\n")
	for i := range 3*fewWords + 17 {
		fmt.Fprintf(&csv, "q%d,%d,\"%s\n%d\"\n", i, i%3, strings.Repeat("x", i%40), i)
		switch {
		case i%7 == 3:
			fmt.Fprintf(&jsonl, "{\"kind\":%d}\n", i%3)
		case i%7 == 5:
			fmt.Fprintf(&jsonl, "{\"id\":null,\"kind\":[%d]}\n", i)
		case i > fewWords && i%7 == 1:
			fmt.Fprintf(&jsonl, "{\"late\":\"l%d\",\"id\":\"q%d\"}\n", i, i)
		default:
			fmt.Fprintf(&jsonl, "{\"id\":\"q%d\",\"kind\":%d}\n", i, i%3)
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": csv.String(), "a.jsonl": jsonl.String(),
		"cut.csv": csv.String()[:csv.Len()-20] + "\"\n", "long.csv": "a\n\"" + strings.Repeat("x\n", 5_300_000)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sameAsPeek(t, path)
		f, err := os.Create(path + ".gz")
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(f)
		fmt.Fprint(z, text)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		sameAsPeek(t, path+".gz")
		if err := os.Truncate(path+".gz", 30_000); err == nil && name[0] == 'a' {
			sameAsPeek(t, path+".gz")
		}
	}
}
