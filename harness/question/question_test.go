package question

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/spec"
	"infnet/harness/task"
	"infnet/metrics/extract"
)

const text = `
study = "two"
cost  = { model = "tokens" }

[[models]]
name      = "a"
backend   = "simulated"
simulated = { alpha = 1, beta = 1, intercept = 0 }
[[models]]
name      = "b"
backend   = "simulated"
simulated = { alpha = 1, beta = 1, intercept = 0 }

[[datasets]]
name   = "colours"
source = "file:rows.csv"
task   = "classification"
labels = [{ class = "0", word = "red" }, { class = "1", word = "blue" }]
prompt = "Item {item} {{sic}}:"

[[datasets]]
name       = "phrases"
source     = "file:rows.csv"
task       = "translation"
reference  = "de"
prompt     = "{en} ="
max_tokens = 9
stop       = ["\n"]
metrics    = ["rouge-l"]

[[datasets]]
name      = "meanings"
source    = "file:rows.csv"
task      = "translation"
reference = "de"
prompt    = "{en} ="
metrics   = ["rouge-l", "cosine"]

[[cascades]]
models = ["a", "b"]
`

func study(t *testing.T) *spec.Study {
	t.Helper()
	s, err := spec.LoadFS(fstest.MapFS{"s.toml": {Data: []byte(text)}, "rows.csv": {Data: []byte("item\n1\n")}}, "s.toml",
		spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sheet(t *testing.T, name string, fields ...map[string]string) (*Sheet, error) {
	t.Helper()
	d, ok := study(t).Dataset(name)
	if !ok {
		t.Fatalf("no dataset %s", name)
	}
	var examples []dataset.Example
	for i, f := range fields {
		examples = append(examples, dataset.Example{ID: string(rune('a' + i)), Row: i + 1, Fields: f})
	}
	set, err := dataset.New(name, examples)
	if err != nil {
		t.Fatal(err)
	}
	return New(d, set)
}

// What is asked, and nothing else: the key of a request is what answers are found by.
func TestRequest(t *testing.T) {
	id := backends.ModelID{ID: "m", Revision: "r", Kind: backends.Simulated}
	classes, err := sheet(t, "colours", map[string]string{"item": "1"}, map[string]string{"item": "{item} two"})
	if err != nil {
		t.Fatal(err)
	}
	if classes.Len() != 2 {
		t.Errorf("%d questions, want 2", classes.Len())
	}
	phrases, err := sheet(t, "phrases", map[string]string{"en": "the cat"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		got  backends.Request
		want backends.Request
	}{
		{"a classification asks for labels, joined by a space, and for no text",
			classes.Request(0, id, &spec.Model{Mode: backends.Raw}),
			backends.Request{Model: id, Mode: backends.Raw, Prompt: "Item 1 {sic}:", Labels: []string{" red", " blue"}}},
		{"braces in data name no field; chat joins labels as raw does",
			classes.Request(1, id, &spec.Model{Mode: backends.Chat}),
			backends.Request{Model: id, Mode: backends.Chat, Prompt: "Item {item} two {sic}:",
				Labels: []string{" red", " blue"}}},
		{"a generation has its limits", phrases.Request(0, id, &spec.Model{Mode: backends.Raw}),
			backends.Request{Model: id, Mode: backends.Raw, Prompt: "the cat =", MaxTokens: 9, Stop: []string{"\n"}}},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
	if a, b := classes.Request(0, id, &spec.Model{Mode: backends.Raw}).Key(), classes.Request(1, id,
		&spec.Model{Mode: backends.Raw}).Key(); a == b {
		t.Error("two prompts have one key")
	}
}

// What a program is given of a record, which names its grade, depends on neither the record's place nor its id.
func TestToGrade(t *testing.T) {
	rows := []map[string]string{{"en": "the \"cat\" <b>", "extra": "1"}, {"en": "a dog", "extra": "2"}}
	one, err := sheet(t, "phrases", rows[0], rows[1])
	if err != nil {
		t.Fatal(err)
	}
	other, err := sheet(t, "phrases", rows[1], rows[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Sheet{one, other} {
		for i := range s.Set.Examples {
			s.Set.Examples[i].References = []string{"die Katze", s.Set.Examples[i].Fields["extra"]}
		}
	}
	got := one.ToGrade(0, "eine Katze")
	want := backends.Pair{Target: "eine Katze",
		Source: `{"fields":{"en":"the \"cat\" <b>","extra":"1"},"references":["die Katze","1"]}`}
	if got != want || other.ToGrade(1, "eine Katze") != want || one.ToGrade(1, "eine Katze") == want {
		t.Errorf("%v and %v, want %v", got, other.ToGrade(1, "eine Katze"), want)
	}
}

func TestEmbeds(t *testing.T) {
	s := study(t)
	for name, want := range map[string]bool{"colours": false, "phrases": false, "meanings": true} {
		d, _ := s.Dataset(name)
		if got := Embeds(d); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	d, _ := s.Dataset("phrases")
	judged := *d
	judged.Correct.Rule = task.Cosine
	if !Embeds(&judged) {
		t.Error("a rule that looks at vectors, and they are not collected")
	}
}

// The tokens of thoughts are not those of an answer, whichever part of the reply makes the confidence.
func TestTokensOfThoughts(t *testing.T) {
	s := &Sheet{Dataset: &spec.Dataset{}}
	var err error
	if s.finder, err = extract.New([]extract.Way{"last-number"}); err != nil {
		t.Fatal(err)
	}
	token := func(text string) backends.Token { return backends.Token{Text: text, Logprob: -1} }
	end := backends.Token{Text: "<eos>", End: true}
	answer := func(tokens ...backends.Token) (a backends.Answer) {
		for _, x := range tokens {
			if !x.End {
				a.Text += x.Text
			}
		}
		a.Tokens = tokens
		return a
	}
	for _, c := range []struct {
		name string
		a    backends.Answer
		want []backends.Token
	}{
		{"none", answer(token("It is"), token(" 7"), end), []backends.Token{token("It is"), token(" 7"), end}},
		{"before", answer(token("<think>"), token("3"), token("</think>"), token("It is"), token(" 7"), end),
			[]backends.Token{token("It is"), token(" 7"), end}},
		{"on the border", answer(token("<think>"), token("3"), token("</think>It"), token(" 7")),
			[]backends.Token{token("</think>It"), token(" 7")}},
		{"cut", answer(token("<think>"), token("3")), nil},
	} {
		got, err := s.Heard(c.a)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got.Tokens); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
	if _, err := s.Heard(backends.Answer{Text: "<think>3</think>7", Tokens: []backends.Token{token("8")}}); err == nil {
		t.Error("tokens of another text")
	}
	s.finder = nil
	if s.Lacking(backends.Answer{Thinks: true}) != backends.Thoughts || s.Lacking(backends.Answer{}) != "" {
		t.Error("thoughts are taken where nobody says how an answer is found, or an answer is not")
	}
}
