// Package record holds one example as every model of a cascade saw it,
// graded: all that policies, baselines, metrics and the sufficiency test look
// at. It owns the shape and refuses the work; others fill and read it.
package record

// Record is one example. By[i] belongs to the i-th model of the cascade,
// cheapest first.
type Record struct {
	ID    string
	Group string // cluster for resampling; "" = a cluster of its own
	Fit   bool   // in the fit part; false = test part
	By    []Seen
}

// Seen is what one model made of the example.
type Seen struct {
	Class   int                // predicted class; 0 for tasks without classes
	Beta    float64            // confidence in [0,1], after calibration
	Cost    float64            // of this answer, in the study's cost unit
	Err     float64            // error in [0,1] under the correctness rule; 0 or 1 unless soft
	Scores  map[string]float64 // per-record metrics by name
	Missing bool               // no answer: the record is not used
}

// Complete reports whether every model answered.
func (r Record) Complete() bool {
	for _, s := range r.By {
		if s.Missing {
			return false
		}
	}
	return len(r.By) > 0
}
