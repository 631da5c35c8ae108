package importer_test

import (
	"bytes"
	"iter"
	"testing"
	"testing/fstest"
	"time"

	"infnet/harness/importer"
	"infnet/harness/recorded"
	"infnet/harness/result"
)

// What is written as Every Eval Ever is read back as it was: grade, confidence, cost, tokens and time.
func TestEvalEverRoundTrip(t *testing.T) {
	r := &result.Results{Models: []result.Model{{Name: "small", ID: "org/small"}},
		Cascades: []result.Cascade{{Name: "c", Unit: "USD"}}}
	record := func(id, cascade string) result.Record {
		return result.Record{Cascade: cascade, Dataset: "d", ID: id, Part: result.PartTest, Prompt: "What is 1 + 1?",
			References: []string{"2"}, Models: []result.RecordAnswer{{Model: "small", Text: "<2>", Beta: 1.0 / 3,
				Correct: true,
				Cost:    0.001, Prompted: 7, Completed: 2, LatencySecs: 0.25}, {Model: "large", Text: "2", Correct: true}}}
	}
	records := func(yield func(result.Record, error) bool) {
		for _, l := range []result.Record{record("a", "c"), record("a", "c"), record("b", "c")} {
			if !yield(l, nil) {
				return
			}
		}
	}
	var b bytes.Buffer
	n, err := importer.WriteEvalEver(&b, r, iter.Seq2[result.Record, error](records), "small", "d")
	if err != nil || n != 2 {
		t.Fatalf("%d instances, %v; want 2, a record once", n, err)
	}
	rows, err := recorded.Read(t.Context(), recorded.Options{Path: "a.jsonl",
		FS: fstest.MapFS{"a.jsonl": {Data: b.Bytes()}}, Facts: recorded.Facts{Wanted: true}})
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	got := rows[0]
	prompt, _ := got.Usage.Prompt.Known()
	completion, _ := got.Usage.Completion.Known()
	if got.IDs[0] != "a" || got.Model != "org/small" || got.Text != "<2>" || *got.Grade != 1 ||
		*got.Confidence != 1.0/3 || got.Cost.Amount != 0.001 || got.Cost.Currency != "USD" || prompt != 7 ||
		completion != 2 || got.Latency != 250*time.Millisecond || got.Part != "test" {
		t.Errorf("read back as %+v", got)
	}
	b.Reset()
	guessed := record("a", "c")
	guessed.Models[0].Estimated = "both"
	one := func(yield func(result.Record, error) bool) { yield(guessed, nil) }
	if _, err := importer.WriteEvalEver(&b, r, one, "small", "d"); err != nil || bytes.Contains(b.Bytes(),
		[]byte("token")) {
		t.Errorf("estimated counts of tokens are written as counted ones: %v\n%s", err, &b)
	}
	if _, err := importer.WriteEvalEver(&b, r, iter.Seq2[result.Record, error](records), "gone", "d"); err == nil {
		t.Error("a model without an answer")
	}
}
