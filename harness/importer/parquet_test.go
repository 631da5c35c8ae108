package importer_test

import (
	"fmt"
	"math"
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
	for _, tt := range []struct {
		name   string
		change func(*cell)
		want   []string
		remark bool // else an error
	}{
		{name: "a grade that is NaN", change: func(c *cell) { c.Correct = math.NaN() },
			want: []string{"a.parquet: row 4", "NaN is no grade"}},
		{name: "a confidence that is NaN", change: func(c *cell) { c.Confidence = math.NaN() },
			want: []string{"a.parquet: row 4", "NaN is no number"}},
		{name: "an infinite confidence", change: func(c *cell) { c.Confidence = math.Inf(1) },
			want: []string{"a.parquet: row 4", "no confidence in [0,1]"}},
		{name: "one cost is missing", change: func(c *cell) { c.Cost = nil }, remark: true,
			want: []string{"cost in 19 of 20 answers, the first without at ", "a.parquet: row 4",
				"all answers are charged alike (cost = fixed)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			files := []string{filepath.Join(dir, "a.parquet"), filepath.Join(dir, "b.parquet")}
			odd := cells(func(i int, c *cell) {
				if i == 3 {
					tt.change(c)
				}
			})
			for k, rows := range [][]cell{odd, cells(nil)} {
				if err := parquet.WriteFile(files[k], rows); err != nil {
					t.Fatal(err)
				}
			}
			found, _, err := imported(t, importer.Options{Files: files})
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
