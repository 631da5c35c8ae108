package spec

import (
	"fmt"

	"infnet/harness/confidence"
)

// usualMass marks answers where everything that is not a label is together more probable than all labels.
const usualMass = 0.5

// checkConfidence checks how log-probabilities become β.
func checkConfidence(f *file, c Confidence, p Policy) Confidence {
	c.Classification = confidence.Softmax
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
