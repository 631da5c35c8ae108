package backends

import (
	"slices"

	"infnet/harness/calc"
)

// Sampling is how a model draws its answers. The zero value is greedy: the most probable token, always.
type Sampling struct {
	// of the sampling
	Temperature float64 `toml:"temperature" need:"samples = { n = 5, temperature = 0.7 }" range:"more than 0, up to 10"` // 0 = greedy
}

// Greedy reports whether nothing is drawn.
func (s Sampling) Greedy() bool { return s == Sampling{} }

// Draw returns the index that u ∈ [0,1) draws from log-probabilities, which may lack a constant:
//
//	P(i) ∝ exp(l_i / Temperature)
//
// At least one log-probability is finite, and none is NaN or +Inf.
func (s Sampling) Draw(logprobs []float64, u float64) int {
	most := slices.Max(logprobs)
	weights, total := make([]float64, len(logprobs)), 0.0
	for i, l := range logprobs {
		weights[i] = calc.Exp((l - most) / s.Temperature)
		total += weights[i]
	}
	at, sum := float64(u*total), 0.0
	for i, w := range weights {
		if sum += w; at < sum {
			return i
		}
	}
	return slices.Index(weights, slices.Max(weights)) // where rounding leaves nothing
}

// Named are the scores of labels of which a model only named one: it was the most probable, and nothing more is known.
func Named(labels []string, at int) []LabelScore {
	scores := make([]LabelScore, len(labels))
	scores[at].Seen = true
	return scores
}

// Mass is how much of a model's probability lies on the labels of a classification: of its first token, or, where
// whole labels were scored, of saying one of them word for word. Low and High are bounds in [0,1], equal where it
// was measured.
type Mass struct {
	Low, High float64
}

// Exactly is a mass that was measured; what rounding adds to certainty is cut.
func Exactly(mass float64) *Mass {
	mass = min(max(mass, 0), 1)
	return &Mass{mass, mass}
}

// Mass is what is known of the mass on the answer's labels. It is what was
// stored with the answer; where nothing was, it follows from the labels'
// log-probabilities if these are over the whole vocabulary:
//
//	Low = Σ exp(lp) of the labels seen, High = min(1, Low + Σ exp(bound) of the others)
//
// ok is false where nothing is known: nobody recorded over what the scores are.
func (a Answer) Mass() (m Mass, ok bool) {
	switch {
	case a.LabelMass != nil:
		return *a.LabelMass, true
	case len(a.Labels) == 0 || a.NoLogprobs || a.Confidence != nil || !a.By.Vocabulary():
		return Mass{}, false
	}
	for _, l := range a.Labels {
		p := calc.Exp(l.Logprob)
		m.High += p
		if l.Seen {
			m.Low += p
		}
	}
	return Mass{min(m.Low, 1), min(m.High, 1)}, true
}

// Vocabulary reports whether this way to ask is known to give log-probabilities over the
// whole vocabulary.
func (m LabelMode) Vocabulary() bool {
	return m == LabelsTopLogprobs || m == LabelsTokenIDs
}
