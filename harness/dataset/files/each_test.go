package files

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/harness/dataset"
)

func TestEach(t *testing.T) {
	fsys := fstest.MapFS{
		"a.jsonl": {Data: []byte("{\"id\": 1, \"out\": {\"text\": \"x\"}}\n\n{\"id\": 2, \"out\": null}\n")},
		"bad.csv": {Data: []byte("id,text\na,b\nc\n")},
	}
	var rows []Row
	if err := Each(t.Context(), Options{Path: "a.jsonl", FS: fsys},
		func(r Row) error { rows = append(rows, r); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 2 || rows[1].Number != 2 || rows[1].Line != 3 {
		t.Fatalf("rows %+v, want two, the second on line 3", rows)
	}
	if s, err := rows[0].Text("out.text"); s != "x" || err != nil {
		t.Errorf("out.text = %q, %v, want x", s, err)
	}
	if v, err := rows[1].Value("out.text"); v != nil || err != nil {
		t.Errorf("below a null: %v, %v, want null", v, err)
	}
	if !rows[0].Has("out.text") || !rows[0].Has("id") || rows[0].Has("text") || rows[0].Has("a..b") {
		t.Error("Has does not see what there is")
	}
	for _, column := range []string{"txt", "out", "a..b"} {
		if _, err := rows[0].Text(column); err == nil {
			t.Errorf("column %q is a text", column)
		}
	}

	var bad *dataset.RowError
	if err := Each(t.Context(), Options{Path: "bad.csv", FS: fsys}, func(Row) error { return nil }); !errors.As(err,
		&bad) || bad.Line != 3 {
		t.Errorf("error %v, want one of line 3", err)
	}
	enough := errors.New("enough")
	if err := Each(t.Context(), Options{Path: "a.jsonl", FS: fsys}, func(Row) error { return enough }); !errors.Is(err,
		enough) {
		t.Errorf("error %v, want the caller's own", err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Each(done, Options{Path: "a.jsonl", FS: fsys}, func(Row) error { return nil }); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if err := Each(t.Context(), Options{Path: "gone.jsonl", FS: fsys}, func(Row) error { return nil }); err == nil ||
		!strings.Contains(err.Error(), "gone.jsonl") {
		t.Errorf("error %v, want one that names the file", err)
	}
}
