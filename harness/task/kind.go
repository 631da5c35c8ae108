package task

import "infnet/harness/choice"

// Kind is the kind of task of a dataset.
type Kind string

// The kinds.
const (
	Classification Kind = "classification" // which of the labels
	QA             Kind = "qa"             // a short answer
	Translation    Kind = "translation"    // the text in another language
	Generation     Kind = "generation"     // any text
)

// Kinds lists the valid kinds.
func Kinds() []Kind { return []Kind{Classification, QA, Translation, Generation} }

// UnmarshalText accepts a kind's name.
func (k *Kind) UnmarshalText(b []byte) error { return choice.Decode(k, b, "task", Kinds()) }

// Rule decides whether an answer is correct.
type Rule string

// The rules. Those with a threshold τ accept a score of at least τ.
const (
	Label      Rule = "label"       // the predicted class is the reference class
	ExactMatch Rule = "exact-match" // equal to a reference after SQuAD normalisation
	TokenF1    Rule = "token-f1"    // SQuAD token F1 ≥ τ
	RougeL     Rule = "rouge-l"     // ROUGE-L F ≥ τ
	Cosine     Rule = "cosine"      // cosine of embeddings ≥ τ
	Number     Rule = "number"      // equal to a reference as an exact number
	Math       Rule = "math"        // equal to a reference as a formula, a set, a tuple or words
	Choice     Rule = "choice"      // the same letter as a reference
	Contains   Rule = "contains"    // the words of a reference are in it
	JSON       Rule = "json"        // equal to a reference as a value of JSON
	Command    Rule = "command"     // a program of the user's says so: 1, or a score ≥ τ where there is a τ
	Judge      Rule = "judge"       // a model says so
	Recorded   Rule = "recorded"    // the grade recorded with the answer: 1, or a score ≥ τ where there is a τ
)

// Rules lists the valid rules.
func Rules() []Rule {
	return []Rule{Label, ExactMatch, TokenF1, RougeL, Cosine, Number, Math, Choice, Contains, JSON, Command, Judge,
		Recorded}
}

// UnmarshalText accepts a rule's name.
func (r *Rule) UnmarshalText(b []byte) error { return choice.Decode(r, b, "correctness rule", Rules()) }
