package spec

import (
	"fmt"

	"infnet/harness/choice"
	"infnet/harness/confidence"
)

// LabelMass says how to treat classifications with little probability mass on the labels.
type LabelMass struct {
	Floor float64 // in [0,1]; a smaller mass is too little; 0 disables the check
	Below LittleMass
}

// LittleMass is the effect of a mass below the floor.
type LittleMass string

// The effects.
const (
	FlagMass   LittleMass = "flag"   // the answer counts; the tables say how many there are
	RefuseMass LittleMass = "refuse" // the record is missing
)

// UnmarshalText accepts flag or refuse.
func (m *LittleMass) UnmarshalText(b []byte) error {
	return choice.Decode(m, b, "effect of little label mass", []LittleMass{FlagMass, RefuseMass})
}

// usualMass flags answers where everything that is not a label is together more probable than all
// labels.
var usualMass = LabelMass{Floor: 0.5, Below: FlagMass}

// checkLabelMass checks the treatment of little label mass.
func checkLabelMass(f *file, r rawLabelMass) LabelMass {
	m := LabelMass{Floor: or(r.Floor, usualMass.Floor), Below: or(r.Below, usualMass.Below)}
	if !(m.Floor >= 0 && m.Floor <= 1) {
		f.wrong("confidence.label_mass.floor", fmt.Sprintf("the floor %v is no probability", m.Floor),
			"0.5 is the default, and 0 is never undercut")
	}
	return m
}

// checkConfidence checks how log-probabilities become β.
func checkConfidence(f *file, r rawConfidence, p Policy) Confidence {
	c := Confidence{
		Classification: confidence.Softmax,
		Generation:     or(r.Generation, defaultGeneration),
		IncludeEOS:     or(r.IncludeEOS, false),
		LabelMass:      checkLabelMass(f, or(r.LabelMass, rawLabelMass{})),
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
