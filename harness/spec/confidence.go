package spec

import (
	"fmt"

	"infnet/harness/confidence"
)

// usualMass marks answers where everything that is not a label is together more probable than all labels.
const usualMass = 0.5

// checkConfidence checks how log-probabilities become β.
func checkConfidence(f *file, r rawConfidence, p Policy) Confidence {
	c := Confidence{
		Classification: confidence.Softmax,
		Generation:     or(r.Generation, defaultGeneration),
		LabelMass:      or(r.LabelMass, usualMass),
	}
	if !(c.LabelMass >= 0 && c.LabelMass <= 1) {
		f.wrong("confidence.label_mass", fmt.Sprintf("the mass %v is no probability", c.LabelMass),
			"0.5 is the default, and 0 is never undercut")
	}
	if c.Generation == confidence.Softmax {
		f.wrong("confidence.generation", "softmax is over label tokens, and a generation has no labels",
			"want one of exp, minmax, sum, sigmoid, quantiles")
	}
	if g := c.Generation; p.Guarantee != nil && (g == confidence.MinMax || g == confidence.Sigmoid ||
		g == confidence.Quantiles) {
		f.wrong("confidence.generation", fmt.Sprintf("%s learns from the records that test the guarantee", g),
			"use exp or sum, which learn nothing, or leave the guarantee out")
	}
	return c
}
