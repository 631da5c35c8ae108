// Package baseline owns the table of baselines. Each row has the baseline's names in specs, tables
// and the paper, what it reads and learns, how it is charged and how it is drawn. It refuses to
// read a spec, to train and to measure. Its opinion: a baseline is one
// row of the table; no other code switches on its kind.
package baseline

import (
	"slices"
	"strings"

	"infnet/harness/choice"
	"infnet/harness/cost"
)

// Kind names a baseline in specs. In results, the row of a baseline without options has this
// identifier too.
type Kind string

// Baseline is a row of the table. It has exactly one of Place, Coin and Learns.
type Baseline struct {
	Kind    Kind
	Title   string   // in tables; settings that are not defaults follow it
	Printed string   // in the paper's tables; "" = not there
	Rows    []string // our rows that are compared with the printed one, the best first; nil: that of the kind
	Always  bool     // has a row in every study, named or not

	// Place returns, for each record of the test part, the index of the model whose answer it
	// takes, in the cascade's order.
	Place  func(Input) []int
	Coin   bool      // tosses a coin per record and stage: p, draws and rng
	Learns *Learning // learner, encoder, compat and more; two models only

	Charge   cost.Charge             // of learners: see there
	Constant bool                    // takes the same model for every record
	Foresees bool                    // reads the errors of the test part, so it is not a policy
	Caveat   func(chain bool) string // of the row
	Curve    *Curve                  // nil = none, or that of its learned score
	Look     Look
}

// Input is what baselines without learning may read of a cascade.
type Input struct {
	Fit, Test Part
	Cost      []float64 // of an answer, by model
	Raw       []float64 // the student's confidence as it was read, on the test part
	Threshold float64   // of Fixed
}

// Part holds the columns of one part of the records.
type Part struct {
	Err  [][]float64 // of the answers, by model and record, in [0,1]
	Beta []float64   // the student's confidence by record, calibrated
}

// Curve is a baseline's trade-off curve, from deferring nothing to deferring everything.
type Curve struct {
	Family string               // in results
	Score  func(Part) []float64 // in [0,1]: the lowest is deferred first, ties by a coin
}

// Look is how a baseline is drawn; package reports/figure knows the names. The zero value picks one
// that is not in use yet.
type Look struct {
	Colour, Dashes, Mark string
	Weight               float64 // of lines, in points; 0 = 1
}

// OfRow returns the baseline of a row of results, whose identifier is its kind and the settings that are not defaults;
// ok is false for a policy that is none.
func OfRow(policy string) (b Baseline, ok bool) {
	i := slices.IndexFunc(Table(), func(b Baseline) bool {
		return policy == string(b.Kind) || strings.HasPrefix(policy, string(b.Kind)+"-")
	})
	if i < 0 {
		return Baseline{}, false
	}
	return Table()[i], true
}

func Of(k Kind) Baseline {
	for _, b := range Table() {
		if b.Kind == k {
			return b
		}
	}
	return Baseline{Kind: k}
}

// ByPrint returns the baseline with this name in the paper's tables.
func ByPrint(name string) (Baseline, bool) {
	for _, b := range Table() {
		if b.Printed != "" && b.Printed == name {
			return b, true
		}
	}
	return Baseline{}, false
}

func Kinds() []Kind { return kinds(func(Baseline) bool { return true }) }

func Learners() []Kind { return kinds(func(b Baseline) bool { return b.Learns != nil }) }

// Droppers lists the kinds that may drop quality by delta.
func Droppers() []Kind {
	return kinds(func(b Baseline) bool { return b.Learns != nil && b.Learns.Quality })
}

func kinds(of func(Baseline) bool) []Kind {
	var out []Kind
	for _, b := range Table() {
		if of(b) {
			out = append(out, b.Kind)
		}
	}
	return out
}

func Place(k Kind) int { return slices.Index(Kinds(), k) }

// Learns reports whether the baseline learns from text which model to ask.
func (k Kind) Learns() bool { return Of(k).Learns != nil }

// Embeds reports whether the baseline's own learner looks at embeddings.
func (k Kind) Embeds() bool {
	l := Of(k).Learns
	return l != nil && l.Learner != nil && l.Learner().Embeds
}

func (k *Kind) UnmarshalText(b []byte) error { return choice.Decode(k, b, "baseline", Kinds()) }
