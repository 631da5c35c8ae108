package dataset

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPeek(t *testing.T) {
	tests := []struct {
		name, file, content string
		want                []Column
	}{
		{"jsonl", "x.jsonl", `{"t":"a","label":0,"answers":{"text":["x","y"],"start":[1,2]},"z":null,"score":1}` + "\n" +
			`{"t":"bcd","label":1,"answers":null,"score":0.5,"late":true}` + "\n" + `{"t":"a","label":1,"mix":1}` + "\nnot read", []Column{
			{Path: "answers.start", Type: Integer, List: true, Values: 2, Distinct: 2, Longest: 1, Samples: []string{"1", "2"}},
			{Path: "answers.text", Type: Text, List: true, Values: 2, Distinct: 2, Longest: 1, Samples: []string{"x", "y"}},
			{Path: "label", Type: Integer, Values: 3, Distinct: 2, Longest: 1, Samples: []string{"0", "1"}},
			{Path: "score", Type: Number, Values: 2, Distinct: 2, Nulls: 1, Longest: 3, Samples: []string{"1", "0.5"}},
			{Path: "t", Type: Text, Values: 3, Distinct: 2, Longest: 3, Samples: []string{"a", "bcd"}},
			{Path: "z", Type: Null, Nulls: 3},
			{Path: "late", Type: Boolean, Values: 1, Distinct: 1, Nulls: 2, Longest: 4, Samples: []string{"true"}},
			{Path: "mix", Type: Integer, Values: 1, Distinct: 1, Nulls: 2, Longest: 1, Samples: []string{"1"}},
		}},
		{"csv", "x.csv", "text,label,ratio,ok,empty,,zip\nhallo,0,1,True,,q,01234\n\"x,ü\",1,2.5,False,,r,00001\n,1,3,true,,s,5\n", []Column{
			{Path: "text", Type: Text, Values: 2, Distinct: 2, Nulls: 1, Longest: 5, Samples: []string{"hallo", "x,ü"}},
			{Path: "label", Type: Integer, Values: 3, Distinct: 2, Longest: 1, Samples: []string{"0", "1"}},
			{Path: "ratio", Type: Number, Values: 3, Distinct: 3, Longest: 3, Samples: []string{"1", "2.5", "3"}},
			{Path: "ok", Type: Boolean, Values: 3, Distinct: 3, Longest: 5, Samples: []string{"True", "False", "true"}},
			{Path: "empty", Type: Null, Nulls: 3},
			{Path: "column_6", Type: Text, Values: 3, Distinct: 3, Longest: 1, Samples: []string{"q", "r", "s"}},
			{Path: "zip", Type: Text, Values: 3, Distinct: 3, Longest: 5, Samples: []string{"01234", "00001", "5"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), tt.file)
			write(t, file, []byte(tt.content))
			columns, rows, err := Peek(file, 3)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, columns); d != "" {
				t.Error(d)
			}
			if len(rows) != 3 {
				t.Errorf("%d rows", len(rows))
			}
			for _, c := range columns {
				if err := CheckPath(c.Path); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestPeekParquet(t *testing.T) {
	columns, _, err := Peek("testdata/item_zstd.parquet", 0)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]ColumnType{}
	for _, c := range columns {
		types[c.Path] = c.Type
		if c.List {
			types[c.Path] = "list of " + c.Type
		}
	}
	want := map[string]ColumnType{
		"id": Text, "question": Text, "label": Integer, "small": Integer, "unsigned": Integer, "half": Number, "double": Number,
		"flag": Boolean, "kind": Text, "bytes": Text, "answers.text": "list of text", "answers.answer_start": "list of integer",
		"translation.de": Text, "translation.en": Text, "options.text": "list of text", "options.n": "list of integer",
		"price": Text, "day": Text, "moment": Text, "attributes.k": Text, "attributes.a": Text, "attributes.c": Text,
	}
	if d := cmp.Diff(want, types); d != "" {
		t.Error(d)
	}
}

func TestPeekErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.csv")
	write(t, file, []byte("a,b\n"))
	if _, _, err := Peek(file, 5); !errors.Is(err, ErrEmpty) {
		t.Errorf("error %v", err)
	}
	write(t, file, []byte("a,b\n1\n"))
	var row *RowError
	if _, _, err := Peek(file, 5); !errors.As(err, &row) || row.Row != 1 {
		t.Errorf("error %v", err)
	}
}
