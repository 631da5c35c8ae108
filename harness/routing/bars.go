package routing

import (
	"fmt"
	"math"
)

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
	low, high := uint64(0), math.Float64bits(1)
	for low < high {
		mid := low + (high-low)/2
		if f(math.Float64frombits(mid)) >= theta {
			high = mid
		} else {
			low = mid + 1
		}
	}
	bar := math.Float64frombits(low)
	for i := max(low, nearby) - nearby; i <= min(low+nearby, math.Float64bits(1)); i++ {
		if (f(math.Float64frombits(i)) >= theta) != (i >= low) {
			return 0, fmt.Errorf("it crosses %v more than once near %v by rounding, so that no bar decides as it does",
				theta, bar)
		}
	}
	return bar, nil
}
