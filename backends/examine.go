package backends

import "context"

// Verdict says what a finding means for a study.
type Verdict int

// The verdicts.
const (
	Fine    Verdict = iota // as a study needs it
	Unknown                // nobody tells; nothing is wrong
	Doubt                  // a study runs, and less is known or it is slower
	Broken                 // a study cannot run, or its numbers would not hold
)

// Finding is one line of a check-up: one question, what was found, and where it
// is not as a study needs it what would mend that. It holds no secret.
type Finding struct {
	Verdict  Verdict
	Question string // two words, such as "log-probabilities"
	Found    string
	Fix      string // "" = nothing to do
}

// Examination is what a check-up is about: how the study asks the model, and
// whether its confidence decides something.
type Examination struct {
	Mode    Mode
	Student bool       // the model stands before the end of a cascade
	Labels  [][]string // of each classification, as requests have them
}

// Examined is an optional ability of a Model: a check-up of what stands behind
// it, by asking it. Findings come in the order in which one depends on the
// other. alive is false where the model cannot be asked anything: then there is
// no use in asking further.
type Examined interface {
	Examine(ctx context.Context, e Examination) (found []Finding, alive bool)
}
