package files

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/dataset"
)

func TestColumns(t *testing.T) {
	tests := []struct {
		name, file, content string
		want                []dataset.Column
	}{
		{"jsonl", "x.jsonl", `{"t":"a","label":0,"answers":{"text":["x","y"],"start":[1,2]},"z":null,"score":1,"e":""}` + "\n" +
			`{"t":"bcd","label":1,"answers":null,"score":0.5,"late":true}` + "\n" + `{"t":"a","label":1,"mix":1}` +
			"\nnot read", []dataset.Column{
			{Path: "answers.start", Type: dataset.Integer, List: true, Values: 2, Distinct: 2, Longest: 1,
				Samples: []string{"1", "2"}},
			{Path: "answers.text", Type: dataset.Text, List: true, Values: 2, Distinct: 2, Longest: 1,
				Samples: []string{"x", "y"}},
			{Path: "e", Type: dataset.Text, Values: 1, Distinct: 1, Nulls: 2, Samples: []string{""}},
			{Path: "label", Type: dataset.Integer, Values: 3, Distinct: 2, Longest: 1, Samples: []string{"0", "1"}},
			{Path: "score", Type: dataset.Number, Values: 2, Distinct: 2, Nulls: 1, Longest: 3, Samples: []string{"1", "0.5"}},
			{Path: "t", Type: dataset.Text, Values: 3, Distinct: 2, Longest: 3, Samples: []string{"a", "bcd"}},
			{Path: "z", Type: dataset.Null, Nulls: 3},
			{Path: "late", Type: dataset.Boolean, Values: 1, Distinct: 1, Nulls: 2, Longest: 4, Samples: []string{"true"}},
			{Path: "mix", Type: dataset.Integer, Values: 1, Distinct: 1, Nulls: 2, Longest: 1, Samples: []string{"1"}},
		}},
		{"csv", "x.csv", "text,label,ratio,ok,empty,,zip\nhallo,0,1,True,,q,01234\n" +
			"\"x,ü\",1,2.5,False,,r,00001\n,1,3,true,,s,5\n", []dataset.Column{
			{Path: "text", Type: dataset.Text, Values: 2, Distinct: 2, Nulls: 1, Longest: 5, Samples: []string{"hallo", "x,ü"}},
			{Path: "label", Type: dataset.Integer, Values: 3, Distinct: 2, Longest: 1, Samples: []string{"0", "1"}},
			{Path: "ratio", Type: dataset.Number, Values: 3, Distinct: 3, Longest: 3, Samples: []string{"1", "2.5", "3"}},
			{Path: "ok", Type: dataset.Boolean, Values: 3, Distinct: 3, Longest: 5, Samples: []string{"True", "False", "true"}},
			{Path: "empty", Type: dataset.Null, Nulls: 3},
			{Path: "column_6", Type: dataset.Text, Values: 3, Distinct: 3, Longest: 1, Samples: []string{"q", "r", "s"}},
			{Path: "zip", Type: dataset.Text, Values: 3, Distinct: 3, Longest: 5, Samples: []string{"01234", "00001", "5"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), tt.file)
			write(t, file, []byte(tt.content))
			table, err := OpenTable(file, 3)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, table.Columns()); d != "" || table.Rows != 3 {
				t.Errorf("%d rows, %s", table.Rows, d)
			}
			for _, c := range table.Columns() {
				if err := dataset.CheckPath(c.Path); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestColumnsOfParquet(t *testing.T) {
	table, err := OpenTable("testdata/item_zstd.parquet", 0)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]dataset.ColumnType{}
	for _, c := range table.Columns() {
		types[c.Path] = c.Type
		if c.List {
			types[c.Path] = "list of " + c.Type
		}
	}
	want := map[string]dataset.ColumnType{
		"id": dataset.Text, "question": dataset.Text, "label": dataset.Integer, "small": dataset.Integer,
		"unsigned": dataset.Integer, "half": dataset.Number, "double": dataset.Number,
		"flag": dataset.Boolean, "kind": dataset.Text, "bytes": dataset.Text, "answers.text": "list of text",
		"answers.answer_start": "list of integer",
		"translation.de":       dataset.Text, "translation.en": dataset.Text, "options.text": "list of text",
		"options.n": "list of integer",
		"price":     dataset.Text, "day": dataset.Text, "moment": dataset.Text, "attributes": dataset.Text,
	}
	if d := cmp.Diff(want, types); d != "" {
		t.Error(d)
	}
}
