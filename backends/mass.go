package backends

import "infnet/harness/calc"

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
	return m == LabelsTopLogprobs || m == LabelsTokenIDs || m == LabelsEcho
}
