// Package task turns examples into prompts and answers into grades. It owns the kinds of task, the prompt template,
// the labels, the extraction of an answer from a model's text, and the correctness rules with their defaults. It calls
// no model: vectors that a rule needs are passed in.
//
// Its opinion: a prompt is a text with named placeholders and no logic, and an
// answer is graded by one rule that the study names, never by several.
package task

import (
	"infnet/harness/choice"
	"infnet/metrics"
)

// Kind is the kind of task of a dataset.
type Kind string

const (
	Classification Kind = "classification" // which of the labels
	QA             Kind = "qa"             // a short answer
	Translation    Kind = "translation"    // the text in another language
	Generation     Kind = "generation"     // any text
)

func (k *Kind) UnmarshalText(b []byte) error {
	return choice.Decode(k, b, "task", []Kind{Classification, QA, Translation, Generation})
}

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

func (r *Rule) UnmarshalText(b []byte) error {
	return choice.Decode(r, b, "correctness rule", []Rule{Label, ExactMatch, TokenF1, RougeL, Cosine, Number, Math, Choice,
		Contains, JSON, Command, Judge, Recorded})
}

// DefaultTau is the score from which an answer is right where a rule needs
// one: the paper's τ, which it states for the cosine of its sentence encoder.
const DefaultTau = 0.7

// Defaults are the settings of a kind of dataset that its study leaves out.
type Defaults struct {
	Rule      Rule
	Tau       float64        // in (0,1]; 0 for rules without one
	Metrics   []metrics.Name // what the paper's tables show
	MaxTokens int            // new tokens at most; 0 for classification
}

// DefaultsOf returns the defaults of a kind. A text's rule is one of words (exact match after SQuAD normalisation, or
// SQuAD token F1): a cosine means something only with a sentence encoder, which a study must name.
func DefaultsOf(k Kind) Defaults {
	text := []metrics.Name{metrics.RougeL, metrics.Cosine}
	switch k {
	case Classification:
		return Defaults{Rule: Label, Metrics: []metrics.Name{metrics.Accuracy, metrics.F1Macro}}
	case QA:
		return Defaults{Rule: ExactMatch, Metrics: text, MaxTokens: 16}
	case Translation:
		return Defaults{Rule: TokenF1, Tau: DefaultTau, Metrics: text, MaxTokens: 64}
	}
	return Defaults{Rule: TokenF1, Tau: DefaultTau, Metrics: text, MaxTokens: 128}
}

// HasTau reports whether the rule accepts from a threshold.
func (r Rule) HasTau() bool { return r == TokenF1 || r == RougeL || r == Cosine }

// MayHaveTau reports whether the rule says right or wrong, or accepts from a threshold that a study states.
func (r Rule) MayHaveTau() bool { return r == Recorded || r == Command }

// Reads reports whether the rule has to read an answer as something, and decides nothing where it cannot.
func (r Rule) Reads() bool {
	return r == Number || r == Math || r == Choice || r == JSON || r == Command || r == Judge
}

// Joins reports whether the rule can be one of several that are tried in order.
func (r Rule) Joins() bool { return r != Label && r != Recorded && r != Cosine }

// needsNone reports whether the rule can judge an answer without a reference.
func (r Rule) needsNone() bool { return r == Recorded || r == Command }

// NeedsVectors reports whether the rule needs embeddings.
func (r Rule) NeedsVectors() bool { return r == Cosine }

// Fits reports whether the rule can judge answers of a kind: label is for
// classification, recorded for every kind, all others are for text.
func (r Rule) Fits(k Kind) bool { return r == Recorded || (r == Label) == (k == Classification) }
