package note

import "infnet/metrics/infer"

// Rival sets a policy beside the best single model, or coin between two models,
// that errs no more on the fit part.
type Rival struct {
	Found         bool // else no single model errs so rarely
	First, Second string
	P             float64 // chance of the second; 0 = the first alone
	Part          string  // on which both are measured

	Priced  bool           // costs are known
	Verdict string         // cheaper, costlier, undecided or equal, of the policy
	Free    bool           // the rival costs nothing
	Cost    infer.Interval // of the policy, as a share of the rival's
	Error   infer.Interval // errors per query of the policy minus the rival's

	// The price ratio at which the comparison changes, of a cascade of two models;
	// nil = not defined.
	Turn *Turn
}

// Turn is the ratio of the student's to the master's price below which a cascade
// is cheaper than all its rivals.
type Turn struct {
	Student, Master string
	Ratio           float64 // now
	BreakEven       infer.Interval
}

func (Rival) Kind() Kind { return "single-model" }

// Slower: queries take longer than with the last model alone.
type Slower struct {
	Than     string
	P50, P99 float64 // of the policy, as shares of the last model's
}

func (Slower) Kind() Kind { return "slower" }

// NoTexts: a pool has no router, because its queries have no text.
type NoTexts struct{}

func (NoTexts) Kind() Kind { return "no-texts" }

// RouterPart: a pool's router learned from a part of the fit part.
type RouterPart struct{ Learned, Of int }

func (RouterPart) Kind() Kind { return "router-part" }
