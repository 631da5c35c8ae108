package filediff

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/reports/tidy"
)

// What differs is named as closely as the format tells, with both values.
func TestFirst(t *testing.T) {
	long := strings.Repeat("x", 500)
	answers := func(beta float64) []byte {
		var b strings.Builder
		rows := []tidy.AnswerRow{{Record: "a", Model: "m"}, {Record: "b", Model: "m", Beta: &beta}}
		err := tidy.WriteParquet(&b, func(yield func(tidy.AnswerRow, error) bool) {
			_ = yield(rows[0], nil) && yield(rows[1], nil)
		})
		if err != nil {
			t.Fatal(err)
		}
		return []byte(b.String())
	}
	for _, tt := range []struct {
		name, file  string
		kept, again string
		want        string // "" = equal
	}{
		{name: "equal", file: "a.md", kept: "x\n", again: "x\n"},
		{name: "a line", file: "a.md", kept: "x\ny\n", again: "x\nz\n", want: "line 2 is\n    y\n  and made again\n    z"},
		{name: "a line that is missing", file: "a.md", kept: "x\n", again: "x\nz\n",
			want: "line 2 is\n    (no such line)\n  and made again\n    z"},
		{name: "far into a line", file: "a.md", kept: long + "1", again: long + "2",
			want: "…" + strings.Repeat("x", 40) + "1"},
		{name: "line ends", file: "a.md", kept: "x\r\n", again: "x\n", want: "differs in how its lines end"},
		{name: "a cell", file: "a.csv", kept: "id,beta\na,0.5\nb,0.25\n", again: "id,beta\na,0.5\nb,0.75\n",
			want: `line 3, record b: beta is "0.25", made again "0.75"`},
		{name: "a cell behind a newline", file: "a.csv", kept: "id,beta\n\"a\nb\",0.5\nb,1\n",
			again: "id,beta\n\"a\nb\",0.5\nb,2\n", want: `line 4, record b: beta is "1", made again "2"`},
		{name: "another header", file: "a.csv", kept: "id\na\n", again: "key\na\n",
			want: `line 2, record a: id is "a", made again (not there)`},
		{name: "a row too many", file: "a.csv", kept: "id\na\n", again: "id\n", want: "row 1 is in one of them alone"},
		{name: "a value of results", file: "results.json", kept: `{"rows":[{"cost":1.5}]}`, again: `{"rows":[{"cost":2.5}]}`,
			want: "rows[0].cost is 1.5, made again 2.5"},
		{name: "a value that is gone", file: "results.json", kept: `{"a":1}`, again: `{}`,
			want: "a is 1, made again (not there)"},
		{name: "a list of another length", file: "results.json", kept: `{"a":[1]}`, again: `{"a":[1,2]}`,
			want: "a has 1 entries, made again 2"},
		{name: "a list in place of an object", file: "results.json", kept: `{"a":[1]}`, again: `{"a":{}}`,
			want: "a is [1], made again {}"},
		{name: "results spaced otherwise", file: "results.json", kept: `{"a": 1}`, again: `{"a":1}`, want: "line 1 is"},
		{name: "a value of a record", file: "records.jsonl",
			kept:  "{\"id\":\"a\"}\n{\"id\":\"b\",\"models\":[{\"beta\":0.5}]}\n",
			again: "{\"id\":\"a\"}\n{\"id\":\"b\",\"models\":[{\"beta\":0.6}]}\n",
			want:  "line 2, record b: models[0].beta is 0.5, made again 0.6"},
		{name: "bytes", file: "a.png", kept: "ab\x00c", again: "ab\x00d",
			want: "differs from byte 4 on"},
		{name: "a column of Parquet", file: "a.parquet", kept: string(answers(0.5)), again: string(answers(0.75)),
			want: "row 2, record b: beta is 0.5, made again 0.75"},
		{name: "damaged Parquet", file: "a.parquet", kept: "nothing", again: string(answers(0.75)),
			want: "differs from byte 1 on"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			var paths []string
			for _, x := range []struct{ folder, text string }{{"kept", tt.kept}, {"again", tt.again}} {
				path := filepath.Join(dir, x.folder, tt.file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(x.text), 0o600); err != nil {
					t.Fatal(err)
				}
				paths = append(paths, path)
			}
			got, err := First(paths[0], paths[1])
			if err != nil {
				t.Fatal(err)
			}
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("First = %q, want %q", got, tt.want)
			}
		})
	}
}
