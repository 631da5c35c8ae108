package importer_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"infnet/harness/importer"
)

// cell is an answer in a Parquet file.
type cell struct {
	ID         string   `parquet:"id"`
	Question   string   `parquet:"question"`
	Text       string   `parquet:"text"`
	Correct    float64  `parquet:"correct"`
	Confidence float64  `parquet:"confidence"`
	Cost       *float64 `parquet:"cost,optional"`
	Currency   string   `parquet:"currency"`
}

// cells are 20 answers; edit changes one.
func cells(edit func(i int, c *cell)) []cell {
	var out []cell
	for i := range 20 {
		c := cell{ID: fmt.Sprint("q", i), Question: fmt.Sprint("What is ", i), Text: "x", Correct: min(1, float64(i%3)),
			Confidence: float64(i) / 20, Currency: "USD"}
		price := 0.25
		c.Cost = &price
		if edit != nil {
			edit(i, &c)
		}
		out = append(out, c)
	}
	return out
}

// What is odd in a Parquet file is said with the file and the row, as an error or a remark.
func TestImportOfOddParquet(t *testing.T) {
	third := func(change func(*cell)) func(int, *cell) {
		return func(i int, c *cell) {
			if i == 3 {
				change(c)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		rows   []cell
		again  []cell // a second file of the same model
		want   []string
		remark bool // else an error
	}{
		{name: "a grade outside [0,1]", rows: cells(third(func(c *cell) { c.Correct = 2 })),
			want: []string{"a.parquet: row 4", "outside [0,1]"}},
		{name: "a grade that is NaN", rows: cells(third(func(c *cell) { c.Correct = math.NaN() })),
			want: []string{"a.parquet: row 4", "NaN is no grade"}},
		{name: "a confidence that is NaN", rows: cells(third(func(c *cell) { c.Confidence = math.NaN() })),
			want: []string{"a.parquet: row 4", "NaN is no number"}},
		{name: "an infinite confidence", rows: cells(third(func(c *cell) { c.Confidence = math.Inf(1) })),
			want: []string{"a.parquet: row 4", "no confidence in [0,1]"}},
		{name: "two currencies", rows: cells(third(func(c *cell) { c.Currency = "EUR" })),
			want: []string{"a.parquet: row 1", "a.parquet: row 4", "EUR"}},
		{name: "no rows", rows: []cell{}, want: []string{"a.parquet", "no row"}},
		{name: "two files that disagree", rows: cells(nil), again: cells(third(func(c *cell) { c.Text = "y" })),
			want: []string{`id "q0"`, "a2.parquet: row 1"}},
		{name: "a constant confidence", rows: cells(func(_ int, c *cell) { c.Confidence = 0.5 }), remark: true,
			want: []string{"every confidence is 0.5, from ", "a.parquet: row 1"}},
		{name: "an id in one file alone", rows: cells(third(func(c *cell) { c.ID = "z" })), remark: true,
			want: []string{"a.parquet: row 4, without an answer of b"}},
		{name: "one cost is missing", rows: cells(third(func(c *cell) { c.Cost = nil })), remark: true,
			want: []string{"cost in 19 of 20 answers, the first without at ", "a.parquet: row 4",
				"all answers are charged alike (cost = fixed)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			files := []string{filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet")}
			o := importer.Options{Files: files}
			rows := [][]cell{tt.rows, cells(nil)}
			if tt.again != nil {
				sub := filepath.Join(dir, "a2.parquet")
				o.Files = append(o.Files, sub)
				rows = append(rows, tt.again)
			}
			for k, path := range o.Files {
				if err := parquet.WriteFile(path, rows[k]); err != nil {
					t.Fatal(err)
				}
			}
			if tt.again != nil { // both in files of one model
				o.Files = joined(t, dir, rows)
			}
			found, _, err := imported(t, o)
			got := fmt.Sprint(err)
			if tt.remark {
				if err != nil {
					t.Fatal(err)
				}
				got = strings.Join(found.Remarks, "\n")
			}
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%s\nwant %q", got, want)
				}
			}
		})
	}
}

// joined writes answers with a column of the model: the first and the last file are of one.
func joined(t *testing.T, dir string, rows [][]cell) (files []string) {
	t.Helper()
	type of struct {
		cell
		Model string `parquet:"model"`
	}
	for k, name := range []string{"a", "b", "a2"} {
		var list []of
		for _, c := range rows[k] {
			list = append(list, of{c, name[:1]})
		}
		path := filepath.Join(dir, name+".parquet")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := parquet.WriteFile(path, list); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	return files
}
