package tidy

import (
	"fmt"
	"reflect"
	"strings"
)

// column is one column of a file, read from a struct field's tags.
type column struct {
	index  int
	name   string
	unit   string
	doc    string
	metric string // the per-record metric it holds
	kind   reflect.Type
}

// columnsOf lists a row's columns in order.
func columnsOf[R Row]() []column {
	t := reflect.TypeFor[R]()
	columns := make([]column, t.NumField())
	for i := range columns {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		columns[i] = column{i, name, f.Tag.Get("unit"), f.Tag.Get("doc"), f.Tag.Get("metric"), f.Type}
	}
	return columns
}

// field returns the column's place in a row, which is a pointer to a struct.
func (c column) field(row any) reflect.Value { return reflect.ValueOf(row).Elem().Field(c.index) }

// pointer is a value to set a field to.
func pointer(v *float64) reflect.Value { return reflect.ValueOf(v) }

// scoreNames lists the metrics that have a column.
func scoreNames() []string {
	var names []string
	for _, c := range columnsOf[AnswerRow]() {
		if c.metric != "" {
			names = append(names, c.metric)
		}
	}
	return names
}

// Dictionary is the data dictionary of both tables, in Markdown: every column
// with its type, unit, meaning, and whether it may be null.
func Dictionary() string {
	var b strings.Builder
	b.WriteString(`# Data dictionary

Both tables are written as Parquet and as CSV with the same columns in the same
order. Rows come in the order of the cascades, the datasets and the records.

Missing values are null in Parquet and empty in CSV. CSV files are UTF-8, quoted
as RFC 4180 says, with lines ending in LF; infinities are inf and -inf; texts
may hold line breaks. Text that a spreadsheet would take for a formula gets a
leading apostrophe in CSV, and NUL characters are left out there; Parquet holds
every text as it is. Texts come from models and datasets: escape them before
you show them.
`)
	b.WriteString("\n## answers: one row per record and model\n\n")
	describe(&b, columnsOf[AnswerRow]())
	b.WriteString("\n## decisions: one row per record and policy\n\n")
	describe(&b, columnsOf[DecisionRow]())
	return b.String()
}

// describe writes one table of the dictionary.
func describe(b *strings.Builder, columns []column) {
	b.WriteString("| Column | Type | Unit | Null | Meaning |\n|:--|:--|:--|:--|:--|\n")
	for _, c := range columns {
		null := "no"
		kind := c.kind
		if kind.Kind() == reflect.Pointer {
			null, kind = "yes", kind.Elem()
		}
		unit := c.unit
		if unit == "" {
			unit = "-"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", c.name, typeNames[kind.Kind()], unit, null, c.doc)
	}
}

// typeNames are the types as readers of either format know them.
var typeNames = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Float64: "double",
	reflect.Int32: "int32", reflect.Int64: "int64", reflect.Slice: "list of strings",
}
