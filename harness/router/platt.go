package router

import (
	"fmt"

	"infnet/harness/curve"
)

// platt maps log-odds z to the calibrated probability 1/(1+e^−(a+b·z)).
type platt struct{ a, b float64 }

// uncalibrated leaves log-odds as they are.
var uncalibrated = platt{0, 1}

func (p platt) at(z float64) float64 { return curve.Sigmoid(p.a + float64(p.b*z)) }

// fewestHeld is the least number of held-out records for a calibration.
const fewestHeld = 20

// calibrate fits a and b to held-out records (J. C. Platt, Probabilistic
// outputs for support vector machines, 1999): by maximum likelihood, with the
// labels drawn in to (n₁+1)/(n₁+2) and 1/(n₀+2), and a ridge that only matters
// where the log-odds are all but equal. Where there are too few records or one
// label, or the held-out records say that a larger score is worse, scores stay
// as they are and note says so.
func calibrate(z, labels []float64) (p platt, note string, err error) {
	ones := 0
	for _, y := range labels {
		if y == 1 {
			ones++
		}
	}
	switch {
	case len(z) < fewestHeld:
		return uncalibrated, fmt.Sprintf("Not calibrated: %d records are held out, fewer than %d.", len(z), fewestHeld), nil
	case ones == 0 || ones == len(labels):
		return uncalibrated, "Not calibrated: the records held out have one label.", nil
	}
	rows, target := make([][]float64, len(z)), make([]float64, len(z))
	for i, v := range z {
		rows[i] = []float64{v}
		target[i] = 1 / float64(len(labels)-ones+2)
		if labels[i] == 1 {
			target[i] = float64(ones+1) / float64(ones+2)
		}
	}
	c, err := curve.Logistic(rows, target, 1e-6)
	if err != nil {
		return uncalibrated, "", fmt.Errorf("calibration: %w", err)
	}
	if !(c[1] > 0) {
		return uncalibrated, "Not calibrated: on the records held out a larger score does not go with more labels of 1.", nil
	}
	return platt{c[0], c[1]}, "", nil
}
