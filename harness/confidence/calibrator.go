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
	Class   []int       // predicted class; IsotonicPerClass
	Classes int         // number of classes; IsotonicPerClass
	Correct []float64   // 1 = the student is right, 0 = wrong, between = soft; all but Temperature
	Probs   [][]float64 // probability of every label; Temperature
	Truth   []int       // the reference's class; Temperature
}

// Calibrator maps β to a calibrated β ∈ [0,1]. It is plain numbers.
type Calibrator struct {
	Method     Calibration
	N          int                // records it was fitted on
	Parameters map[string]float64 // Platt a, b; BetaCalibration a, b, c; Temperature t
	Curves     []curve.Monotone   // Isotonic: one; IsotonicPerClass: one per class
}

// Apply returns the calibrated confidence of a reading. It panics on a class
// that IsotonicPerClass has no curve for.
func (c Calibrator) Apply(r Reading) float64 {
	switch c.Method {
	case Isotonic:
		return c.Curves[0].At(r.Beta)
	case IsotonicPerClass:
		return c.Curves[r.Class].At(r.Beta)
	case Platt:
		return curve.Sigmoid(float64(c.Parameters["a"]*r.Beta) + c.Parameters["b"])
	case BetaCalibration:
		f := betaFeatures(r.Beta)
		return curve.Sigmoid(float64(c.Parameters["a"]*f[0]) + float64(c.Parameters["b"]*f[1]) + c.Parameters["c"])
	case Temperature:
		return slices.Max(temper(r.Probs, c.Parameters["t"]))
	}
	return r.Beta
}

// FitCalibrator fits a calibrator on the sample:
//
//	isotonic              the non-decreasing curve nearest to Correct; per class: a class without records keeps its β
//	platt                 1/(1+exp(−(aβ+b))), targets (n₊+1)/(n₊+2) and 1/(n₋+2) in place of 1 and 0 (Platt 1999)
//	beta                  1/(1+exp(−(a·ln β − b·ln(1−β) + c))), a, b ≥ 0 (Kull, Silva Filho and Flach 2017)
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
	case IsotonicPerClass:
		c.Curves, err = s.isotonicPerClass()
	case Platt:
		var l curve.LogitLine
		l, err = FitPlatt(s.Beta, s.Correct)
		c.Parameters = map[string]float64{"a": l.B, "b": l.A}
	case BetaCalibration:
		c.Parameters, err = s.betaCalibration()
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
	if len(s.Correct) != n || m == IsotonicPerClass && len(s.Class) != n {
		return fmt.Errorf("%d confidences, %d outcomes, %d classes: want as many", n, len(s.Correct), len(s.Class))
	}
	for i, b := range s.Beta {
		if !(b >= 0 && b <= 1) || !(s.Correct[i] >= 0 && s.Correct[i] <= 1) {
			return fmt.Errorf("record %d: β %v or outcome %v is outside [0,1]", i, b, s.Correct[i])
		}
		if m == IsotonicPerClass && (s.Class[i] < 0 || s.Class[i] >= s.Classes) {
			return fmt.Errorf("record %d: class %d is outside 0 … %d", i, s.Class[i], s.Classes-1)
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
	err = eachFold("calibration", m, fold, func(f int) error {
		c, err := FitCalibrator(m, s.pick(func(i int) bool { return fold[i] != f }))
		for i := range fold {
			if err == nil && fold[i] == f {
				out[i] = c.Apply(s.reading(i))
			}
		}
		return err
	})
	return all, out, err
}

// eachFold does something for each of two folds or more.
func eachFold[T ~string](what string, name T, fold []int, do func(f int) error) error {
	folds := slices.Compact(slices.Sorted(slices.Values(fold)))
	if len(folds) < 2 {
		return fmt.Errorf("%s %q: cross-fitting needs at least 2 folds, got %d", what, name, len(folds))
	}
	for _, f := range folds {
		if err := do(f); err != nil {
			return fmt.Errorf("without fold %d: %w", f, err)
		}
	}
	return nil
}

func (s Sample) pick(pass func(int) bool) Sample {
	return Sample{Classes: s.Classes, Beta: picked(s.Beta, pass), Class: picked(s.Class, pass),
		Correct: picked(s.Correct, pass), Probs: picked(s.Probs, pass), Truth: picked(s.Truth, pass)}
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
	if s.Class != nil {
		r.Class = s.Class[i]
	}
	if s.Probs != nil {
		r.Probs = s.Probs[i]
	}
	return r
}

// identity is the curve of a class that has no records.
var identity = curve.Monotone{X: []float64{0, 1}, Y: []float64{0, 1}}

func (s Sample) isotonicPerClass() ([]curve.Monotone, error) {
	curves := make([]curve.Monotone, s.Classes)
	for k := range curves {
		mine := s.pick(func(i int) bool { return s.Class[i] == k })
		if len(mine.Beta) == 0 {
			curves[k] = identity
			continue
		}
		var err error
		if curves[k], err = curve.Isotonic(mine.Beta, mine.Correct); err != nil {
			return nil, err
		}
	}
	return curves, nil
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

// clipBeta keeps logarithms finite.
const clipBeta = 1e-12

func betaFeatures(beta float64) []float64 {
	b := min(max(beta, clipBeta), 1-clipBeta)
	return []float64{calc.Log(b), -calc.Log1p(-b)}
}

// betaCalibration fits a, b, c. A negative coefficient is set to 0 and the others
// are refitted, so that the map never falls. If all outcomes are 1, or all 0, it
// uses Platt's targets, as the raw targets have no optimum.
func (s Sample) betaCalibration() (map[string]float64, error) {
	targets := s.Correct
	if lo, hi := slices.Min(targets), slices.Max(targets); lo == hi && (lo == 0 || lo == 1) {
		targets = smoothed(s.Correct)
	}
	use := []int{0, 1}
	for {
		rows := make([][]float64, len(s.Beta))
		for i, b := range s.Beta {
			f := betaFeatures(b)
			for _, j := range use {
				rows[i] = append(rows[i], f[j])
			}
		}
		c, err := curve.Logistic(rows, targets, calibrationRidge)
		if err != nil {
			return nil, err
		}
		worst := 0
		for j := range use {
			if c[j+1] < 0 && (worst == 0 || c[j+1] < c[worst]) {
				worst = j + 1
			}
		}
		if worst == 0 {
			ab := [2]float64{}
			for j, f := range use {
				ab[f] = c[j+1]
			}
			return map[string]float64{"a": ab[0], "b": ab[1], "c": c[0]}, nil
		}
		use = slices.Delete(use, worst-1, worst)
	}
}

// Calibration is a way to map confidences to probabilities of being right.
type Calibration string

const (
	NoCalibration    Calibration = "none"
	Isotonic         Calibration = "isotonic"           // one non-decreasing curve
	IsotonicPerClass Calibration = "isotonic-per-class" // one for every predicted class
	Platt            Calibration = "platt"              // logistic in β
	BetaCalibration  Calibration = "beta"               // logistic in ln β and ln(1−β)
	Temperature      Calibration = "temperature"        // classification: one temperature for the label probabilities
)

func Calibrations() []Calibration {
	return []Calibration{NoCalibration, Isotonic, IsotonicPerClass, Platt, BetaCalibration, Temperature}
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
