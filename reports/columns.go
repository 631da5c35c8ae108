package reports

import (
	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// column is a column of a table whose rows show facts of type T: what it is called, how it looks, and the cell of a
// row. All formats are made from it, so that a further number is one further column.
type column[T any] struct {
	table.Column
	cell func(T) table.Cell
}

// look changes how a column looks.
type look func(*table.Column)

// The looks.
var (
	csvOnly look = func(c *table.Column) { c.DataOnly = true }
	merge   look = func(c *table.Column) { c.Merge = true }
	exact   look = func(c *table.Column) { c.Exact = true }
	center  look = func(c *table.Column) { c.Align = table.Center }

	alignRight look = func(c *table.Column) { c.Align = table.Right }
)

// named gives a column the name that [report] columns and the page have for it.
func named(as style.Column) look { return func(c *table.Column) { c.Name = string(as) } }

// only hides a column from readers where shown is false.
func only(shown bool) look {
	return func(c *table.Column) { c.DataOnly = c.DataOnly || !shown }
}

// cells is a column of cells, with names for the numbers in them.
func cells[T any](head table.Text, fields []string, of func(T) table.Cell, looks ...look) column[T] {
	c := column[T]{table.Column{Head: head, Fields: fields}, of}
	for _, l := range looks {
		l(&c.Column)
	}
	return c
}

// text is a column of text.
func text[T any](head, field string, of func(T) string, looks ...look) column[T] {
	return cells(table.Words(head), []string{field}, func(x T) table.Cell {
		return table.Of(table.Plain(of(x)))
	}, looks...)
}

// number is a column of numbers.
func number[T any](head, field string, of func(T) table.Part, looks ...look) column[T] {
	return cells(table.Words(head), []string{field}, func(x T) table.Cell { return table.Of(of(x)) },
		append([]look{alignRight}, looks...)...)
}

// hidden is a column of numbers without intervals, in CSV files alone.
func hidden[T any](field string, of func(T) table.Part) column[T] {
	return number(field, field, of, csvOnly, exact)
}

// fill gives a table its columns, and a row for each fact.
func fill[T any](t *table.Table, columns []column[T], groups [][]T) {
	t.Columns, t.Groups = columnHeads(columns), rows(columns, groups)
}

func columnHeads[T any](columns []column[T]) []table.Column {
	out := make([]table.Column, len(columns))
	for i, c := range columns {
		out[i] = c.Column
	}
	return out
}

func rows[T any](columns []column[T], groups [][]T) (out [][]table.Row) {
	for _, facts := range groups {
		var group []table.Row
		for _, x := range facts {
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

// place is a cascade on a dataset.
type place struct {
	s *result.Results
	c *result.Cascade
	d *result.Dataset
}

// located is a fact of a place.
type located interface{ at() place }

func (p place) at() place { return p }

// places are those of a study, in its order.
func places(s *result.Results) (out []place) {
	for i := range s.Cascades {
		c := &s.Cascades[i]
		for k := range c.Datasets {
			out = append(out, place{s, c, &c.Datasets[k]})
		}
	}
	return out
}

// whereColumns say of which cascade and dataset a row is. The models are shown where a study has several cascades.
func whereColumns[T located](t *table.Table, list []place) []column[T] {
	several := false
	for _, p := range list {
		several = several || p.c != list[0].c
	}
	about := map[*result.Dataset][]int{} // the marks of footnotes
	for _, p := range list {
		about[p.d] = marksOf(t, datasetNotes(p.d))
	}
	return []column[T]{
		text("Study", "study", func(x T) string { return x.at().s.Name }, csvOnly),
		text("Cascade", "cascade", func(x T) string { return x.at().c.Name }, csvOnly),
		cells(table.Words("Models"), nil, func(x T) table.Cell { return table.Cell{Text: arrows(x.at().c.Models)} },
			merge, only(several), named(style.Cascade)),
		cells(table.Words("Dataset"), []string{"dataset"}, func(x T) table.Cell {
			return table.Cell{Text: table.Text{table.Name(x.at().d.Name)}, Marks: about[x.at().d]}
		}, merge, named(style.Dataset)),
	}
}

// arrows are models from the student to the master.
func arrows(models []string) (t table.Text) {
	for i, m := range models {
		if i > 0 {
			t = append(t, table.Plain(" → "))
		}
		t = append(t, table.Name(m))
	}
	return t
}

// marksOf adds footnotes to a table, each in few words: the table of the data has them in full.
func marksOf(t *table.Table, notes []result.Note) (marks []int) {
	var c table.Cell
	for _, n := range notes {
		if words := inFewWords(n); words != "" {
			c.Mark(t.Note(string(n.Kind), words))
		}
	}
	return c.Marks
}
