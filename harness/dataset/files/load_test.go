package files

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/dataset"
)

var sentiment = []dataset.Label{{Class: "0", Word: "negative"}, {Class: "1", Word: "positive"}}

// load reads content from a file of this name.
func load(t testing.TB, name, content string, o Options) (*dataset.Set, error) {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), name)
	write(t, o.Path, []byte(content))
	return Load(context.Background(), o)
}

func zipped(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(content))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestBadRows(t *testing.T) {
	const good = `{"text":"fine","label":0}` + "\n"
	texts := Mapping{Fields: map[string]string{"text": "text"}, Class: "label"}
	tests := []struct {
		name, file, content string
		m                   Mapping
		want                string // of the error
	}{
		{"not JSON", "x.jsonl", good + "{oops\n", texts, "x.jsonl:2: row 2: is not JSON of one object: "},
		{"torn", "x.jsonl", good + "\n" + `{"text":"f`, texts,
			"x.jsonl:3: row 2: is not JSON of one object: "},
		{"two objects", "x.jsonl", good[:len(good)-1] + good, texts, "row 1: is not JSON of one object"},
		{"array", "x.jsonl", "[" + good + "]", texts, "row 1: is not JSON of one object"},
		{"array in one line", "x.jsonl", `[{"text":"a"}]`, texts,
			"write one object a line, in UTF-8 (jq"},
		{"invalid UTF-8", "x.jsonl", good + "{\"text\":\"\xff\",\"label\":0}", texts,
			"row 2: is not JSON of one object: jsontext: invalid UTF-8"},
		{"half a surrogate", "x.jsonl", `{"text":"\ud83d","label":0}`, texts, "row 1: is not JSON of one object"},
		{"a key twice", "x.jsonl", `{"text":"a","label":0,"l\u0061bel":0}`, texts, "row 1: has a key twice in one object"},
		{"NUL", "x.jsonl", `{"text":"a\u0000b","label":0}`, texts, `column "text": contains a NUL character`},
		{"missing", "x.jsonl", good + `{"txt":"a","label":0}`, texts,
			`row 2: column "text": no "text" here; did you mean "txt"? there are "label", "txt"`},
		{"list", "x.jsonl", `{"text":["a"],"label":0}`, texts,
			`column "text": is a list of 1 where a text is wanted; name one element, as in "text[0]"`},
		{"object", "x.jsonl", `{"text":{"de":"a"},"label":0}`, texts,
			`is an object where a text is wanted; name a key of it, as in "text.key": it has "de"`},
		{"label outside", "x.jsonl", `{"text":"a","label":7}`, texts,
			`column "label": "7" is none of the labels; the labels are 0 (negative), 1 (positive)`},
		{"no reference", "x.jsonl", `{"answers":{"text":[]}}`, Mapping{References: "answers.text"},
			`column "answers.text": is an empty list`},
		{"null reference", "x.jsonl", `{"a":["x",null]}`, Mapping{References: "a"}, `column "a": element 1 is null`},
		{"index too far", "x.jsonl", `{"a":["x"]}`, Mapping{References: "a[1]"}, "has 1 elements, none at [1]"},
		{"key of a text", "x.jsonl", `{"a":"x"}`, Mapping{References: "a.b"}, `is a text, which has no "b"`},
		{"same id", "x.jsonl", `{"id":7}` + "\n" + `{"id":8}` + "\n" + `{"id":"7"}`, Mapping{ID: "id"},
			`x.jsonl:3: row 3: column "id": the id "7" is already that of row 1`},
		{"ragged CSV", "x.csv", "text,label\na,0\nb\n", texts, "x.csv:3: row 2: has 1 cells where the header has 2"},
		{"stray quote", "x.csv", "text,label\na\"b,0\n", texts, "x.csv:2: row 1: bare \" in non-quoted-field at line 2"},
		{"line number behind a long cell", "x.csv", "text,label\n\"a\nb\nc\",0\nd\n", texts, "x.csv:5: row 2: has 1 cells"},
		{"quote never closed", "x.csv", "text,label\n\"a,0\nb,0\n", texts, "x.csv:2: row 1: extraneous or missing \""},
		{"CSV not UTF-8", "x.csv", "text,label\n\xe4,0\n", texts, `row 1: column "text": is not valid UTF-8`},
		{"ragged TSV", "x.tsv", "text\tlabel\na\t0\tx\n", texts, "x.tsv:2: row 1: has 3 cells where the header has 2"},
		{"NUL in TSV", "x.tsv", "text\tlabel\na\x00\t0\n", texts, "contains a NUL character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.file, tt.content, Options{Name: "d", Mapping: tt.m, Labels: sentiment})
			var row *dataset.RowError
			if !errors.As(err, &row) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v\nwant a row error with %q", err, tt.want)
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	rows := strings.Repeat(`{"text":"some words to press together, and then more words"}`+"\n", 4000)
	gz := zipped(t, rows)
	texts := Mapping{Fields: map[string]string{"text": "text"}}
	tests := []struct {
		name, file, content, want string
	}{
		{"no byte", "x.jsonl", "", "empty dataset"},
		{"blank lines", "x.jsonl", "\n\n  \n", "empty dataset"},
		{"empty gzip", "x.jsonl.gz", zipped(t, ""), "empty dataset"},
		{"header only", "x.csv", "text,label\n", "empty dataset"},
		{"empty TSV", "x.tsv.gz", zipped(t, ""), "empty dataset"},
		{"ending", "x.txt", rows, "cannot tell the format by the name's ending: want .jsonl"},
		{"gzip unnamed", "x.jsonl", gz, "end its name in .gz"},
		{"gzip in name only", "x.csv.gz", "a,b\n", "is not compressed with gzip"},
		{"Parquet in another name", "x.csv", "PAR1rest", "holds Parquet, not csv"},
		{"not Parquet", "x.parquet", "a,b\n1,2\n", "does not begin with PAR1"},
		{"gzip of Parquet", "x.parquet.gz", "", "gunzip it first"},
		{"LFS pointer", "x.parquet", "version https://git-lfs.github.com/spec/v1\n", "run git lfs pull"},
		{"UTF-16", "x.csv", "\xff\xfea\x00", "save it as UTF-8"},
		{"zstd", "x.jsonl", "\x28\xb5\x2f\xfdxxxx", "something other than gzip"},
		{"gzip header", "x.jsonl.gz", "\x1f\x8b\x08", "gzip header is damaged"},
		{"gzip damaged", "x.jsonl.gz", gz[:len(gz)-6] + "\x00\x00" + gz[len(gz)-4:],
			"the gzip stream is damaged behind row 4000"},
		{"columns twice", "x.csv", "text,text\na,b\n", `columns 1 and 2 are both called "text"`},
		{"no such column", "x.tsv", "texts\tlabel\na\t1\n",
			`no column "text"; did you mean "texts"? there are "texts", "label"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.file, tt.content, Options{Name: "d", Mapping: texts})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v\nwant one with %q", err, tt.want)
			}
			if tt.want == "empty dataset" && !errors.Is(err, dataset.ErrEmpty) {
				t.Errorf("%v is not ErrEmpty", err)
			}
		})
	}
	t.Run("gzip cut short", func(t *testing.T) {
		_, err := load(t, "x.jsonl.gz", gz[:len(gz)/2], Options{Mapping: texts})
		if err == nil || !strings.Contains(err.Error(), "breaks off") {
			t.Errorf("error %v", err)
		}
		set, err := load(t, "x.jsonl.gz", gz[:len(gz)/2], Options{Mapping: texts, Limit: 10})
		if err != nil || len(set.Examples) != 10 {
			t.Errorf("ten rows before the damage: %v", err)
		}
	})
	t.Run("no file", func(t *testing.T) {
		_, err := Load(context.Background(), Options{Path: filepath.Join(t.TempDir(), "x.csv")})
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("folder", func(t *testing.T) {
		_, err := Load(context.Background(), Options{Path: t.TempDir(), Format: CSV})
		if err == nil || !strings.Contains(err.Error(), "is a folder") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		file := filepath.Join(t.TempDir(), "x.jsonl")
		write(t, file, []byte(rows))
		if _, err := Load(ctx, Options{Path: file}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestLongLines(t *testing.T) {
	defer func(before int) { longestLine = before }(longestLine)
	long := strings.Repeat("x", 70000)
	o := Options{Mapping: Mapping{Fields: map[string]string{"t": "t"}}}
	for name, text := range map[string]string{"x.jsonl": `{"t":"a"}` + "\n" + `{"t":"` + long + `"}` + "\n" + `{"t":"b"}`,
		"x.tsv": "t\na\n" + long + "\nb\n", "x.csv": "t\na\n\"" + long} {
		longestLine = 1000
		_, err := load(t, name, text, o)
		if err == nil || !strings.Contains(err.Error(), "behind row 1: a record is longer than 1000 bytes") {
			t.Errorf("%s: error %v", name, err)
		}
		longestLine = 100_000
		if set, err := load(t, name, text, o); name != "x.csv" && (err != nil || len(set.Examples[1].Fields["t"]) != 70000) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// At the limit to the byte: {"t":"…"} is 8 bytes around the text.
	for limit, ok := range map[int]bool{18: true, 17: false} {
		longestLine = limit
		_, err := load(t, "x.jsonl", "{\"t\":\"0123456789\"}\r\n", Options{})
		if (err == nil) != ok {
			t.Errorf("a line of 18 bytes at limit %d: %v", limit, err)
		}
	}
}

func TestLimitAndRank(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(rt, "rows")
		limit := rapid.IntRange(0, 45).Draw(rt, "limit")
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "{\"id\":\"r%d\",\"n\":%d}\n", i, i)
		}
		rank := func(id string) uint64 { return uint64(len(id)*1_000_003) ^ uint64(id[len(id)-1])*2654435761%97 }
		o := Options{FS: fstest.MapFS{"x.jsonl": {Data: []byte(b.String())}}, Path: "x.jsonl", Mapping: Mapping{ID: "id"},
			Limit: limit}
		first, err := Load(context.Background(), o)
		if err != nil {
			rt.Fatal(err)
		}
		if want := min(n, limit); limit > 0 && len(first.Examples) != want || limit == 0 && len(first.Examples) != n {
			rt.Fatalf("%d of %d rows at limit %d", len(first.Examples), n, limit)
		}
		o.Rank = rank
		drawn, err := Load(context.Background(), o)
		if err != nil {
			rt.Fatal(err)
		}
		o.Limit = 0
		all, _ := Load(context.Background(), o)
		// Brute force: sort all by rank, take the first, sort by row.
		want := slices.Clone(all.Examples)
		slices.SortFunc(want, func(a, b dataset.Example) int {
			if ra, rb := rank(a.ID), rank(b.ID); ra != rb {
				if ra < rb {
					return -1
				}
				return 1
			}
			return strings.Compare(a.ID, b.ID)
		})
		if limit > 0 && limit < n {
			want = want[:limit]
		}
		slices.SortFunc(want, func(a, b dataset.Example) int { return a.Row - b.Row })
		if d := cmp.Diff(want, drawn.Examples); d != "" {
			rt.Fatal(d)
		}
	})
}

func TestOptionErrors(t *testing.T) {
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"no labels", Options{Path: "x.csv", Mapping: Mapping{Class: "label"}}, "no labels are listed"},
		{"path of a field", Options{Path: "x.csv", Mapping: Mapping{Fields: map[string]string{"text": "a..b"}}},
			`field "text": column path "a..b": a name is missing`},
		{"path of the id", Options{Path: "x.csv", Mapping: Mapping{ID: "a[x]"}}, "want a number from 0"},
	}
	for _, tt := range tests {
		if _, err := Load(context.Background(), tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}
