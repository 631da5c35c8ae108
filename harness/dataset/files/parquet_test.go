package files

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"infnet/harness/dataset"
)

// The files of testdata are written by pyarrow 26.0.1 (make_parquet.py).
var parquetLayouts = []string{"element_snappy", "item_zstd", "element_gzip_groups", "item_plain"}

func TestParquetFromArrow(t *testing.T) {
	want := []dataset.Example{
		{ID: "a", Row: 1, Class: 0, Group: "u", References: []string{"t1", "t2"}, Fields: map[string]string{
			"q": "Wer?", "de": "Hund", "n": "0.5", "flag": "true", "big": "0", "option": "B", "small": "0", "b": "x"}},
		{ID: "b", Row: 2, Class: 1, Group: "v", References: []string{"u"}, Fields: map[string]string{
			"q": "who – \"quoted\", 100 %?", "de": "Katze", "n": "0.1", "flag": "false", "big": "1", "option": "B", "small": "1",
			"b": "y"}},
		{ID: "c", Row: 3, Class: 2, Group: "u", References: []string{"v", "v", "w"}, Fields: map[string]string{
			"q": "日本", "de": "Kuh", "n": "-2", "flag": "true", "big": "2", "option": "B", "small": "2", "b": "z"}},
	}
	for _, layout := range parquetLayouts {
		t.Run(layout, func(t *testing.T) {
			o := Options{Limit: 3,
				Path: filepath.Join("testdata", layout+".parquet"),
				Mapping: Mapping{
					Fields: map[string]string{"q": "question", "de": "translation.de", "n": "half", "flag": "flag", "big": "unsigned",
						"option": "options[1].text", "small": "small", "b": "bytes"},
					ID: "id", Class: "label", References: "answers.text", Group: "kind",
				},
				Labels: []dataset.Label{{Class: "0", Word: "no"}, {Class: "1", Word: "yes"}, {Class: "2", Word: "maybe"}},
			}
			set, err := Load(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, set.Examples); d != "" {
				t.Error(d)
			}
			o.Limit = 0
			const reason = `row 4: column "bytes": is a Parquet value of type BYTE_ARRAY where a text is wanted`
			if _, err := Load(context.Background(), o); err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("error %v, want %s", err, reason)
			}
		})
	}
}

// Lists and objects of every depth, null and empty ones too, are those of the same rows in JSON (make_nested.py).
func TestParquetOfNestedRows(t *testing.T) {
	for _, name := range []string{"nested_small_groups", "nested_item"} {
		got := every(t, filepath.Join("testdata", name+".parquet"))
		for i, want := range every(t, "testdata/nested.jsonl") {
			for _, column := range []string{"m", "mm"} { // maps, which are not read
				if is := got[i][column]; is != nil && is != unread("a Parquet map") {
					t.Errorf("%s, row %d: the map is %v", name, i, is)
				}
				delete(want, column)
				delete(got[i], column)
			}
			if d := cmp.Diff(inFloats(want), inFloats(got[i])); d != "" {
				t.Fatalf("%s, row %d: %s", name, i, d)
			}
		}
	}
}

// annotated is a group that is called a list.
type annotated struct{ parquet.Node }

func (annotated) Type() parquet.Type { return parquet.List(parquet.Int(64)).Type() }

// Older writers have no level between a list and its elements: these are what the format calls repeated.
func TestParquetOfOlderLists(t *testing.T) {
	for _, tt := range []struct {
		name     string
		repeated parquet.Node
		columns  int
		want     any
	}{
		{"bag", parquet.Group{"a": parquet.Int(64), "b": parquet.Int(64)}, 2,
			[]any{map[string]any{"a": int64(1), "b": int64(10)}, map[string]any{"a": int64(2), "b": int64(20)}}},
		{"l_tuple", parquet.Group{"a": parquet.Int(64)}, 1,
			[]any{map[string]any{"a": int64(1)}, map[string]any{"a": int64(2)}}},
		{"array", parquet.Int(64), 1, []any{int64(1), int64(2)}},
	} {
		var b bytes.Buffer
		w := parquet.NewWriter(&b, parquet.NewSchema("x",
			parquet.Group{"l": annotated{parquet.Group{tt.name: parquet.Repeated(tt.repeated)}}}))
		var row parquet.Row
		for c := range tt.columns {
			for i := range 2 {
				row = append(row, parquet.ValueOf(int64((i+1)*[]int{1, 10}[c])).Level(i, 1, c))
			}
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "x.parquet")
		write(t, file, b.Bytes())
		if d := cmp.Diff(tt.want, every(t, file)[0]["l"]); d != "" {
			t.Error(d)
		}
	}
}

// inFloats is a value whose numbers are all of one type.
func inFloats(v any) any {
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		panic(err)
	}
	return v
}

// squad is laid out as the hub lays out SQuAD.
type squad struct {
	ID      string `parquet:"id"`
	Context string `parquet:"context,snappy"`
	Answers struct {
		Text  []string `parquet:"text,list"`
		Start []int32  `parquet:"answer_start,list"`
	} `parquet:"answers"`
}

// writeSquad writes n rows as Parquet, in groups of 100 rows.
func writeSquad(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[squad](&b, parquet.MaxRowsPerRowGroup(100))
	for i := range n {
		s := squad{ID: strings.Repeat("q", i%7) + string(rune('A'+i/26%26)) + string(rune('a'+i%26)),
			Context: strings.Repeat("c", i)}
		s.Answers.Text = []string{"first", strings.Repeat("x", i%5)}
		s.Answers.Start = []int32{int32(i), 2}
		if _, err := w.Write([]squad{s}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestParquetRowGroupsAndTruncation(t *testing.T) {
	whole := writeSquad(t, 350)
	dir := t.TempDir()
	file := filepath.Join(dir, "squad.parquet")
	write(t, file, whole)
	o := Options{Path: file, Mapping: Mapping{Fields: map[string]string{"context": "context"}, References: "answers.text"}}
	set, err := Load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Examples) != 350 || set.Examples[349].Fields["context"] != strings.Repeat("c", 349) ||
		set.Examples[200].ID != "201" {
		t.Errorf("%d examples, last %v", len(set.Examples), set.Examples[len(set.Examples)-1])
	}
	write(t, file, whole[:len(whole)/2])
	if _, err := Load(context.Background(), o); err == nil || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("half a file: %v", err)
	}
	huge := bytes.Clone(whole)
	copy(huge[len(huge)-8:], "\xff\xff\xff\x7f")
	write(t, file, huge)
	if _, err := Load(context.Background(), o); err == nil ||
		!strings.Contains(err.Error(), "states a footer of 2147483647 bytes") {
		t.Errorf("a footer larger than the file: %v", err)
	}
	// Damage in the middle: an error or other text, never a panic.
	for at := 4; at < len(whole)-8; at += 97 {
		broken := bytes.Clone(whole)
		broken[at] ^= 0xff
		write(t, file, broken)
		if _, err := Load(context.Background(), o); err != nil && !strings.Contains(err.Error(), file) {
			t.Errorf("byte %d: the error does not name the file: %v", at, err)
		}
	}
}

func write(t testing.TB, file string, b []byte) {
	t.Helper()
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
}
