package tidy

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"infnet/metrics"
)

// column is one column of a file: a struct field, described by its tags, or a per-record metric.
type column struct {
	index  int          // of the field; -1 = a metric
	metric metrics.Name // "" = a field
	name   string
	unit   string
	doc    string
	kind   reflect.Type
	flat   reflect.StructField // the column in the struct that Parquet sees
}

// columnsOf lists a row's columns in order. Scores becomes a column for each per-record metric.
func columnsOf[R Row]() []column {
	t := reflect.TypeFor[R]()
	var columns []column
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == reflect.TypeFor[Scores]() {
			columns = append(columns, scoreColumns()...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		columns = append(columns, column{index: i, name: name, unit: f.Tag.Get("unit"), doc: f.Tag.Get("doc"), kind: f.Type,
			flat: f})
	}
	return columns
}

// firstScores are the metrics whose columns readers of the files know the order of. A later metric's column follows
// them.
var firstScores = []metrics.Name{
	metrics.Rouge1, metrics.Rouge2, metrics.RougeL, metrics.RougeLFirst, metrics.Cosine, metrics.CosineFirst,
	metrics.BARTScore, metrics.ExactMatch, metrics.TokenF1, metrics.BLEU, metrics.ChrF,
}

func scoreColumns() (columns []column) {
	place := func(m metrics.Metric) uint { return uint(slices.Index(firstScores, m.Name)) } // of none: the last
	all := slices.DeleteFunc(metrics.All(), func(m metrics.Metric) bool { return m.PerRecord == "" })
	slices.SortStableFunc(all, func(a, b metrics.Metric) int { return cmp.Compare(place(a), place(b)) })
	number := reflect.TypeFor[*float64]()
	for _, m := range all {
		name := strings.ReplaceAll(string(m.Name), "-", "_")
		columns = append(columns, column{
			index: -1, metric: m.Name, name: name, doc: m.PerRecord, kind: number,
			flat: reflect.StructField{Name: "Score_" + name, Type: number,
				Tag: reflect.StructTag(fmt.Sprintf("parquet:%q", name))},
		})
	}
	return columns
}

// of returns the column's value in a row.
func of[R Row](c column, row *R) reflect.Value {
	if c.metric != "" {
		return reflect.ValueOf((*row).score(c.metric))
	}
	return reflect.ValueOf(row).Elem().Field(c.index)
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
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", c.name, typeNames[kind.Kind()], cmp.Or(c.unit, "-"), null, c.doc)
	}
}

// typeNames are the types as readers of either format know them.
var typeNames = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Float64: "double",
	reflect.Int32: "int32", reflect.Int64: "int64", reflect.Slice: "list of strings",
}
