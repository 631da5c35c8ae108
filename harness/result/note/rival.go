package note

import "infnet/metrics/infer"

// Rival sets a policy beside the cheapest single model, or coin between two models, that errs at most the margin more.
type Rival struct {
	Verdict       string // of package pool
	Single        string // the model that the policy is; "" = none
	First, Second string
	P             float64 // chance of the second; 0 = the first alone
	Than          string  // the better single model
	Margin        float64 // errors per query
	Unheld        bool    // no rows were held out: nothing can be said

	Priced bool           // costs are known
	Saved  infer.Interval // what the cheaper of the two costs less, as a share of the other's cost; below 0 = the rival
	Error  infer.Interval // errors per query of the policy minus those of the better single model

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
