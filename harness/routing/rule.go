package routing

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"infnet/harness/confidence"
	"infnet/harness/fault"
	"infnet/harness/policy/deploy"
	"infnet/harness/regular"
)

// Rule is one policy of a thresholds file, ready to decide.
type Rule struct {
	deploy.File
	Hash string // SHA-256 of the thresholds file, in hexadecimal

	calibrator confidence.Calibrator
	classes    map[string]int // class → index, where calibration goes by class
}

// Load reads a rule from a thresholds file.
func Load(path string, o Options) (*Rule, error) {
	text, err := regular.ReadFile(path)
	if err != nil {
		return nil, fault.Data.Wrap(fmt.Errorf("cannot read the thresholds: %w", err))
	}
	policies, err := deploy.Decode(text)
	if err != nil {
		return nil, fault.Data.Wrap(fmt.Errorf("%s: %w", path, err))
	}
	names := slices.Sorted(maps.Keys(policies))
	if o.Policy == "" && len(names) == 1 {
		o.Policy = names[0]
	}
	d, known := policies[o.Policy]
	switch list := strings.Join(names, ", "); {
	case known:
	case o.Policy == "":
		return nil, fault.Usage.Wrap(fmt.Errorf("%s: it has %d policies: choose one with --policy: %s", path, len(names),
			list))
	default:
		return nil, fault.Usage.Wrap(fmt.Errorf("%s: it has no policy %q: want one of %s", path, o.Policy, list))
	}
	if g := d.Guarantee; g != nil && !g.Certified && !o.Uncertified {
		return nil, fault.Data.Wrap(fmt.Errorf("%s: these thresholds are not certified: a guarantee (%s) was asked for, "+
			"and no candidate passed on the %d records that tested; "+
			"fit with more records, a larger margin or another target, or apply them all the same with --uncertified", path,
			g.Method, g.Tested))
	}
	r := &Rule{File: d, Hash: fmt.Sprintf("%x", sha256.Sum256(text))}
	if err := r.calibrate(o.Calibrated); err != nil {
		return nil, fault.Usage.Wrap(fmt.Errorf("%s: %w", path, err))
	}
	return r, nil
}

// calibrate takes over the file's calibration, or says why it cannot.
func (r *Rule) calibrate(done bool) error {
	d := r.Calibration
	r.calibrator = confidence.Calibrator{Method: confidence.NoCalibration}
	if done || d.Method == string(confidence.NoCalibration) {
		return nil
	}
	if err := r.calibrator.Method.UnmarshalText([]byte(d.Method)); err != nil {
		return fmt.Errorf("calibration: %w", err)
	}
	r.calibrator.Parameters, r.calibrator.Curves = d.Parameters, d.Curves
	switch r.calibrator.Method {
	case confidence.Temperature:
		return errors.New("calibration by temperature needs the probabilities of all labels: calibrate the confidences " +
			"and say --calibrated")
	case confidence.Isotonic:
		if len(d.Curves) != 1 {
			return fmt.Errorf("calibration isotonic with %d curves, want one", len(d.Curves))
		}
	case confidence.IsotonicPerClass:
		if len(d.Curves) != len(r.Thresholds) || !r.File.Classed() {
			return errors.New("calibration per class without the classes' names, which only a threshold per class has: " +
				"calibrate the confidences and say --calibrated")
		}
		r.classes = map[string]int{}
		for k, t := range r.Thresholds {
			r.classes[t.Class] = k
		}
	}
	return nil
}

// ByClass reports whether a decision depends on the class.
func (r *Rule) ByClass() bool { return r.Classed() || r.classes != nil }

// Decide decides one query from its class, its confidence in [0,1] before calibration, and its coin, which matters to
// a mixture alone. A class that the policy does not know is deferred.
func (r *Rule) Decide(class string, beta, coin float64) (d Decision, known bool) {
	bar, known := r.Threshold(class, coin)
	if _, indexed := r.classes[class]; !known || r.classes != nil && !indexed {
		return Decision{Decision: Defer}, false
	}
	theta, calibrated := bar.Theta, r.calibrated(class, beta)
	d.Decision = Defer
	switch {
	case calibrated >= theta:
		d.Decision = Accept
	case calibrated < bar.Abstain:
		d.Decision, theta = Abstain, bar.Abstain
	}
	if d.Threshold = theta; math.IsInf(theta, 1) {
		d.Threshold = "inf"
	}
	return d, true
}

// Classes are the classes that have a threshold, in index order; none where one threshold is for all.
func (r *Rule) Classes() (names []string) {
	for _, t := range r.Thresholds {
		if t.Class != "" {
			names = append(names, t.Class)
		}
	}
	return names
}

// calibrated is the confidence that meets the threshold.
func (r *Rule) calibrated(class string, beta float64) float64 {
	return r.calibrator.Apply(confidence.Reading{Class: r.classes[class], Beta: beta})
}

// Method is the name of the calibration that the rule applies.
func (r *Rule) Method() string { return string(r.calibrator.Method) }

// Bar is what a class, or every class, has to reach before calibration.
type Bar struct {
	Class string  // "" = every class
	Theta float64 // accept iff the calibrated β ≥ θ
	Least float64 // accept iff β ≥ this; +Inf = never
	Low   float64 // abstain iff β < this; 0 = never, +Inf = always
}

// Bars are the policy as comparisons with the confidence as it is read: calibration is inverted, so that no target has
// to compute it. They decide as the rule does, bit for bit. A mixture, and a calibration that falls, have none.
func (r *Rule) Bars() ([]Bar, error) {
	if m := r.Mixture; m != nil {
		return nil, fmt.Errorf("the policy is a mixture: with probability %v its strict thresholds decide, else its lax "+
			"ones, by a coin that infnet route draws from the query's id; export a policy without a mixture", m.Alpha)
	}
	if r.classes != nil && !r.Classed() {
		return nil, fmt.Errorf("the calibration is by class and the threshold is not")
	}
	var bars []Bar
	for _, t := range r.Thresholds {
		calibrated := func(beta float64) float64 { return r.calibrated(t.Class, beta) }
		bar := Bar{Class: t.Class, Theta: t.Theta}
		var err error
		if bar.Least, err = least(calibrated, t.Theta); err == nil {
			bar.Low, err = least(calibrated, t.Abstain)
		}
		if err != nil {
			return nil, fmt.Errorf("calibration %s: %w", r.Calibration.Method, err)
		}
		bars = append(bars, bar)
	}
	return bars, nil
}

// nearby is how many numbers on each side of a bar are tried.
const nearby = 4096

// least returns the least β in [0,1] whose f is at least θ, +Inf where none is. f may not fall: its ends are compared,
// and, as the last bits of an exponential may fall where the exponential does not, so are the numbers nearby.
func least(f func(float64) float64, theta float64) (float64, error) {
	if f(0) > f(1) {
		return 0, fmt.Errorf("it falls from %v at 0 to %v at 1, so that no bar decides as it does", f(0), f(1))
	}
	if !(f(1) >= theta) {
		return math.Inf(1), nil
	}
	// Floating-point numbers ≥ 0 are in the order of their bits.
	ones := math.Float64bits(1)
	low := uint64(sort.Search(int(ones), func(i int) bool { return f(math.Float64frombits(uint64(i))) >= theta }))
	bar := math.Float64frombits(low)
	for i := max(low, nearby) - nearby; i <= min(low+nearby, ones); i++ {
		if (f(math.Float64frombits(i)) >= theta) != (i >= low) {
			return 0, fmt.Errorf("it crosses %v more than once near %v by rounding, so that no bar decides as it does",
				theta, bar)
		}
	}
	return bar, nil
}
