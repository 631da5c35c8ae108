package router

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/confidence"
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

// uncalibrated leaves log-odds as they are.
var uncalibrated = curve.LogitLine{A: 0, B: 1}

// fewestHeld is the least number of held-out records for a calibration.
const fewestHeld = 20

// calibrate fits a line of the log-odds to held-out records. Where there are too few records or one
// label, or the held-out records say that a larger score is worse, scores stay
// as they are and note says so.
func calibrate(z, labels []float64) (p curve.LogitLine, note string, err error) {
	switch ones := onesOf(labels); {
	case len(z) < fewestHeld:
		return uncalibrated, fmt.Sprintf("Not calibrated: %d records are held out, fewer than %d.", len(z), fewestHeld), nil
	case ones == 0 || ones == len(labels):
		return uncalibrated, "Not calibrated: the records held out have one label.", nil
	}
	if p, err = confidence.FitPlatt(z, labels); err != nil {
		return uncalibrated, "", fmt.Errorf("calibration: %w", err)
	}
	if !(p.B > 0) {
		return uncalibrated, "Not calibrated: on the records held out a larger score does not go with more labels of 1.", nil
	}
	return p, "", nil
}

// noBetter is the note of a fit that early stopping ended at the start.
const noBetter = "On the records held out nothing that was learned was better than the share of the labels: every " +
	"score is the same."

// held judges log-odds on the records held out, and calibrates by them if anything was learned.
func (r *Report) held(z, labels []float64) (c curve.LogitLine, err error) {
	p := make([]float64, len(z))
	for i := range z {
		p[i] = uncalibrated.At(z[i])
	}
	r.Held = Judge(p, labels)
	if r.Epochs == 0 {
		r.Note = noBetter
		return uncalibrated, nil
	}
	c, r.Note, err = calibrate(z, labels)
	return c, err
}
