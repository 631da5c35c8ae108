package importer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"infnet/harness/importer"
	"infnet/harness/recorded"
	"infnet/harness/result"
)

// What is written as Every Eval Ever is read back as it was: grade, confidence, cost, tokens and time.
func TestEvalEverRoundTrip(t *testing.T) {
	r := &result.Results{Models: []result.Model{{Name: "small", ID: "org/small"}},
		Cascades: []result.Cascade{{Name: "c", Unit: "USD",
			Models: []string{"small", "large"}}}}
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
	x := importer.EvalEver{Results: r, Records: iter.Seq2[result.Record, error](records), Model: "small", Dataset: "d"}
	log, err := x.Instances(&b)
	if err != nil || log["detailed_evaluation_results"].(map[string]any)["total_rows"] != 2 {
		t.Fatalf("%+v, %v; want 2 instances, a record once", log, err)
	}
	var rows []recorded.Row
	err = recorded.Each(t.Context(), recorded.Options{Path: "a.jsonl", FS: fstest.MapFS{"a.jsonl": {Data: b.Bytes()}},
		Facts: recorded.Facts{Wanted: true}}, func(r recorded.Row) error { rows = append(rows, r); return nil })
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	got := rows[0]
	prompt, _ := got.Usage.Prompt.Known()
	completion, _ := got.Usage.Completion.Known()
	if got.ID != "a" || got.Model != "org/small" || got.Text != "<2>" || *got.Grade != 1 ||
		*got.Confidence != 1.0/3 || got.Cost.Amount != 0.001 || got.Cost.Currency != "USD" || prompt != 7 ||
		completion != 2 || got.Latency != 250*time.Millisecond || got.Part != "test" {
		t.Errorf("read back as %+v", got)
	}
	b.Reset()
	guessed := record("a", "c")
	guessed.Models[0].Estimated = "both"
	x.Records = func(yield func(result.Record, error) bool) { yield(guessed, nil) }
	if _, err := x.Instances(&b); err != nil || bytes.Contains(b.Bytes(), []byte("token")) {
		t.Errorf("estimated counts of tokens are written as counted ones: %v\n%s", err, &b)
	}
	x.Model = "gone"
	if _, err := x.Instances(&b); err == nil {
		t.Error("a model without an answer")
	}
}

// What is exported follows the schemas of its owner, whatever the run was: classes and texts, costs and none, a
// model of the hub and one without a name there, names that no folder can have, texts beyond ASCII.
func TestExportFollowsTheSchema(t *testing.T) {
	logs, instances := schemaOf(t, "eval.schema.json"), schemaOf(t, "instance_level_eval.schema.json")
	for _, tt := range []struct {
		name, id, backend, dataset, unit string
		answer                           result.RecordAnswer
		labels                           []string
	}{
		{name: "texts", id: "org/small", backend: "replay", dataset: "d", unit: "USD",
			answer: result.RecordAnswer{Text: "zwölf 𝟙2\u0085", Beta: 0.5, Correct: true, Cost: 1e-7, Prompted: 3, Completed: 1,
				LatencySecs: 0.1}},
		{name: "classes", id: "small", backend: "openai", dataset: "a: b?", unit: "TFLOPs", labels: []string{"yes", "no"},
			answer: result.RecordAnswer{Class: "no", Beta: 0.9, Error: 1}},
		{name: "partly right", id: "a/b/c:free", backend: "local", dataset: "CON", answer: result.RecordAnswer{Error: 0.25}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.answer.Model = "small"
			r := &result.Results{Name: "s", Models: []result.Model{{Name: "small", ID: tt.id, Backend: tt.backend, Params: 0.5,
				Servers: []result.Server{{Name: "vllm", Version: "1"}}}},
				Cascades: []result.Cascade{{Name: "c", Unit: tt.unit, Models: []string{"small", "large"},
					Datasets: []result.Dataset{{Name: tt.dataset, Source: "hf:org/data:test", Labels: tt.labels}}}}}
			x := importer.EvalEver{Results: r, Model: "small", Dataset: tt.dataset, Retrieved: 1_700_000_000,
				Records: func(yield func(result.Record, error) bool) {
					_ = yield(result.Record{Cascade: "c", Dataset: tt.dataset, ID: "1", Part: result.PartFit, Prompt: "¿?",
						Models: []result.RecordAnswer{tt.answer, {Model: "large"}}}, nil) &&
						yield(result.Record{Cascade: "c", Dataset: tt.dataset, ID: "2", Part: result.PartTest,
							Models: []result.RecordAnswer{tt.answer, {Model: "large"}}}, nil)
				}}
			var b bytes.Buffer
			log, err := x.Instances(&b)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(log)
			if err != nil {
				t.Fatal(err)
			}
			follows(t, logs, string(text))
			for line := range strings.Lines(b.String()) {
				if strings.ContainsFunc(line, func(r rune) bool { return r > 0x7e }) {
					t.Errorf("%s is not ASCII: Python's splitlines may break it", line)
				}
				follows(t, instances, line)
				if id := log["evaluation_id"].(string); !strings.Contains(line, id) || !strings.Contains(line, tt.id) {
					t.Errorf("%s does not name its aggregate %s", line, id)
				}
			}
			if want := fmt.Sprintf(`"score_details":{"score":%v`, 1-tt.answer.Error); !strings.Contains(string(text), want) {
				t.Errorf("want %s in %s", want, text)
			}
		})
	}
}

// The hash of a question is that of Python's json.dumps({"raw": …, "reference": …}, sort_keys=True,
// separators=(",", ":")), computed with Python 3.11.
func TestSampleHash(t *testing.T) {
	var b bytes.Buffer
	x := importer.EvalEver{Results: &result.Results{Cascades: []result.Cascade{{Name: "c", Models: []string{"m", "n"}}}},
		Model: "m", Dataset: "d", Records: func(yield func(result.Record, error) bool) {
			yield(result.Record{Cascade: "c", Dataset: "d", ID: "1", Prompt: "a<b>&\u2028\x7f\té𝟙\"\\",
				References: []string{"ß"},
				Models:     []result.RecordAnswer{{Model: "m"}, {Model: "n"}}}, nil)
		}}
	if _, err := x.Instances(&b); err != nil {
		t.Fatal(err)
	}
	const want = "57810329d5f9c2c96d73cb2bd61e55d7333699b018c87d994f62800ad6b2bda2"
	if !strings.Contains(b.String(), want) {
		t.Errorf("%s\nwant the hash %s", b.String(), want)
	}
}

// The schemas of version 0.3.0 are evaleval/every_eval_ever's own (commit 9bce413, MIT licence beside them).
func schemaOf(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", "every-eval-ever", name))
	if err != nil {
		t.Fatal(err)
	}
	if s.Validate(map[string]any{"schema_version": 3.0}) == nil {
		t.Fatalf("%s accepts a version that is a number", name)
	}
	return s
}

// follows reports where a document breaks a schema.
func follows(t *testing.T, s *jsonschema.Schema, document string) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, document)
	}
}
