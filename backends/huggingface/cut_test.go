package huggingface

import (
	"errors"
	"testing"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends"
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
	for _, tt := range []struct{ name, prompt, passage, asked string }{
		{"as it is", "Passage: A b.\nQuestion: who?\nAnswer:", "A b.", "who?"},
		{"instructions before", "Answer from the text.\nPassage: A.\nQuestion: who?\nAnswer:", "A.", "who?"},
		{"a passage with a question in it", "Passage: A.\nQuestion: not this\nB.\nQuestion: who?\nAnswer:",
			"A.\nQuestion: not this\nB.", "who?"},
		{"a passage with an answer in it", "Passage: A\nAnswer: b.\nQuestion: who?\nAnswer:", "A\nAnswer: b.", "who?"},
		{"no passage", "Question: who?\nAnswer:", "", ""},
		{"no question", "Passage: A.\nAnswer:", "", ""},
		{"an empty question", "Passage: A.\nQuestion: \nAnswer:", "", ""},
		{"no end", "Passage: A.\nQuestion: who?", "", ""},
	} {
		passage, asked, err := cutQuestion(tt.prompt, questionEnd)
		if passage != tt.passage || asked != tt.asked || (err != nil) != (tt.passage == "") {
			t.Errorf("%s: %q, %q, %v", tt.name, passage, asked, err)
		}
	}
}
