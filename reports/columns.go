package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// column is a column of a table whose rows show facts of type T: what it is called, how it looks, and the cell of a
// row. All formats are made from it, so that a further number is one further column.
type column[T any] struct {
	table.Column
	cell func(T) table.Cell
}

type look func(*table.Column)

// The looks.
var (
	csvOnly look = func(c *table.Column) { c.DataOnly = true }
	merge   look = func(c *table.Column) { c.Merge = true }
	exact   look = func(c *table.Column) { c.Exact = true }
	center  look = func(c *table.Column) { c.Align = table.Center }
	left    look = func(c *table.Column) { c.Align = table.Left }
)

// named gives a column the name that the paper's form and the page have for it.
func named(as string) look { return func(c *table.Column) { c.Name = as } }

// only hides a column from readers where shown is false.
func only(shown bool) look {
	return func(c *table.Column) { c.DataOnly = c.DataOnly || !shown }
}

// text is a column with a head, a string or a table.Text; with names in CSV files, one for each number of a cell and
// spaces between them; and with what a row has there, see cellOf.
func text[T, V any](head any, fields string, of func(T) V, looks ...look) column[T] {
	c := column[T]{table.Column{Head: cellOf(head).Text, Fields: strings.Fields(fields)},
		func(x T) table.Cell { return cellOf(of(x)) }}
	for _, l := range looks {
		l(&c.Column)
	}
	return c
}

func number[T, V any](head any, fields string, of func(T) V, looks ...look) column[T] {
	right := func(c *table.Column) { c.Align = table.Right }
	return text(head, fields, of, append([]look{right}, looks...)...)
}

// hidden is a column of texts, or of numbers without intervals, in CSV files alone.
func hidden[T, V any](field string, of func(T) V) column[T] {
	return number(field, field, of, csvOnly, exact)
}

// partly makes columns of a part that a row may lack. A row without it, or whose value is nil, has an empty cell with
// what stands for nothing.
func partly[T, R any](part func(T) *R, nothing any,
	looks ...look) func(head any, field string, value func(*R) any, more ...look) column[T] {
	return func(head any, field string, value func(*R) any, more ...look) column[T] {
		return number(head, field, func(x T) any {
			if r := part(x); r != nil {
				if v := value(r); v != nil {
					return v
				}
			}
			return nothing
		}, slices.Concat(looks, more)...)
	}
}

// cellOf is a cell with a value; nil = an empty one.
func cellOf(v any) table.Cell {
	switch v := v.(type) {
	case nil:
		return table.Cell{}
	case table.Cell:
		return v
	case table.Text:
		return table.Cell{Text: v}
	case table.Part:
		return table.Of(v)
	case table.Number:
		return table.Of(table.Num(v))
	case int:
		return table.Of(count(float64(v)))
	case float64:
		return table.Of(count(v))
	case bool:
		return table.Of(table.Plain(map[bool]string{true: "yes", false: "no"}[v]))
	}
	return table.Of(table.Plain(fmt.Sprint(v)))
}

// count is a number of records or errors: whole, or with two decimals where errors are soft.
func count(v float64) table.Part {
	if v == math.Trunc(v) {
		return table.Num(table.Exactly(v, 0))
	}
	return table.Num(table.Exactly(v, 2))
}

