package files

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/dataset"
)

func TestShards(t *testing.T) {
	files := fstest.MapFS{}
	for name, content := range map[string]string{
		"whole.csv": "id,text\na,one\nb,two\nc,three\nd,four\n",
		"0.csv":     "id,text\na,one\nb,two\n", "1.csv": "id,text\nc,three\n", "2.csv": "id,text\nd,four\n",
		"other.csv": "id,words\ne,five\n", "again.csv": "id,text\na,one\n", "bad.csv": "id,text\ne,\x00\n",
		"none.csv": "id,text\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	load := func(limit int, id string, names ...string) (*dataset.Set, error) {
		return Load(t.Context(), Options{Name: "d", FS: files, Path: names[0], Shards: names[1:], Limit: limit,
			Mapping: Mapping{ID: id}})
	}
	for _, tt := range []struct {
		name  string
		id    string
		limit int
		files []string
	}{
		{"by id", "id", 0, []string{"0.csv", "1.csv", "2.csv"}},
		{"by row number", "", 0, []string{"0.csv", "1.csv", "2.csv"}},
		{"an empty one between", "", 0, []string{"0.csv", "1.csv", "none.csv", "2.csv"}},
		{"the first rows only", "id", 3, []string{"0.csv", "1.csv", "missing.csv"}},
	} {
		want, err := load(tt.limit, tt.id, "whole.csv")
		if err != nil {
			t.Fatal(err)
		}
		got, err := load(tt.limit, tt.id, tt.files...)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-one file +several):\n%s", tt.name, diff)
		}
	}
	for _, tt := range []struct {
		name, want string
		files      []string
	}{
		{"other columns", "not parts of one source", []string{"0.csv", "other.csv"}},
		{"a missing file", "cannot open", []string{"0.csv", "missing.csv"}},
		{"an id of another file", `the id "a" is already that of row 1`, []string{"0.csv", "again.csv"}},
		{"a bad row", "bad.csv:2: row 3", []string{"0.csv", "bad.csv"}},
	} {
		_, err := load(0, "id", tt.files...)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.want)
		}
	}
	_, err := load(0, "id", "0.csv", "again.csv")
	var row *dataset.RowError
	if !errors.As(err, &row) || row.File != "again.csv" || row.Row != 3 || row.Line != 2 {
		t.Errorf("the place of a bad row is %+v", row)
	}
}
