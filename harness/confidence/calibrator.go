package confidence

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/choice"
	"infnet/harness/curve"
)

// Sample is the data a calibrator is fitted on: one entry per record of the fit
// part. Columns a method does not use may be nil.
type Sample struct {
	Beta    []float64   // β before calibration
	Correct []float64   // 1 = the student is right, 0 = wrong, between = soft; all but Temperature
	Probs   [][]float64 // probability of every label; Temperature
	Truth   []int       // the reference's class; Temperature
}

// Calibrator maps β to a calibrated β ∈ [0,1]. It is plain numbers.
type Calibrator struct {
	Method     Calibration
	N          int                // records it was fitted on
	Parameters map[string]float64 // Platt a, b; Temperature t
	Curves     []curve.Monotone   // Isotonic: one
}

// Apply returns the calibrated confidence of a reading.
func (c Calibrator) Apply(r Reading) float64 {
	switch c.Method {
	case Isotonic:
		return c.Curves[0].At(r.Beta)
	case Platt:
		return curve.Sigmoid(float64(c.Parameters["a"]*r.Beta) + c.Parameters["b"])
	case Temperature:
		return slices.Max(temper(r.Probs, c.Parameters["t"]))
	}
	return r.Beta
}

// FitCalibrator fits a calibrator on the sample:
//
//	isotonic              the non-decreasing curve nearest to Correct
//	platt                 1/(1+exp(−(aβ+b))), targets (n₊+1)/(n₊+2) and 1/(n₋+2) in place of 1 and 0 (Platt 1999)
//	temperature           max_k p_k^(1/t)/Σ p_j^(1/t), t of greatest likelihood (Guo, Pleiss, Sun and Weinberger 2017)
//
// A curve fitted by isotonic regression is flat in places: records that differed in β tie after it.
func FitCalibrator(m Calibration, s Sample) (Calibrator, error) {
	c := Calibrator{Method: m, N: len(s.Beta)}
	if m == NoCalibration || m == "" {
		c.Method = NoCalibration
		return c, nil
	}
	if !slices.Contains(Calibrations(), m) {
		return Calibrator{}, fmt.Errorf("unknown calibration %q: want one of %v", m, Calibrations())
	}
	if err := s.validate(m); err != nil {
		return Calibrator{}, fmt.Errorf("calibration %q: %w", m, err)
	}
	var err error
	switch m {
	case Isotonic:
		c.Curves = make([]curve.Monotone, 1)
		c.Curves[0], err = curve.Isotonic(s.Beta, s.Correct)
	case Platt:
		var l curve.LogitLine
		l, err = FitPlatt(s.Beta, s.Correct)
		c.Parameters = map[string]float64{"a": l.B, "b": l.A}
	case Temperature:
		c.N, c.Parameters = len(s.Probs), s.temperature()
	}
	if err != nil {
		return Calibrator{}, fmt.Errorf("calibration %q: %w", m, err)
	}
	return c, nil
}

func (s Sample) validate(m Calibration) error {
	n := len(s.Beta)
	if n == 0 {
		return fmt.Errorf("no records")
	}
	if m == Temperature {
		return s.validateProbs()
	}
	if len(s.Correct) != n {
		return fmt.Errorf("%d confidences, %d outcomes: want as many", n, len(s.Correct))
	}
	for i, b := range s.Beta {
		if !(b >= 0 && b <= 1) || !(s.Correct[i] >= 0 && s.Correct[i] <= 1) {
			return fmt.Errorf("record %d: β %v or outcome %v is outside [0,1]", i, b, s.Correct[i])
		}
	}
	return nil
}

func (s Sample) validateProbs() error {
	if len(s.Probs) != len(s.Beta) || len(s.Truth) != len(s.Beta) {
		return fmt.Errorf("%d confidences, %d probability vectors, %d reference classes: want as many", len(s.Beta),
			len(s.Probs), len(s.Truth))
	}
	for i, p := range s.Probs {
		if s.Truth[i] < 0 || s.Truth[i] >= len(p) {
			return fmt.Errorf("record %d: class %d is outside 0 … %d", i, s.Truth[i], len(p)-1)
		}
		sum := 0.0
		for k, v := range p {
			if !(v >= 0 && v <= 1) {
				return fmt.Errorf("record %d: probability %v of label %d is outside [0,1]", i, v, k)
			}
			sum += v
		}
		if sum == 0 {
			return fmt.Errorf("record %d: every label has probability 0", i)
		}
	}
	return nil
}

