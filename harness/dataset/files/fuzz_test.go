package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/harness/dataset"
)

// fuzzFile loads any bytes as a file of this name. It must not panic; an
// error must name the file, and the row if it is a row's; examples must be text with unique ids.
func fuzzFile(t *testing.T, name string, content []byte) {
	o := Options{
		FS: fstest.MapFS{name: {Data: content}}, Path: name, Name: "d",
		Labels: sentiment,
	}
	strict, err := Load(context.Background(), o)
	fuzzCheck(t, name, strict, err)
	o.Mapping = Mapping{Fields: map[string]string{"x": "a"}, ID: "id", Class: "label", References: "r.t", Group: "g[0]"}
	set, err := Load(context.Background(), o)
	fuzzCheck(t, name, set, err)
}

func fuzzCheck(t *testing.T, name string, set *dataset.Set, err error) {
	t.Helper()
	var row *dataset.RowError
	switch {
	case err == nil:
		if _, err := dataset.New("d", set.Examples); err != nil {
			t.Error(err)
		}
	case errors.As(err, &row) && row.Row < 1:
		t.Errorf("a row error without a row: %v", err)
	case !strings.Contains(err.Error(), name):
		t.Errorf("an error that does not name the file: %v", err)
	}
}

// FuzzFiles loads any bytes under a name of each format.
func FuzzFiles(f *testing.F) {
	for name, texts := range map[string][]string{
		"x.jsonl": {`{"a":"x","id":1,"label":0,"r":[{"t":"y"}],"g":["z"]}`, "\xef\xbb\xbf{}\r\n\n[1]",
			`{"a":"\ud83d\ude00\u0000"}`, `{"a":{"a":[[[]]]}}{`, "{\"a\":\"\xff\"}"},
		"x.csv": {"a,id,label\nx,1,0\n", "a\n\"x\ny\"\n", "a,b\n1\n\"", ",,\n1,2,3\n", "a\r\n\"\"\"\"\r\n"},
		"x.tsv": {"a\tid\tlabel\nx\t1\t0\n", "a\n\n", "\t\n1\t2\t3", "a\r\n\"\r\n"},
	} {
		for _, text := range texts {
			f.Add(name, []byte(text))
		}
	}
	for _, layout := range append(parquetLayouts, "no_rows") {
		b, err := os.ReadFile(filepath.Join("testdata", layout+".parquet"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add("x.parquet", b)
	}
	f.Add("x.parquet", writeSquad(f, 3))
	f.Fuzz(func(t *testing.T, name string, b []byte) {
		if _, _, err := formatOf(name, ""); err == nil && filepath.Base(name) == name {
			fuzzFile(t, name, b)
		}
	})
}
