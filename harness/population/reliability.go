package population

import (
	"fmt"

	"infnet/harness/curve"
)

// Reliability is one bin of a reliability diagram: the model's mean confidence and
// how often it was right.
type Reliability struct {
	Low     float64 `json:"low"`  // least confidence of the bin: its edge for equal width, a record's for equal mass
	High    float64 `json:"high"` // largest, likewise
	N       int     `json:"n"`
	Beta    float64 `json:"beta"`    // mean confidence; 0 if the bin is empty
	Correct float64 `json:"correct"` // mean of 1 − error; 0 if the bin is empty
}

// EqualMassReliability bins records by β ∈ [0,1] into at most bins ≥ 1 of about
// equal size, ties together. wrong are errors in [0,1].
func EqualMassReliability(beta, wrong []float64, bins int) ([]Reliability, error) {
	if err := checkReliability(beta, wrong, bins); err != nil {
		return nil, err
	}
	bs, err := curve.EqualMass(beta, wrong, bins)
	if err != nil {
		return nil, err
	}
	out := make([]Reliability, len(bs))
	for j, b := range bs {
		out[j] = Reliability{Low: b.First, High: b.Last, N: b.N, Beta: b.MeanX, Correct: 1 - b.MeanY}
	}
	return out, nil
}

// EqualWidthReliability bins records by β ∈ [0,1] into bins ≥ 1 of equal width,
// [j/m, (j+1)/m), the last with its right end; empty bins are kept, with N = 0.
func EqualWidthReliability(beta, wrong []float64, bins int) ([]Reliability, error) {
	if err := checkReliability(beta, wrong, bins); err != nil {
		return nil, err
	}
	out := make([]Reliability, bins)
	edge := func(j int) float64 { return float64(j) / float64(bins) }
	for j := range out {
		out[j].Low, out[j].High = edge(j), edge(j+1)
	}
	for i, b := range beta {
		j := min(int(b*float64(bins)), bins-1)
		switch { // b·m may round across an edge
		case j+1 < bins && b >= edge(j+1):
			j++
		case b < edge(j):
			j--
		}
		out[j].N++
		out[j].Beta += b
		out[j].Correct += 1 - wrong[i]
	}
	for j := range out {
		if n := float64(out[j].N); n > 0 {
			out[j].Beta /= n
			out[j].Correct /= n
		}
	}
	return out, nil
}

func checkReliability(beta, wrong []float64, bins int) error {
	if len(beta) == 0 || len(beta) != len(wrong) || bins < 1 {
		return fmt.Errorf("%d bins of %d confidences and %d errors: want as many, at least one, and at least one bin", bins,
			len(beta), len(wrong))
	}
	for i := range beta {
		if !(beta[i] >= 0 && beta[i] <= 1) || !(wrong[i] >= 0 && wrong[i] <= 1) {
			return fmt.Errorf("record %d: confidence %v, error %v: want numbers in [0,1]", i, beta[i], wrong[i])
		}
	}
	return nil
}
