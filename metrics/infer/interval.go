// Package infer quantifies uncertainty: bootstrap and exact intervals, paired
// tests, and corrections for multiple tests.
//
// It owns the resampling. It does not deal with models or texts: records are
// rows of numbers, clusters are names, a statistic is a function of sums, and
// the random stream is passed in. It refuses statistics that are undefined on
// the records or on a resample, rather than return a NaN.
//
// Its opinion: an estimate comes with its interval, and everything compared on a
// dataset is compared on the same resamples.
package infer

// Interval is an estimate with its uncertainty.
type Interval struct {
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Level  float64 `json:"level"`  // e.g. 0.95
	N      int     `json:"n"`      // records it rests on
	Method string  `json:"method"` // how it was found: MethodBootstrap, …
}
