package tidy

import (
	"bytes"
	"errors"
	"flag"
	"iter"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"infnet/metrics"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sequence turns a slice into what the writers take.
func sequence[R Row](rows []R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with: go test ./reports/tidy -update", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, d)
	}
}

// answers are made by hand: a classification, a generation with hostile text, a failure.
func answers() []AnswerRow {
	return []AnswerRow{
		{
			Study: "s", Cascade: "c", Dataset: "reviews", Record: "1", SourceRow: 1, Part: "fit", Model: "tiny-student",
			Role: Role(0, 2), Position: 0, Key: "k1",
			ClassPredicted: new("negative"), ClassReference: new("positive"), Text: new("negative"), Beta: Known(0.1),
			BetaLow: Known(0.1), BetaHigh: Known(0.25),
			Correct: new(false), Error: new(1.0), Cost: new(2.2e-7), PromptTokens: new(int64(12)),
			CompletionTokens: new(int64(1)), TruncatedTokens: new(int64(0)), LatencySeconds: new(0.001),
		},
		{
			Study: "s", Cascade: "c", Dataset: "lookup", Record: "=2", SourceRow: 2, Group: Some("g"), Part: "test", Model: "模型",
			Role: Role(1, 2), Position: 1, Key: "k2",
			Text: new("=cmd|'/C calc'!A0\r\n\"quoted\", größer\x00 \u202eevil"), References: []string{"a, \"b\"",
				"<b>\n"}, Beta: Known(1.0 / 3),
			Correct: new(true), Error: new(0.0), Cost: new(1e-6), Scores: Scores{metrics.RougeL: 0.5, metrics.Cosine: math.NaN(),
				metrics.BLEU: 12.5},
		},
		{Study: "s", Cascade: "c", Dataset: "lookup", Record: "3", SourceRow: 3, Part: "unused", Model: "tiny-student",
			Role: Role(0, 2), Key: "k3", Failure: Some("timeout")},
	}
}

func decisions() []DecisionRow {
	return []DecisionRow{
		{Study: "s", Cascade: "c", Dataset: "reviews", Record: "1", Part: "fit", Policy: "multi", Deferred: true,
			Beta: new(0.1), Threshold: new(math.Inf(1)), FinalModel: "tiny-master", FinalCorrect: new(true),
			FinalError: new(0.0), Cost: new(1.22e-6)},
		{Study: "s", Cascade: "c", Dataset: "reviews", Record: "1", Part: "fit", Policy: "none", FinalModel: "tiny-student",
			FinalCorrect: new(false), FinalError: new(1.0), Cost: new(2.2e-7)},
	}
}

func TestCSV(t *testing.T) {
	var a, d bytes.Buffer
	if err := WriteCSV(&a, sequence(answers())); err != nil {
		t.Fatal(err)
	}
	if err := WriteCSV(&d, sequence(decisions())); err != nil {
		t.Fatal(err)
	}
	golden(t, "answers.csv", a.Bytes())
	golden(t, "decisions.csv", d.Bytes())
}

func TestDictionary(t *testing.T) {
	golden(t, "dictionary.md", []byte(Dictionary()))
	for _, columns := range [][]column{columnsOf[AnswerRow](), columnsOf[DecisionRow]()} {
		seen := map[string]bool{}
		for _, c := range columns {
			if c.name == "" || c.doc == "" || strings.ContainsAny(c.doc+c.unit, "|\n<") || seen[c.name] {
				t.Errorf("column %d: name %q, doc %q: both needed, without markup, names once", c.index, c.name, c.doc)
			}
			seen[c.name] = true
		}
	}
}

func parquetBytes[R Row](t *testing.T, rows []R) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteParquet(&b, sequence(rows)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readBack[R any](t *testing.T, b []byte) []R {
	t.Helper()
	rows, err := parquet.Read[R](bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestParquetKeepsEverything(t *testing.T) {
	a, want := parquetBytes(t, answers()), answers()
	for i := range want {
		want[i].Scores = nil // they are columns
		if want[i].References == nil {
			want[i].References = []string{} // an empty list reads as an empty list
		}
	}
	type scores struct {
		RougeL *float64 `parquet:"rouge_l"`
		Cosine *float64 `parquet:"cosine"`
		BLEU   *float64 `parquet:"bleu"`
	}
	if d := cmp.Diff([]scores{{}, {RougeL: new(0.5), BLEU: new(12.5)}, {}}, readBack[scores](t, a)); d != "" {
		t.Errorf("scores (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want, readBack[AnswerRow](t, a)); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
	if d := cmp.Diff(decisions(), readBack[DecisionRow](t, parquetBytes(t, decisions()))); d != "" {
		t.Errorf("decisions (-want +got):\n%s", d)
	}
}

func TestEqualRowsGiveEqualBytes(t *testing.T) {
	var many []AnswerRow
	for i := range 3 * batch {
		a := answers()[i%3]
		a.Record = strconv.Itoa(i)
		many = append(many, a)
	}
	first := parquetBytes(t, many)
	if again := parquetBytes(t, many); !bytes.Equal(first, again) {
		t.Error("two files of the same rows differ")
	}
	if got := readBack[AnswerRow](t, first); len(got) != len(many) || got[len(got)-1].Record != many[len(many)-1].Record {
		t.Errorf("%d rows read back, %d written", len(got), len(many))
	}
	if got := readBack[AnswerRow](t, parquetBytes[AnswerRow](t, nil)); len(got) != 0 {
		t.Errorf("%d rows in a file of none", len(got))
	}
}

// Every metric that gives a record a score has a column of its own, where its score goes and no other.
func TestEveryPerRecordMetricHasAColumn(t *testing.T) {
	for _, m := range metrics.All() {
		if gives := m.Score != nil || m.Similarity != nil || m.Given != nil; gives != (m.PerRecord != "") {
			t.Errorf("%s: gives a record a score: %t; says what it is: %q", m.Name, gives, m.PerRecord)
		}
		if m.PerRecord == "" {
			continue
		}
		row, set := AnswerRow{Scores: Scores{m.Name: 0.25}}, 0
		for _, c := range columnsOf[AnswerRow]() {
			if p, ok := of(c, &row).Interface().(*float64); ok && p != nil {
				set++
				if *p != 0.25 || c.name != strings.ReplaceAll(string(m.Name), "-", "_") {
					t.Errorf("%s went to column %s as %v", m.Name, c.name, *p)
				}
			}
		}
		if set != 1 {
			t.Errorf("%s set %d columns", m.Name, set)
		}
	}
}

var errRow, errDisk = errors.New("a bad row"), errors.New("no space left on device")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errDisk }

func TestErrorsEndTheWriting(t *testing.T) {
	var bad iter.Seq2[AnswerRow, error] = func(yield func(AnswerRow, error) bool) {
		if yield(answers()[0], nil) {
			yield(AnswerRow{}, errRow)
		}
	}
	for _, c := range []struct {
		name string
		got  error
		want error
	}{
		{"csv, bad row", WriteCSV(&bytes.Buffer{}, bad), errRow},
		{"parquet, bad row", WriteParquet(&bytes.Buffer{}, bad), errRow},
		{"csv, full disk", WriteCSV(full{}, sequence(answers())), errDisk},
		{"parquet, full disk", WriteParquet(full{}, sequence(answers())), errDisk},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
