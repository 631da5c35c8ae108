// Package infer states how sure a number is: bootstrap and exact intervals,
// paired tests, and corrections for many tests at once. Its opinion: an
// estimate never travels alone.
package infer

// Interval is an estimate with its uncertainty.
type Interval struct {
	Value  float64 `json:"value"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Level  float64 `json:"level"`  // e.g. 0.95
	N      int     `json:"n"`      // records it rests on
	Method string  `json:"method"` // e.g. "bootstrap", "clopper-pearson"
}
