package published

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/result"
)

// Read reads the data files of experiments/paper. They come with infnet: that they fit each other is tested, and a cell
// that cannot be read is an error with its file and line.
func Read(fsys fs.FS) (*Book, error) {
	f := &files{fsys: fsys}
	b := &Book{Protocol: map[string]string{}}
	for _, r := range f.rows("protocol.csv") {
		b.Protocol[r.text("fact")] = r.text("value")
	}
	for _, r := range f.rows("statements.csv") {
		b.Statements = append(b.Statements, Statement{Quantity: r.text("quantity"), Table: r.text("table"),
			Dataset: r.text("dataset"), Value: r.text("value")})
	}
	for _, r := range f.rows("models.csv") {
		b.Models = append(b.Models, Model{r.text("model"), r.text("id")})
	}
	for _, r := range f.rows("datasets.csv") {
		b.Datasets = append(b.Datasets, Dataset{Name: r.text("dataset"), Source: r.text("source"), Task: r.text("task"),
			Metrics: []string{r.text("score1"), r.text("score2")}, Direction: r.text("direction"), Limit: r.whole("limit"),
			Fit: r.number("fit").Value, Order: r.text("order"), MaxTokens: r.whole("max_tokens")})
	}
	for _, r := range f.rows("results.csv") {
		g := b.group(r.text("table"), r)
		g.Rows = append(g.Rows, result.PublishedRow{Policy: r.text("policy"), Saved: r.number("saved_pct"),
			Scores: []result.Compare{r.number("score1"), r.number("score2")}})
	}
	for _, r := range f.rows("sufficiency.csv") {
		g := b.group(Sufficiency, r)
		g.Tests = append(g.Tests, result.PublishedTest{Extra: r.text("extra"), Null: r.number("mse_null"),
			Full: r.number("mse_full"), Delta: r.number("delta_mse"), P: r.number("p")})
	}
	if f.err != nil {
		return nil, fmt.Errorf("published numbers: %w", f.err)
	}
	return b, nil
}

// group returns the group of a table that a line belongs to.
func (b *Book) group(label string, r line) *result.PublishedGroup {
	at := slices.IndexFunc(b.Tables, func(t result.Published) bool { return t.Table == label })
	if at < 0 {
		b.Tables, at = append(b.Tables, result.Published{Table: label}), len(b.Tables)
	}
	t := &b.Tables[at]
	g := result.PublishedGroup{Dataset: r.text("dataset"), Student: r.text("student"), Master: r.text("master")}
	at = slices.IndexFunc(t.Groups, func(x result.PublishedGroup) bool {
		return x.Dataset == g.Dataset && x.Student == g.Student && x.Master == g.Master
	})
	if at < 0 {
		if d := b.Dataset(g.Dataset); d != nil {
			g.Metrics = d.Metrics
		}
		t.Groups, at = append(t.Groups, g), len(t.Groups)
	}
	return &t.Groups[at]
}

// files reads the files of a folder, and keeps the first mistake.
type files struct {
	fsys fs.FS
	err  error
}

// line is a line of a file: its cells by column.
type line struct {
	cells map[string]string
	where string
	files *files
}

func (f *files) rows(name string) (out []line) {
	text, err := fs.ReadFile(f.fsys, name)
	f.keep(err)
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		f.keep(fmt.Errorf("%s: %w", name, err))
	}
	for i := 1; i < len(records); i++ {
		cells := map[string]string{}
		for k, column := range records[0] {
			cells[column] = records[i][k]
		}
		out = append(out, line{cells, fmt.Sprintf("%s, line %d", name, i+1), f})
	}
	return out
}

func (f *files) keep(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (l line) text(column string) string {
	cell, ok := l.cells[column]
	if !ok {
		l.files.keep(fmt.Errorf("%s: there is no column %s", l.where, column))
	}
	return cell
}

func (l line) number(column string) result.Compare {
	n, err := Parse(l.text(column))
	if err != nil {
		l.files.keep(fmt.Errorf("%s, column %s: %w", l.where, column, err))
	}
	return n
}

func (l line) whole(column string) int {
	n := l.number(column)
	if n.Value != math.Trunc(n.Value) {
		l.files.keep(fmt.Errorf("%s, column %s: %q is no whole number", l.where, column, n.Printed))
	}
	return int(n.Value)
}

// Parse reads a plain decimal as a printed number without ours. Rounding may have moved it by half a unit of its last
// digit, as 0.01 is that of "0.84", and 1 that of "97".
func Parse(text string) (result.Compare, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "-.0123456789") != "" {
		return result.Compare{}, fmt.Errorf("%q is no decimal", text)
	}
	_, decimals, _ := strings.Cut(text, ".")
	if len(decimals) > 15 {
		return result.Compare{}, fmt.Errorf("%q has more than 15 decimals", text)
	}
	return result.Compare{Printed: text, Value: v, Slack: math.Pow10(-len(decimals)) / 2, Difference: unknown}, nil
}

// unknown is the difference where there is nothing to compare with.
var unknown = result.Float(math.NaN())