// CrossFit calibrates out of fold: fold[i] ≥ 0 is the fold of record i, and its β
// comes from a calibrator fitted on the other folds. It returns those β, for
// fitting thresholds, and the calibrator fitted on all records, for everything
// else.
func CrossFit(m Calibration, s Sample, fold []int) (Calibrator, []float64, error) {
	if len(fold) != len(s.Beta) {
		return Calibrator{}, nil, fmt.Errorf("%d folds for %d records", len(fold), len(s.Beta))
	}
	all, err := FitCalibrator(m, s)
	if err != nil {
		return Calibrator{}, nil, err
	}
	if all.Method == NoCalibration {
		return all, slices.Clone(s.Beta), nil
	}
	out := make([]float64, len(fold))
	folds := slices.Compact(slices.Sorted(slices.Values(fold)))
	if len(folds) < 2 {
		return Calibrator{}, nil, fmt.Errorf("calibration %q: cross-fitting needs at least 2 folds, got %d", m, len(folds))
	}
	for _, f := range folds {
		c, err := FitCalibrator(m, s.pick(func(i int) bool { return fold[i] != f }))
		if err != nil {
			return Calibrator{}, nil, fmt.Errorf("without fold %d: %w", f, err)
		}
		for i := range fold {
			if fold[i] == f {
				out[i] = c.Apply(s.reading(i))
			}
		}
	}
	return all, out, nil
}

func (s Sample) pick(pass func(int) bool) Sample {
	return Sample{Beta: picked(s.Beta, pass), Correct: picked(s.Correct, pass), Probs: picked(s.Probs, pass),
		Truth: picked(s.Truth, pass)}
}

func picked[T any](column []T, pass func(int) bool) (out []T) {
	for i, v := range column {
		if pass(i) {
			out = append(out, v)
		}
	}
	return out
}

func (s Sample) reading(i int) Reading {
	r := Reading{Beta: s.Beta[i]}
	if s.Probs != nil {
		r.Probs = s.Probs[i]
	}
	return r
}

// smoothed returns Platt's targets, which no feature can separate.
func smoothed(correct []float64) []float64 {
	right := 0.0
	for _, c := range correct {
		right += c
	}
	wrong := float64(len(correct)) - right
	high, low := (right+1)/(right+2), 1/(wrong+2)
	targets := make([]float64, len(correct))
	for i, c := range correct {
		targets[i] = float64(c*high) + float64((1-c)*low)
	}
	return targets
}

// FitPlatt fits the probability of being right to a score (J. C. Platt, Probabilistic outputs for support vector
// machines, 1999): by maximum likelihood, with the labels drawn in to (n₊+1)/(n₊+2) and 1/(n₋+2).
func FitPlatt(score, correct []float64) (curve.LogitLine, error) {
	return curve.LogisticLine(score, smoothed(correct), calibrationRidge)
}

// calibrationRidge is a prior far weaker than one record: it only keeps
// coefficients finite where the data do not determine them.
const calibrationRidge = 1e-6

// Calibration is a way to map confidences to probabilities of being right.
type Calibration string

const (
	NoCalibration Calibration = "none"
	Isotonic      Calibration = "isotonic"    // one non-decreasing curve
	Platt         Calibration = "platt"       // logistic in β
	Temperature   Calibration = "temperature" // classification: one temperature for the label probabilities
)

func Calibrations() []Calibration {
	return []Calibration{NoCalibration, Isotonic, Platt, Temperature}
}

func (c *Calibration) UnmarshalText(b []byte) error {
	return choice.Decode(c, b, "calibration", Calibrations())
}

// The range temperatures are searched in, as logarithms. Beyond it the
// probabilities are one-hot or uniform for all purposes.
const (
	leastLogTemperature = -4.0
	mostLogTemperature  = 4.0
)

// temper returns p_k^(1/t)/Σ p_j^(1/t). A probability of 0 stays 0.
func temper(probs []float64, t float64) []float64 {
	top := 0.0
	for _, p := range probs {
		top = max(top, p)
	}
	out, sum := make([]float64, len(probs)), 0.0
	for k, p := range probs {
		out[k] = calc.Exp(calc.Log(p/top) / t)
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// temperature minimises the mean negative log-likelihood of the true class
// over ln t by golden-section search. The likelihood is concave in 1/t, so
// there is one minimum; it may lie at an end of the range.
func (s Sample) temperature() map[string]float64 {
	loss := func(logT float64) float64 {
		t, sum := calc.Exp(logT), 0.0
		for i, p := range s.Probs {
			// A reference with probability 0 is impossible at every t: the
			// floor leaves it out of the balance.
			sum -= calc.Log(max(temper(p, t)[s.Truth[i]], math.SmallestNonzeroFloat64))
		}
		return sum
	}
	golden := (math.Sqrt(5) - 1) / 2
	lo, hi := leastLogTemperature, mostLogTemperature
	a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
	fa, fb := loss(a), loss(b)
	for hi-lo > 1e-9 {
		if fa <= fb {
			hi, b, fb = b, a, fa
			a = hi - float64(golden*(hi-lo))
			fa = loss(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + float64(golden*(hi-lo))
			fb = loss(b)
		}
	}
	return map[string]float64{"t": calc.Exp((lo + hi) / 2)}
}
