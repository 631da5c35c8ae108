package spec

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/choice"
	"infnet/harness/router"
	"infnet/harness/spec/place"
)

// Compat is whose rules a baseline follows where the paper and its authors'
// code differ.
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

// DeltaKind is what a fall of quality is measured in.
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

// Learns reports whether the baseline learns from text whom to ask.
func (k BaselineKind) Learns() bool { return k == FrugalGPT || k == HybridLLM }

// Embeds reports whether some baseline's learner looks at embeddings of the
// inputs: then they are collected.
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

// learned reads the keys of a baseline that learns.
func (l *loader) learned(f *file, at string, r rawBaseline, b *Baseline) {
	b.Learner, b.Encoder = l.teaches(r)
	b.Released = or(r.Compat, ByPaper) == Released
	if r.LearnerCost != nil {
		b.Priced, b.Cost = true, *r.LearnerCost
		if !(b.Cost >= 0) || math.IsInf(b.Cost, 0) {
			l.bad(f, at+".learner_cost", fmt.Sprintf("%v is no cost", b.Cost), "write what one score costs, in the study's unit of cost, 0 or more")
		}
	}
	switch {
	case b.Learner == router.Encoder && r.Encoder == nil:
		l.missing(f, at, "encoder", "learner = \"encoder\" fine-tunes a model: name one of [[models]], whose folder holds a BERT or DistilBERT")
	case or(r.Learner, router.Light) != router.Encoder && r.Encoder != nil:
		l.bad(f, at+".encoder", fmt.Sprintf("the learner %s has no encoder", b.Learner), "write learner = \"encoder\", or leave encoder out")
	}
	if b.Kind == HybridLLM {
		b.Delta = or(r.Delta, defaultDelta)
		usual := Absolute
		if b.Released {
			usual = Relative
		}
		b.Relative = or(r.DeltaKind, usual) == Relative
		if math.Abs(b.Delta) > mostDelta {
			l.bad(f, at+".delta", fmt.Sprintf("%v is outside -%d to %d", b.Delta, mostDelta, mostDelta), "")
		}
		return
	}
	for _, k := range []struct {
		key     string
		written bool
	}{{"delta", r.Delta != nil}, {"delta_kind", r.DeltaKind != nil}} {
		if k.written {
			l.bad(f, place.Join(at, k.key), "frugalgpt has no delta: its constraint is the cost of our policy", "leave it out; delta is for hybridllm")
		}
	}
}

// defaultDelta is the drop of quality that HybridLLM may cause (paper §5: 1 %).
const (
	defaultDelta = 0.01
	mostDelta    = 1000
)

// fineTuned marks the models that baselines fine-tune as used, and returns
// those that no cascade names.
func (l *loader) fineTuned(main *file, models []*definition, whole bool) []*definition {
	asked := map[*definition]bool{}
	for _, d := range models {
		asked[d] = d.used
	}
	known := []string{}
	for _, d := range models {
		if d.name != "" {
			known = append(known, d.name)
		}
	}
	for i, r := range main.raw.Baselines {
		learner, name := l.teaches(r)
		if name == "" || learner != router.Encoder {
			continue
		}
		j := slices.IndexFunc(models, func(d *definition) bool { return d.name != "" && d.name == name })
		switch {
		case j >= 0:
			models[j].used = true
		case whole:
			l.bad(main, place.Element("baselines", i)+".encoder", fmt.Sprintf("no model is named %q", name), place.Suggest(name, known))
		}
	}
	var out []*definition
	for _, d := range models {
		if d.used && !asked[d] {
			out = append(out, d)
		}
	}
	return out
}
