package spec

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/baseline"
	"infnet/harness/choice"
	"infnet/harness/router"
	"infnet/harness/spec/place"
)

// Compat says whether a baseline follows the paper or its authors' code where the two differ.
type Compat string

// The compats.
const (
	ByPaper  Compat = "none"     // as the paper describes it
	Released Compat = "released" // as the authors' code does it, in what is documented of each baseline
)

// UnmarshalText accepts a compat's name.
func (c *Compat) UnmarshalText(b []byte) error {
	return choice.Decode(c, b, "compat", []Compat{ByPaper, Released})
}

// DeltaKind is the unit of a drop of quality.
type DeltaKind string

// The kinds of delta.
const (
	Absolute DeltaKind = "absolute" // points on the quality's scale
	Relative DeltaKind = "relative" // of the master's mean quality
)

// UnmarshalText accepts a kind's name.
func (k *DeltaKind) UnmarshalText(b []byte) error {
	return choice.Decode(k, b, "kind of delta", []DeltaKind{Absolute, Relative})
}

// Rules returns the options of a baseline that learns.
func (b Baseline) Rules() baseline.Rules {
	return baseline.Rules{Released: b.Released, Delta: b.Delta, Relative: b.Relative}
}

// Quality reports whether the baseline learns from the quality of answers.
func (b Baseline) Quality() bool { return slices.Contains(baseline.Droppers(), b.Kind) }

// Embeds reports whether some baseline's learner reads embeddings of the
// inputs, which are then collected.
func (s *Study) Embeds() bool {
	return slices.ContainsFunc(s.Baselines, func(b Baseline) bool { return b.Learner == router.GBDT })
}

// Encoder returns the model that a baseline fine-tunes.
func (s *Study) Encoder(name string) (*Model, bool) {
	for i := range s.Encoders {
		if s.Encoders[i].Name == name {
			return &s.Encoders[i], true
		}
	}
	return s.Model(name)
}

// checkLearned checks the keys of a baseline that learns.
func checkLearned(f *file, at string, r rawBaseline, b *Baseline, instead replacements) {
	b.Learner, b.Encoder = instead.learner(r)
	b.Released = or(r.Compat, ByPaper) == Released
	if r.LearnerCost != nil {
		b.Priced, b.Cost = true, *r.LearnerCost
		if !(b.Cost >= 0) || math.IsInf(b.Cost, 0) {
			f.wrong(at+".learner_cost", fmt.Sprintf("%v is no cost", b.Cost),
				"write what one score costs, in the study's unit of cost, 0 or more")
		}
	}
	switch {
	case b.Learner == router.Encoder && r.Encoder == nil:
		f.missing(at, "encoder", "learner = \"encoder\" fine-tunes a model: name one of [[models]], whose folder holds a "+
			"BERT or DistilBERT")
	case or(r.Learner, router.Light) != router.Encoder && r.Encoder != nil:
		f.wrong(at+".encoder", fmt.Sprintf("the learner %s has no encoder", b.Learner),
			"write learner = \"encoder\", or leave encoder out")
	}
	if b.Quality() {
		b.Delta = or(r.Delta, baseline.UsualDelta)
		usual := Absolute
		if b.Released {
			usual = Relative
		}
		b.Relative = or(r.DeltaKind, usual) == Relative
		if math.Abs(b.Delta) > mostDelta {
			f.wrong(at+".delta", fmt.Sprintf("%v is outside -%d to %d", b.Delta, mostDelta, mostDelta), "")
		}
		return
	}
	for _, k := range []struct {
		key     string
		written bool
	}{{"delta", r.Delta != nil}, {"delta_kind", r.DeltaKind != nil}} {
		if k.written {
			f.wrong(place.Join(at, k.key), fmt.Sprintf("%s has no delta: its constraint is the cost of our policy", b.Kind),
				"leave it out; delta is for "+choice.And(baseline.Droppers()))
		}
	}
}

// mostDelta is the largest drop or gain of quality that a spec may ask for.
const mostDelta = 1000
