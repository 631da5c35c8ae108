package task

import "infnet/metrics"

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

// DefaultsOf returns the defaults of a kind. A text's rule is one of words
// (exact match after SQuAD normalisation, or SQuAD token F1): a cosine means
// something only with a sentence encoder, which a study must name.
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
