package recorded_test

import (
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/recorded"
)

var sentiment = []dataset.Label{{Class: "0", Word: "negative"}, {Class: "1", Word: "positive"}}

func read(t *testing.T, name, text string, o recorded.Options) ([]recorded.Row, error) {
	t.Helper()
	o.Path = name
	if text != "" {
		o.FS = fstest.MapFS{name: {Data: []byte(text)}}
	}
	return rowsOf(t, o)
}

// rowsOf reads a file of one model's answers.
func rowsOf(t *testing.T, o recorded.Options) (rows []recorded.Row, err error) {
	t.Helper()
	err = recorded.Each(t.Context(), o, func(r recorded.Row) error {
		r.Question, r.References = "", nil
		rows = append(rows, r)
		return nil
	})
	return rows, err
}

func mustRead(t *testing.T, name, text string, o recorded.Options) []recorded.Row {
	t.Helper()
	as, err := read(t, name, text, o)
	if err != nil {
		t.Fatal(err)
	}
	return as
}

func given(f float64) *float64 { return &f }

// Every column of a table, in each of the formats that can hold it; expected
// by hand.
func TestTable(t *testing.T) {
	var usual dataset.AnswerColumns // columns by their usual names
	for _, test := range []struct {
		name, file, text string
		columns          dataset.AnswerColumns
		want             recorded.Row
	}{
		{"a confident label", "a.csv", "id,label,confidence,prompt_tokens,latency\nq1,1,0.75,12,0.5\n", usual,
			recorded.Row{ID: "q1", Place: "line 2", Label: "1", Labelled: true, Confidence: given(0.75),
				Usage: backends.Usage{Prompt: backends.Counted(12)}, Latency: 500 * time.Millisecond}},
		{"empty cells are not recorded", "a.tsv", "id\ttext\tconfidence\tlogprob\nq1\t\t\t\n", usual,
			recorded.Row{ID: "q1", Place: "line 2", Said: true}},
		{"probabilities in a cell", "a.csv", "id,probs\nq1,\"{\"\"negative\"\": 0.5, \"\"positive\"\": 0.5}\"\n",
			usual,
			recorded.Row{ID: "q1", Place: "line 2",
				Scores: []recorded.Score{{Label: "negative", Logprob: math.Log(0.5)},
					{Label: "positive", Logprob: math.Log(0.5)}}}},
		{"log-probabilities in order", "a.jsonl", `{"id": 3, "logprobs": [-1, "-inf"]}`, usual,
			recorded.Row{ID: "3", Place: "line 1", Scores: []recorded.Score{{Logprob: -1}, {Logprob: math.Inf(-1)}}}},
		{"tokens", "a.jsonl", `{"id": "x", "text": "a b", "tokens": ["a", " b"], "token_logprobs": [-0.5, -1]}`,
			usual,
			recorded.Row{ID: "x", Place: "line 1", Text: "a b", Said: true,
				Usage: backends.Usage{Completion: backends.Counted(2)}, Tokens: []backends.Token{{Text: "a", Logprob: -0.5},
					{Text: " b", Logprob: -1}}}},
		{"a whole answer's log-probability", "a.jsonl", `{"id": "x", "text": "a b", "logprob": -3, "completion_tokens": 2}`,
			usual,
			recorded.Row{ID: "x", Place: "line 1", Text: "a b", Said: true,
				Usage: backends.Usage{Completion: backends.Counted(2)}, Tokens: []backends.Token{{Logprob: -1.5},
					{Logprob: -1.5}}, Shared: true}},
		{"the same of an answer of unknown length", "a.jsonl", `{"id": "x", "text": "a b", "logprob": -3}`, usual,
			recorded.Row{ID: "x", Place: "line 1", Text: "a b", Said: true, Whole: true,
				Tokens: []backends.Token{{Logprob: -3}}}},
		{"named columns, nested", "a.jsonl", `{"key": "x", "out": {"says": "hm", "sure": 1}, "set": "reviews"}`,
			dataset.AnswerColumns{ID: "key", Text: "out.says", Confidence: "out.sure", Dataset: "set"},
			recorded.Row{ID: "x", Dataset: "reviews", Place: "line 1", Text: "hm", Said: true, Confidence: given(1)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := mustRead(t, test.file, test.text, recorded.Options{Columns: test.columns})
			if diff := cmp.Diff([]recorded.Row{test.want}, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestTableMistakes(t *testing.T) {
	const good = `{"id": "a", "label": "1", "confidence": 0.5}` + "\n"
	for _, test := range []struct{ name, text, want string }{
		{"no id", `{"key": "a", "label": "1"}`, `line 2: no id: name the column that holds the example's id`},
		{"no answer", `{"id": "a", "score": 1}`, "line 2: no answer: neither a text nor a label"},
		{"confidence", `{"id": "a", "label": "1", "confidence": 1.5}`,
			`line 2: column "confidence": 1.5 is no confidence in [0,1]`},
		{"confidence in words", `{"id": "a", "label": "1", "confidence": "high"}`, `"high" is no number`},
		{"NaN", `{"id": "a", "label": "1", "confidence": "nan"}`, `"nan" is no number`},
		{"probability", `{"id": "a", "probs": [0.5, 1.5]}`, "element 2: 1.5 is no probability"},
		{"sum", `{"id": "a", "probs": [0.7, 0.7]}`, "add up to 1.4"},
		{"both", `{"id": "a", "probs": [1], "logprobs": [0]}`, "name one of them"},
		{"log-probability", `{"id": "a", "text": "x", "token_logprobs": [-1, 0.5]}`, "log-probability 0.5, which is above 0"},
		{"tokens", `{"id": "a", "text": "x", "tokens": ["x"], "token_logprobs": [-1, -2]}`,
			"1 tokens with 2 log-probabilities"},
		{"0 tokens", `{"id": "a", "text": "x", "logprob": -3, "completion_tokens": 0}`, "0 generated tokens cannot have"},
		{"half a token", `{"id": "a", "text": "x", "completion_tokens": 1.5}`, "1.5 is no number of tokens"},
		{"time", `{"id": "a", "text": "x", "latency": -1}`, "-1 is no time in seconds"},
		{"no JSON", `{"id": `, "a.jsonl"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := read(t, "a.jsonl", good+test.text, recorded.Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "a.jsonl") {
				t.Errorf("error %v, want one with %q and the file", err, test.want)
			}
		})
	}
	if _, err := read(t, "a.jsonl", good, recorded.Options{Columns: dataset.AnswerColumns{Text: "says"}}); err == nil ||
		!strings.Contains(err.Error(), `column "says"`) {
		t.Errorf("a named column that is not there: error %v", err)
	}
	if _, err := read(t, "a.eval", "PK", recorded.Options{}); err == nil ||
		!strings.Contains(err.Error(), "cannot tell the format") {
		t.Errorf("a packed log: error %v", err)
	}
}

// The shapes of the harness's sample files: log-likelihoods as texts with
// gen_args objects, and as numbers with lists.
func TestLMEvalChoices(t *testing.T) {
	want := []recorded.Row{
		{ID: "0", Number: 1, Place: "line 1",
			Scores: []recorded.Score{{Label: "negative", Logprob: -3.25}, {Label: "positive", Logprob: -0.25}}},
		{ID: "1", Number: 2, Place: "line 2",
			Scores: []recorded.Score{{Label: "negative", Logprob: -0.5}, {Label: "positive", Logprob: -1.5}}},
	}
	if diff := cmp.Diff(want, mustRead(t, "testdata/lmeval_choice.jsonl", "", recorded.Options{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, o := range []recorded.Options{{IDColumn: "idx"}, {Columns: dataset.AnswerColumns{ID: "doc.idx"}}} {
		got := mustRead(t, "testdata/lmeval_choice.jsonl", "", o)
		if got[0].ID != "7" || got[1].ID != "9" || got[0].Number != 0 {
			t.Errorf("%+v: ids %q, %q, want the documents' own, 7 and 9", o, got[0].ID, got[1].ID)
		}
	}
}

func TestLMEvalTexts(t *testing.T) {
	_, err := read(t, "testdata/lmeval_text.jsonl", "", recorded.Options{})
	if err == nil || !strings.Contains(err.Error(), `there are ["flexible" "strict-match"]: keep the lines of one`) {
		t.Errorf("two filters: error %v", err)
	}
	text, err := os.ReadFile("testdata/lmeval_text.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var strict strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "strict-match") {
			strict.WriteString(line)
		}
	}
	got := mustRead(t, "a.jsonl", strict.String(), recorded.Options{})
	want := []recorded.Row{
		{ID: "0", Number: 1, Place: "line 1", Text: "5", Said: true},
		{ID: "1", Number: 2, Place: "line 2", Text: "[invalid]", Said: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, test := range []struct{ text, want string }{
		{`{"doc_id": -1, "filtered_resps": ["x"]}`, "-1 is no number of a document"},
		{`{"doc_id": 0, "filtered_resps": []}`, "no list of responses"},
		{`{"doc_id": 0, "filtered_resps": [["-1.5", "False"]]}`, "one log-likelihood"},
		{`{"doc_id": 0, "filtered_resps": [["x", "False"], ["-1", "True"]]}`, `choice 1: "x" is no number`},
	} {
		if _, err := read(t, "a.jsonl", test.text, recorded.Options{}); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.text, err, test.want)
		}
	}
}

// The shape of an Inspect log: the second epoch does not count, and a sample
// that ended in an error said nothing.
func TestInspect(t *testing.T) {
	want := []recorded.Row{
		{ID: "r1", Place: "sample 1", Text: "Positive.", Said: true,
			Usage: backends.Usage{Prompt: backends.Counted(12), Completion: backends.Counted(2)}, Latency: 500 *
				time.Millisecond, Finish: backends.FinishEnd,
			Tokens: []backends.Token{{Text: "Posit", Logprob: -0.25}, {Text: "ive.", Logprob: -0.75}}},
		{ID: "2", Place: "sample 3", Text: "negative", Said: true, Finish: backends.FinishEnd},
		{ID: "r3", Place: "sample 4", Fault: "the sample ended in an error: timed out"},
	}
	for i := range want {
		want[i].Model, want[i].Task = "openai/gpt-4o-mini", "reviews"
	}
	got := mustRead(t, "testdata/inspect.json", "", recorded.Options{})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, test := range []struct{ text, want string }{
		{`{"eval": {}, "samples": [{"output": {"completion": "x"}}]}`, "sample 1: it has no id"},
		{`{"eval": {}, "samples": [{"id": 1, "output": {"completion": "x", "time": -2}}]}`, "-2 is no time"},
		{`{"eval": {}, "samples": []}`, "it has no answer"},
	} {
		if _, err := read(t, "log.json", test.text, recorded.Options{}); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.text, err, test.want)
		}
	}
}

// What becomes the answer to a classification, by hand; the request chooses
// between " negative" and " positive".
func TestToChoice(t *testing.T) {
	req := backends.Request{Prompt: "p", Labels: []string{" negative", " positive"}}
	only := func(k int) []backends.LabelScore {
		out := make([]backends.LabelScore, 2)
		out[k].Seen = true
		return out
	}
	scored := func(a, b float64) []backends.LabelScore {
		return []backends.LabelScore{{Logprob: a, Seen: true}, {Logprob: b, Seen: true}}
	}
	for _, test := range []struct {
		name string
		a    recorded.Row
		want backends.Answer
	}{
		{"a confident class", recorded.Row{Label: "1", Labelled: true, Confidence: given(0.25)},
			backends.Answer{Text: " positive", Labels: only(1), Confidence: given(0.25)}},
		{"a word alone", recorded.Row{Label: "negative", Labelled: true},
			backends.Answer{Text: " negative", Labels: only(0), NoLogprobs: true}},
		{"a text that is a label", recorded.Row{Text: " Positive.\n", Said: true},
			backends.Answer{Text: " positive", Labels: only(1), NoLogprobs: true}},
		{"a text that announces its label", recorded.Row{Text: "**Answer:** Positive", Said: true},
			backends.Answer{Text: " positive", Labels: only(1), NoLogprobs: true}},
		{"the name of a class", recorded.Row{Text: "Answer: 0", Said: true},
			backends.Answer{Text: " negative", Labels: only(0), NoLogprobs: true}},
		// (−0.25 − 0.75)/2 = −0.5
		{"a text with tokens", recorded.Row{Text: "positive", Said: true,
			Tokens: []backends.Token{{Logprob: -0.25}, {Logprob: -0.75}}},
			backends.Answer{Text: " positive", Labels: only(1), Confidence: given(math.Exp(-0.5))}},
		{"scores by name", recorded.Row{Scores: []recorded.Score{{Label: "positive", Logprob: -1},
			{Label: "negative", Logprob: -2}}},
			backends.Answer{Text: " positive", Labels: scored(-2, -1)}},
		{"scores by class, with a confidence",
			recorded.Row{Scores: []recorded.Score{{Label: "0", Logprob: -1}, {Label: "1", Logprob: -2}}, Confidence: given(0.5)},
			backends.Answer{Text: " negative", Labels: scored(-1, -2), Confidence: given(0.5)}},
		{"scores of other words, in order",
			recorded.Row{Scores: []recorded.Score{{Label: "bad", Logprob: -1}, {Label: "good", Logprob: -2}}},
			backends.Answer{Text: " negative", Labels: scored(-1, -2)}},
		{"a tie goes to the label said",
			recorded.Row{Label: "1", Labelled: true, Scores: []recorded.Score{{Logprob: -1}, {Logprob: -1}}},
			backends.Answer{Text: " positive", Labels: scored(-1, math.Nextafter(-1, 0))}},
		{"one token where the prompt was counted",
			recorded.Row{Label: "1", Labelled: true, Confidence: given(1), Usage: backends.Usage{Prompt: backends.Counted(5)}},
			backends.Answer{Text: " positive", Labels: only(1), Confidence: given(1),
				Usage: backends.Usage{Prompt: backends.Counted(5), Completion: backends.Counted(1)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.want.Key = req.Key()
			got, err := test.a.To(req, sentiment)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if f := backends.Check(req, got); f != nil {
				t.Errorf("unusable: %v", f)
			}
		})
	}
	for _, a := range []recorded.Row{{Text: "I cannot say", Said: true}, {Fault: "timed out"},
		{Text: "positive or negative", Said: true}, {Text: "<think>hm</think>positive", Said: true}} {
		got, err := a.To(req, sentiment)
		if err != nil || got.Failure == nil || got.Failure.Cause != backends.NotRecorded {
			t.Errorf("%+v: %+v, %v, want the cause not-recorded", a, got, err)
		}
	}
	for _, test := range []struct {
		a    recorded.Row
		want string
	}{
		{recorded.Row{Place: "line 3", Label: "neutral", Labelled: true},
			`line 3: the label "neutral" is none of the dataset's: 0 (negative), 1 (positive)`},
		{recorded.Row{Place: "line 3", Label: "1", Labelled: true, Scores: []recorded.Score{{Logprob: -1}, {Logprob: -2}}},
			`line 3: the label is "1", but "0" is more probable`},
		{recorded.Row{Place: "line 3", Scores: []recorded.Score{{Logprob: -1}}}, "1 scores of labels"},
		{recorded.Row{Place: "line 3", Scores: []recorded.Score{{Label: "0", Logprob: -1}, {Label: "x", Logprob: -1}}},
			`a score of "x"`},
		{recorded.Row{Place: "line 3", Scores: []recorded.Score{{Label: "0", Logprob: -1}, {Label: "negative", Logprob: -1}}},
			"two scores of the label"},
		{recorded.Row{Place: "line 3", Scores: []recorded.Score{{Logprob: math.Inf(-1)}, {Logprob: math.Inf(-1)}}},
			"none of the labels"},
	} {
		if _, err := test.a.To(req, sentiment); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestToText(t *testing.T) {
	req := backends.Request{Prompt: "p", MaxTokens: 4}
	tokens := []backends.Token{{Logprob: -1}}
	for _, test := range []struct {
		name string
		a    recorded.Row
		want backends.Answer
	}{
		{"text alone", recorded.Row{Text: "x", Said: true}, backends.Answer{Text: "x", NoLogprobs: true}},
		{"tokens", recorded.Row{Text: "x", Said: true, Tokens: tokens}, backends.Answer{Text: "x", Tokens: tokens}},
		{"a confidence", recorded.Row{Text: "x", Said: true, Confidence: given(0)},
			backends.Answer{Text: "x", Confidence: given(0)}},
	} {
		test.want.Key = req.Key()
		got, err := test.a.To(req, nil)
		if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got)\n%s", test.name, err, diff)
		}
		if f := backends.Check(req, got); f != nil {
			t.Errorf("%s: unusable: %v", test.name, f)
		}
	}
	if _, err := (recorded.Row{Label: "1", Labelled: true}).To(req, nil); err == nil {
		t.Error("a label answers a question for a text")
	}
}

// A recorded log-probability that is not known is none, and no certainty.
func TestUnknownLogprobs(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"known", "-0.5", ""}, {"null", "null", "no log-probability"}, {"a stand-in", "-9999.0",
			"no log-probability"}, {"left out", "", "no log-probability"},
		{"twice", `-0.5,"logprob":-0.25`, "has a key twice in one object"}, {"above 0", "0.5", "has the log-probability 0.5"},
	} {
		value := `,"logprob":` + test.value
		if test.value == "" {
			value = ""
		}
		log := `{"eval":{},"samples":[{"id":1,"output":{"completion":"a","choices":[{"message":{"content":"a"},"logprobs":{"content":[{"token":"a"` + value + `}]}}]}}]}`
		_, err := rowsOf(t, recorded.Options{Path: "log.json",
			FS: fstest.MapFS{"log.json": {Data: []byte(log)}}})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// By hand: ln .9 is the label's log-probability, however many tokens were counted; of tokens one by one, with ln .9 and
// ln .4, the geometric mean is .6.
func TestLogprobOfALabel(t *testing.T) {
	for _, tt := range []struct {
		row  string
		want float64
	}{
		{row: `"logprob": -0.10536051565782628, "completion_tokens": 1`, want: .9},
		{row: `"logprob": -0.10536051565782628, "completion_tokens": 2`, want: .9},
		{row: `"logprob": -0.10536051565782628, "completion_tokens": 4`, want: .9},
		{row: `"logprob": -0.10536051565782628`, want: .9},
		{row: `"token_logprobs": [-0.10536051565782628, -0.916290731874155]`, want: .6},
	} {
		row := mustRead(t, "a.jsonl", `{"id": "x", "label": "yes", `+tt.row+`}`, recorded.Options{})[0]
		a, err := row.To(backends.Request{Labels: []string{"yes", "no"}},
			[]dataset.Label{{Class: "yes", Word: "yes"}, {Class: "no", Word: "no"}})
		if err != nil || a.Confidence == nil || math.Abs(*a.Confidence-tt.want) > 1e-12 {
			t.Errorf("%s: %+v, %v; want β = %v", tt.row, a, err, tt.want)
		}
	}
}
