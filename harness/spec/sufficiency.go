package spec

import (
	"fmt"
	"slices"

	"infnet/harness/choice"
	"infnet/harness/spec/place"
)

// Sufficiency says how it is tested whether anything known at gating time
// tells more of "student wrong, master right" than the confidence β
// (package sufficiency).
type Sufficiency struct {
	Extra        []Extra   // what J may be, each tested on its own; at least one
	Learner      Regressor // of the regressions
	Method       Method    // how J is tested
	Permutations int       // plain: 1 to 100,000; 0 with pcm
	Nulls        []Null    // nil = beta, and beta+class on classification
	Dimensions   int       // of embeddings, after truncated SVD; 0 = as they are
}

// Asks reports whether J of this kind is among those tested. It is safe on nil,
// which tests nothing.
func (s *Sufficiency) Asks(e Extra) bool { return s != nil && slices.Contains(s.Extra, e) }

// Extra is a kind of extra information J.
type Extra string

// The kinds.
const (
	OutputStats Extra = "output-stats" // statistics of the student's label probabilities or token log-probabilities
	Embeddings  Extra = "embeddings"   // of the input's text
)

// Extras lists the valid kinds.
func Extras() []Extra { return []Extra{OutputStats, Embeddings} }

// UnmarshalText accepts a kind's name.
func (e *Extra) UnmarshalText(b []byte) error {
	return choice.Decode(e, b, "extra information", Extras())
}

// Regressor is how the regressions look for splits.
type Regressor string

// The regressors.
const (
	Hist  Regressor = "hist"  // at the borders of at most 256 bins per column
	Exact Regressor = "exact" // at every threshold
)

// UnmarshalText accepts the name of a regressor.
func (r *Regressor) UnmarshalText(b []byte) error {
	return choice.Decode(r, b, "learner", []Regressor{Hist, Exact})
}

// Method is how J is tested.
type Method string

// The methods.
const (
	PCM   Method = "pcm"   // two covariance measures
	Plain Method = "plain" // permutation of J anywhere
)

// UnmarshalText accepts a method's name.
func (m *Method) UnmarshalText(b []byte) error {
	return choice.Decode(m, b, "method", []Method{PCM, Plain})
}

// Null is what the model without J knows.
type Null string

// The nulls.
const (
	NullBeta      Null = "beta"
	NullBetaClass Null = "beta+class" // and the class the student predicts
)

// UnmarshalText accepts a null's name.
func (n *Null) UnmarshalText(b []byte) error {
	return choice.Decode(n, b, "null", []Null{NullBeta, NullBetaClass})
}

// checkSufficiency checks the [sufficiency] table; nil where there is none.
func checkSufficiency(f *file, r *rawSufficiency) *Sufficiency {
	if r == nil {
		return nil
	}
	whole := func(key string, p *int64, otherwise, least, most int64) int {
		return int(f.whole("sufficiency."+key, p, otherwise, least, most))
	}
	s := &Sufficiency{
		Extra:        r.Extra,
		Learner:      or(r.Learner, Hist),
		Method:       or(r.Method, PCM),
		Permutations: whole("permutations", r.Permutations, 199, 1, 100_000),
		Nulls:        r.Nulls,
		Dimensions:   whole("dimensions", r.Dimensions, 100, 0, 10_000),
	}
	if s.Extra == nil && !f.text.Has("sufficiency.extra") {
		s.Extra = []Extra{OutputStats}
	} else if f.text.Has("sufficiency.extra") && r.Extra != nil && len(r.Extra) == 0 {
		f.wrong("sufficiency.extra", "no extra information to test",
			"name output-stats or embeddings, or leave the [sufficiency] table out")
	}
	if r.Nulls != nil && len(r.Nulls) == 0 {
		f.wrong("sufficiency.nulls", "no null to test against", "name beta or beta+class, or leave the key out")
	}
	checkTwice(f, "sufficiency.extra", r.Extra)
	checkTwice(f, "sufficiency.nulls", r.Nulls)
	if s.Method == PCM {
		if r.Permutations != nil {
			f.wrong("sufficiency.permutations", "the method pcm has no permutations",
				"leave it out, or write method = \"plain\"")
		}
		s.Permutations = 0
	}
	if !s.Asks(Embeddings) {
		if r.Dimensions != nil && s.Extra != nil { // nil: written, and wrong
			f.wrong("sufficiency.dimensions", "only embeddings have dimensions", "leave it out, or add \"embeddings\" to extra")
		}
		s.Dimensions = 0
	}
	if least := 1 / float64(s.Permutations+1); s.Method != PCM && least > 0.05 {
		f.warn("sufficiency", fmt.Sprintf("%d permutations give p-values of %.4f or more: no p-value can reach 0.05",
			s.Permutations, least), "permutations = 199 is the default")
	}
	return s
}

// checkTwice reports what a list names twice.
func checkTwice[T comparable](f *file, key string, list []T) {
	for i, v := range list {
		if j := slices.Index(list, v); j < i {
			f.wrong(place.Element(key, i), fmt.Sprintf("the same as %s", place.Element(key, j)), "name it once")
		}
	}
}
