package backends

import "context"

// Verdict says what a finding means for a study.
type Verdict int

// The verdicts.
const (
	Fine    Verdict = iota // what a study needs
	Unknown                // cannot be found out; nothing is wrong
	Doubt                  // a study runs, but less is known or it is slower
	Broken                 // a study cannot run, or its numbers would not hold
)

// Finding is one line of a check-up: a question, the answer, and the fix if a study needs something
// else. It holds no secret.
type Finding struct {
	Verdict  Verdict
	Question string // two words, such as "log-probabilities"
	Found    string
	Fix      string // "" = nothing to do
}

// Examination describes what to check: how the study asks the model, and whether its confidence is
// used.
type Examination struct {
	Mode    Mode
	Student bool       // the model is not the last of a cascade
	Labels  [][]string // of each classification, as requests have them
}

// Examined is an optional ability of a Model: it checks what serves the model by calling it. Each
// finding comes after those it depends on. alive is false if the model cannot be called at all, so
// that further checks are pointless.
type Examined interface {
	Examine(ctx context.Context, e Examination) (found []Finding, alive bool)
}