// The undefined number, and the undefined interval.
var (
	none      = table.Num(table.Exactly(math.NaN(), 2))
	undefined = infer.Interval{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
)

func interval(iv infer.Interval, decimals int) table.Part {
	return table.Num(table.Estimated(iv.Value, iv.Low, iv.High, decimals))
}

func percents(iv infer.Interval, decimals int) table.Part {
	return table.Num(table.Estimated(iv.Value, iv.Low, iv.High, decimals).AsPercent())
}

func exactly(v float64, decimals int) table.Part { return table.Num(table.Exactly(v, decimals)) }

func exactPercent(v float64, decimals int) table.Part {
	return table.Num(table.Exactly(v, decimals).AsPercent())
}

// threeDigits is an interval times a factor, with three significant digits.
func threeDigits(iv infer.Interval, times float64) table.Number {
	n := table.Estimated(times*iv.Value, times*iv.Low, times*iv.High, 0)
	n.Significant = 3
	return n
}

// significant shows a cost, which spans many orders of magnitude.
func significant(v float64) table.Number { return table.Number{Value: v, Significant: 4} }

// fill gives a table its columns and a row for each fact. Where shown is not nil, readers see those that it reports,
// and CSV files all.
func fill[T any](t *table.Table, columns []column[T], groups [][]T, shown func(T) bool) {
	t.Columns = nil
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	rows := func(show func(T) bool) (out [][]table.Row) {
		for _, facts := range groups {
			var group []table.Row
			for _, x := range facts {
				if show != nil && !show(x) {
					continue
				}
				row := make(table.Row, len(columns))
				for i, c := range columns {
					row[i] = c.cell(x)
				}
				group = append(group, row)
			}
			if len(group) > 0 {
				out = append(out, group)
			}
		}
		return out
	}
	t.Groups = rows(shown)
	if shown != nil {
		t.Data = rows(nil)
	}
}

type place struct {
	s *result.Results
	c *result.Cascade
	d *result.Dataset
}

type located interface{ at() place }

func (p place) at() place { return p }

type fact[R any] struct {
	place
	r *R
}

func places(s *result.Results) (out []place) {
	for i := range s.Cascades {
		c := &s.Cascades[i]
		for k := range c.Datasets {
			out = append(out, place{s, c, &c.Datasets[k]})
		}
	}
	return out
}

// gather lists the facts of a kind, in a group for each place that has any.
func gather[R any](s *result.Results, of func(place) []R) (list []place, groups [][]fact[R]) {
	for _, p := range places(s) {
		if facts := of(p); len(facts) > 0 {
			list, groups = append(list, p), append(groups, factsOf(p, facts))
		}
	}
	return list, groups
}

func factsOf[R any](p place, list []R) (out []fact[R]) {
	for i := range list {
		out = append(out, fact[R]{p, &list[i]})
	}
	return out
}

// distinct are the values of some places, each once, in their order.
func distinct[T comparable](list []place, of func(place) T) (out []T) {
	for _, p := range list {
		if v := of(p); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// whereColumns say of which cascade and dataset a row is. The models are shown where a study has several cascades.
func whereColumns[T located](t *table.Table, list []place) []column[T] {
	about := map[*result.Dataset][]int{} // the marks of footnotes
	for _, p := range list {
		about[p.d] = marksOf(t, datasetNotes(p.d))
	}
	return []column[T]{
		text("Study", "study", func(x T) string { return x.at().s.Name }, csvOnly),
		text("Cascade", "cascade", func(x T) string { return x.at().c.Name }, csvOnly),
		text("Models", "", func(x T) table.Text { return namesWith(" → ", x.at().c.Models) }, merge,
			only(len(cascadesOf(list)) > 1), named("models")),
		text("Dataset", "dataset", func(x T) table.Cell {
			return table.Cell{Text: table.Text{table.Name(x.at().d.Name)}, Marks: about[x.at().d]}
		}, merge),
	}
}

func namesWith(between string, names []string) (t table.Text) {
	for i, n := range names {
		if i > 0 {
			t = append(t, table.Plain(between))
		}
		t = append(t, table.Name(n))
	}
	return t
}

// marksOf adds footnotes to a table and returns their marks.
func marksOf(t *table.Table, notes []result.Note) []int {
	var c table.Cell
	markAll(t, &c, notes)
	return c.Marks
}

// markAll adds footnotes to a table, with marks in a cell.
func markAll(t *table.Table, c *table.Cell, notes []result.Note) {
	for _, n := range notes {
		c.Mark(t.Note(string(n.Kind), n.Text))
	}
}
