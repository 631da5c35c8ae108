package huggingface

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends"
	"infnet/backends/wire"
)

func TestCutText(t *testing.T) {
	for _, tt := range []struct{ name, prompt, before, end, want string }{
		{"whole", " a b ", "", "", "a b"},
		{"between", "Classify.\nReview: good film\nSentiment:", "Review: ", "\nSentiment:", "good film"},
		{"white space behind the end", "Review: x\nSentiment: \n", "Review: ", "\nSentiment:", "x"},
		{"the words before the text again in it", "Review: a Review: b\nSentiment:", "Review: ", "\nSentiment:",
			"a Review: b"},
		{"the end again in the text", "Review: a\nSentiment: b\nSentiment:", "Review: ", "\nSentiment:", "a\nSentiment: b"},
		{"no such words", "a", "Review: ", "", ""},
		{"another end", "Review: a\nLabel:", "Review: ", "\nSentiment:", ""},
		{"something behind the end", "Review: a\nSentiment: good", "Review: ", "\nSentiment:", ""},
		{"no text", "Review: \nSentiment:", "Review: ", "\nSentiment:", ""},
	} {
		got, err := cutText(tt.prompt, tt.before, tt.end)
		var f *backends.Failure
		if got != tt.want || (err != nil) != (tt.want == "") || err != nil && (!errors.As(err, &f) || f.Temporary()) {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestCutQuestion(t *testing.T) {
	const p, q, e = defaultContext, defaultQuestion, defaultEnd
	for _, tt := range []struct{ name, prompt, context, question, end, passage, asked string }{
		{"passage first", "Passage: A b.\nQuestion: who?\nAnswer:", p, q, e, "A b.", "who?"},
		{"question first", "Question: who?\nPassage: A b.\nAnswer:", "\nPassage: ", "Question: ", e, "A b.", "who?"},
		{"instructions before", "Answer from the text.\nPassage: A.\nQuestion: who?\nAnswer:", p, q, e, "A.", "who?"},
		{"a passage with a question in it", "Passage: A.\nQuestion: not this\nB.\nQuestion: who?\nAnswer:", p, q, e,
			"A.\nQuestion: not this\nB.", "who?"},
		{"the same, question first", "Question: who?\nPassage: A.\nPassage: B\nQuestion: C.\nAnswer:", "\nPassage: ",
			"Question: ", e, "A.\nPassage: B\nQuestion: C.", "who?"},
		{"a passage with an answer in it", "Passage: A\nAnswer: b.\nQuestion: who?\nAnswer:", p, q, e, "A\nAnswer: b.",
			"who?"},
		{"no passage", "Question: who?\nAnswer:", p, "Question: ", e, "", ""},
		{"no question", "Passage: A.\nAnswer:", p, q, e, "", ""},
		{"an empty question", "Passage: A.\nQuestion: \nAnswer:", p, q, e, "", ""},
		{"words that overlap", "Passage: A.\nAnswer:", "Passage: ", "sage: ", e, "", ""},
		{"no end", "Passage: A.\nQuestion: who?", p, q, e, "", ""},
	} {
		passage, asked, err := cutQuestion(tt.prompt, tt.context, tt.question, tt.end)
		if passage != tt.passage || asked != tt.asked || (err != nil) != (tt.passage == "") {
			t.Errorf("%s: %q, %q, %v", tt.name, passage, asked, err)
		}
	}
}

// Whatever the passage holds, passage and question are found.
func TestCutQuestionAlways(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", " b ", "\n", defaultContext, defaultQuestion, defaultEnd, "é", "x y"})
	rapid.Check(t, func(t *rapid.T) {
		passage := "p" + strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "passage"), "") + "p"
		question := "q" + rapid.StringMatching(`[a-z ?]{0,12}`).Draw(t, "question") + "?"
		prompt := defaultContext + passage + defaultQuestion + question + defaultEnd
		p, q, err := cutQuestion(prompt, defaultContext, defaultQuestion, defaultEnd)
		if err != nil || p != passage || q != question {
			t.Fatalf("%q: %q, %q, %v", prompt, p, q, err)
		}
	})
}

// FuzzMend: whatever a server sends, mending gives either a failure that is
// worth another try or a form whose lists have equal lengths.
func FuzzMend(f *testing.F) {
	for _, s := range []string{`[{"label":"a","score":0.5}]`, `[[{"label":"a","score":1}]]`,
		`{"sequence":"x","labels":["a"],"scores":[1]}`,
		`[{"sequence":"x","labels":["a"],"scores":[1]}]`, `{"answer":"a","score":1}`, `[{"answer":"a","score":1}]`,
		`{"error":"x"}`, `null`, `[null]`, `[[]]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, task := range backends.HuggingFaceTasks() {
			m := &Model{cfg: backends.HuggingFaceConfig{HuggingFaceOptions: backends.HuggingFaceOptions{Task: task}}}
			got, fail := m.readable(&wire.Reply{Body: b})
			if fail != nil {
				if !fail.Temporary() {
					t.Errorf("%s of %q: %v", task, b, fail)
				}
				continue
			}
			again, fail := m.readable(&wire.Reply{Body: got})
			if fail != nil || string(again) != string(got) {
				t.Errorf("%s of %q: mended twice %q, %q, %v", task, b, got, again, fail)
			}
		}
	})
}
