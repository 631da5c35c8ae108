package cost

import (
	"strings"
	"unicode/utf8"

	"infnet/backends"
)

// CharactersPerToken is the rule of thumb for texts without a token count.
const CharactersPerToken = 4

// Counts are the tokens behind a cost. Estimated counts are marked.
type Counts struct {
	Prompt, Completion int
	Cached             int // of Prompt, those from the vendor's cache

	PromptEstimated, CompletionEstimated bool
}

// Estimated reports whether any part is an estimate.
func (t Counts) Estimated() bool { return t.PromptEstimated || t.CompletionEstimated }

// Plus is the sum; of an estimate and a number it is an estimate.
func (t Counts) Plus(o Counts) Counts {
	return Counts{t.Prompt + o.Prompt, t.Completion + o.Completion, t.Cached + o.Cached,
		t.PromptEstimated || o.PromptEstimated, t.CompletionEstimated || o.CompletionEstimated}
}

// Count returns the tokens of one call with its request and answer. Reported counts
// are used unchanged; of a part that was not reported,
//
//	completion  0 of a decision model, which writes nothing; 1 for a classification
//	            by the label's first token; the number of the answer's tokens,
//	            where it lists them; else ⌈characters/4⌉
//	            of its text, an estimate; and ⌈characters/4⌉ of thoughts apart
//	            from the text, an estimate
//	prompt      ⌈characters/4⌉, an estimate
//
// This is the one rule for costs, budgets and plans alike.
func Count(r backends.Request, a backends.Answer, u backends.Usage) Counts {
	var t Counts
	var known bool
	if t.Prompt, known = u.Prompt.Known(); !known {
		t.Prompt, t.PromptEstimated = Estimate(r), true
	} else {
		t.Cached = min(u.Cached, t.Prompt)
	}
	if t.Completion, known = u.Completion.Known(); known {
		return t
	}
	thoughts := perToken(utf8.RuneCountInString(a.Thoughts))
	switch {
	case r.Question != "":
	case len(r.Labels) > 0 && a.By != backends.LabelsText:
		t.Completion = 1
	case len(a.Tokens) > 0:
		t.Completion, t.CompletionEstimated = len(a.Tokens)+thoughts, thoughts > 0
	default:
		t.Completion, t.CompletionEstimated = perToken(utf8.RuneCountInString(a.Text))+thoughts, true
	}
	return t
}

// Estimate returns the estimated tokens of a request's prompt: ⌈characters/4⌉. A decision model reads the question, and
// every label with what it means, besides.
func Estimate(r backends.Request) int {
	n := utf8.RuneCountInString(r.System) + utf8.RuneCountInString(r.Prompt)
	for _, e := range r.Examples {
		n += utf8.RuneCountInString(e.Prompt) + utf8.RuneCountInString(e.Answer)
	}
	if r.Question != "" {
		n += utf8.RuneCountInString(r.Question + strings.Join(r.Labels, "") + strings.Join(r.Criteria, ""))
	}
	return perToken(n)
}

func perToken(characters int) int { return (characters + CharactersPerToken - 1) / CharactersPerToken }
