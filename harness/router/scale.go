package router

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/curve"
)

// align puts the scores of several fits on one scale, so that one threshold means
// the same for all of them. It shifts and scales each fit's log-odds until those
// of its held-out records have the mean of all out-of-fold log-odds, and their
// standard deviation within folds. It uses no label and no record of another part.
// The map is increasing, so each fit keeps the order of its scores. seen[k] are
// those of scores[k] that are compared. A fit that scores all of
// them alike is only shifted; one without such records is left alone.
//
// Fits to weak labels end at very different spreads, depending on when they stop
// and how they are calibrated. Without this step, a threshold between the scores
// of five fits may lie outside those of the sixth.
func align(scores, seen [][]float64, mean, spread float64) {
	for k, list := range scores {
		if len(seen[k]) == 0 {
			continue
		}
		m, s := moments(seen[k])
		stretch := 1.0
		if s > flat && spread > flat {
			stretch = spread / s
		}
		for i, p := range list {
			list[i] = curve.Sigmoid(mean + float64(stretch*(logit(p)-m)))
		}
	}
}

// flat is the standard deviation of log-odds below which differences are rounding.
const flat = 1e-9

// together returns the mean of all lists' log-odds, and their standard deviation
// around the mean of their own list.
func together(lists [][]float64) (mean, spread float64) {
	n, square := 0.0, 0.0
	for _, list := range lists {
		m, s := moments(list)
		mean += float64(m * float64(len(list)))
		square += float64(float64(s*s) * float64(len(list)))
		n += float64(len(list))
	}
	return mean / n, math.Sqrt(square / n)
}

// moments returns the mean and standard deviation of log-odds,
// summed in ascending order, so that the order given does not matter.
func moments(p []float64) (mean, deviation float64) {
	z := make([]float64, len(p))
	for k, v := range p {
		z[k] = logit(v)
	}
	slices.Sort(z)
	n := float64(len(z))
	for _, v := range z {
		mean += v / n
	}
	for _, v := range z {
		deviation += float64((v-mean)*(v-mean)) / n
	}
	return mean, math.Sqrt(deviation)
}

// logit returns the log-odds of p, with p kept 1e-12 away from 0 and 1.
func logit(p float64) float64 {
	p = min(max(p, 1e-12), 1-1e-12)
	return calc.Log(p / (1 - p))
}

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

// noBetter is the note of a fit that early stopping ended at the start.
const noBetter = "On the records held out nothing that was learned was better than the share of the labels: every " +
	"score is the same."

// held judges log-odds on the records held out, and calibrates by them if anything was learned.
func (r *Report) held(z, labels []float64) (c platt, err error) {
	p := make([]float64, len(z))
	for i := range z {
		p[i] = uncalibrated.at(z[i])
	}
	r.Held = Judge(p, labels)
	if r.Epochs == 0 {
		r.Note = noBetter
		return uncalibrated, nil
	}
	c, r.Note, err = calibrate(z, labels)
	return c, err
}
