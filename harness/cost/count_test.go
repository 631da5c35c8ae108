package cost_test

import (
	"strings"
	"testing"

	"infnet/backends"
	"infnet/harness/cost"
)

// Every shape of usage, for every kind of answer. The
// prompt has 41 characters and the text 9, so ⌈41/4⌉ = 11 and ⌈9/4⌉ = 3; the
// server that counts says 20 and 5.
func TestCountOfWhatIsNotReported(t *testing.T) {
	n := backends.Counted
	prompt, text := strings.Repeat("ä", 41), strings.Repeat("ö", 9)
	shapes := []struct {
		name  string
		usage backends.Usage
		guess [2]bool // prompt, completion unknown
	}{
		{"all", backends.Usage{Prompt: n(20), Completion: n(5), Cached: 16}, [2]bool{false, false}},
		{"prompt", backends.Usage{Prompt: n(20)}, [2]bool{false, true}},
		{"completion", backends.Usage{Completion: n(5)}, [2]bool{true, false}},
		{"nothing", backends.Usage{}, [2]bool{true, true}},
	}
	kinds := []struct {
		name       string
		request    backends.Request
		answer     backends.Answer
		completion int // where it is not reported
		estimated  bool
	}{
		{"classification", backends.Request{Labels: []string{"a", "b"}}, backends.Answer{Text: text}, 1, false},
		{"classification by text", backends.Request{Labels: []string{"a", "b"}},
			backends.Answer{Text: text, By: backends.LabelsText}, 3, true},
		{"generation with tokens", backends.Request{MaxTokens: 64},
			backends.Answer{Text: text, Tokens: make([]backends.Token, 4)}, 4, false},
		{"generation without", backends.Request{MaxTokens: 64}, backends.Answer{Text: text}, 3, true},
		{"generation with tokens, and 21 characters of thoughts", backends.Request{MaxTokens: 64},
			backends.Answer{Text: text, Thoughts: strings.Repeat("t", 21), Tokens: make([]backends.Token, 4)}, 4 + 6, true},
		{"generation with thoughts", backends.Request{MaxTokens: 64},
			backends.Answer{Text: text, Thoughts: strings.Repeat("t", 21)}, 3 + 6, true},
		{"decision", backends.Request{Labels: []string{"a", "b"}, Question: "Q"}, backends.Answer{Text: text}, 0, false},
		{"empty generation", backends.Request{MaxTokens: 64}, backends.Answer{}, 0, true},
	}
	for _, s := range shapes {
		for _, k := range kinds {
			k.request.Prompt = prompt
			want := cost.Counts{Prompt: 20, Completion: 5}
			if s.guess[0] { // ⌈(41 + 3)/4⌉ with the question and its labels is 11 too
				want.Prompt, want.PromptEstimated = 11, true
			}
			if s.guess[1] {
				want.Completion, want.CompletionEstimated = k.completion, k.estimated
			}
			got := cost.Count(k.request, k.answer, s.usage)
			if got != want {
				t.Errorf("%s, %s reported: %+v, want %+v", k.name, s.name, got, want)
			}
		}
	}
}

// All that is sent counts as the prompt.
func TestEstimateOfWholeRequests(t *testing.T) {
	// 12 characters
	r := backends.Request{Prompt: "abcd", System: "efgh", Examples: []backends.Example{{Prompt: "ij", Answer: "kl"}}}
	if got := cost.Estimate(r); got != 3 {
		t.Errorf("%d tokens, want 3", got)
	}
	// 5 + 6 + 2 + 3 + 8 = 24 characters; without a question the labels are not sent
	r = backends.Request{Prompt: "state", Labels: []string{" a", " bc"}}
	if got := cost.Estimate(r); got != 2 {
		t.Errorf("%d tokens of a prompt with labels, want 2", got)
	}
	r.Question, r.Criteria = "Which?", []string{"", "a choice"}
	if got := cost.Estimate(r); got != 6 {
		t.Errorf("%d tokens of a decision, want 6", got)
	}
}
