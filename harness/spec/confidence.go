package spec

import (
	"fmt"
	"slices"

	"infnet/harness/choice"
	"infnet/harness/confidence"
)

// Over is the part of a reply whose tokens make its confidence.
type Over string

// OverAnswer is the part that is the answer; "" is the whole reply.
const OverAnswer Over = "answer"

// UnmarshalText accepts a part's name.
func (o *Over) UnmarshalText(b []byte) error {
	return choice.Decode(o, b, "part of a reply", []Over{OverAnswer})
}

// checkOver wants a dataset that says what in a reply is the answer.
func checkOver(f *file, s *Study) {
	if s.Confidence.Over != "" && !slices.ContainsFunc(s.Datasets, func(d Dataset) bool { return len(d.Answer) > 0 }) {
		f.wrong("confidence.over", "no dataset says what in a reply is the answer",
			`leave it out, or say it: answer = "boxed"`)
	}
}

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
