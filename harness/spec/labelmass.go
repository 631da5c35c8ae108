package spec

import (
	"fmt"

	"infnet/harness/choice"
)

// LabelMass is what becomes of classifications that put little of the model's
// probability on the labels.
type LabelMass struct {
	Floor float64 // in [0,1]; less is little, 0 is never undercut
	Below LittleMass
}

// LittleMass is what a mass below the floor does.
type LittleMass string

// What it can do.
const (
	FlagMass   LittleMass = "flag"   // the answer counts; the tables say how many there are
	RefuseMass LittleMass = "refuse" // the record is missing
)

// UnmarshalText accepts flag or refuse.
func (m *LittleMass) UnmarshalText(b []byte) error {
	return choice.Decode(m, b, "effect of little label mass", []LittleMass{FlagMass, RefuseMass})
}

// usualMass flags answers of which no label is the better guess: whatever is
// no label is together more probable than all labels.
var usualMass = LabelMass{Floor: 0.5, Below: FlagMass}

func (l *loader) labelMass(f *file, r rawLabelMass) LabelMass {
	m := LabelMass{Floor: or(r.Floor, usualMass.Floor), Below: or(r.Below, usualMass.Below)}
	if !(m.Floor >= 0 && m.Floor <= 1) {
		l.bad(f, "confidence.label_mass.floor", fmt.Sprintf("the floor %v is no probability", m.Floor), "0.5 is the default, and 0 is never undercut")
	}
	return m
}
