package router

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"infnet/harness/calc"
)

// Threshold is a fitted threshold on scores: a record with a score of at least
// Theta keeps the student, the others go to the master. 0 keeps all, +Inf none.
type Threshold struct {
	Theta    float64
	Kept     int     // records of the fit part that keep the student
	Deferred int     // those that do not
	Value    float64 // mean of the constrained or minimised quantity; see the fit
	Feasible bool    // the constraint is met; else Theta is the nearest to it

	Modelled *Modelled // what the model expected that Theta is from; nil = it was found by counting
}

// Keeps reports whether a record with this score keeps the student.
func (t Threshold) Keeps(score float64) bool { return score >= t.Theta }

// FitScorer returns the threshold of a cascade whose student's answers are
// scored: the one of least error on the fit part among those that defer at most
// `most` records. The cost of a cascade, c_s + c_m·Def, grows with the deferrals
// alone, so this is the best performance at a budget of cost. Of equal errors
// the fewest deferrals win. Keeping everything is always within the budget.
// Value is the mean error.
//
// student and master are the errors of the two answers, in [0,1]; master nil
// means that the master never errs. Records with equal scores move together.
func FitScorer(score, student, master []float64, most int) (Threshold, error) {
	if most < 0 {
		return Threshold{}, fmt.Errorf("threshold of a scorer: a budget of %d deferrals", most)
	}
	if master == nil {
		master = make([]float64, len(score))
	}
	path, err := walk(score, student, master)
	if err != nil {
		return Threshold{}, fmt.Errorf("threshold of a scorer: %w", err)
	}
	best := path[0]
	for _, p := range path[1:] {
		if p.deferred <= most && p.sum < best.sum {
			best = p
		}
	}
	return best.threshold(len(score), true), nil
}

// Drop is the largest mean fall of quality that a router may cause.
type Drop struct {
	Delta    float64 // read as the shortest decimal that prints as it; below 0 asks for a gain
	Relative bool    // of the master's mean quality (of its size, where that is negative), rather than in points
}

// FitRouter returns the threshold of a router: of those whose mean quality on
// the fit part is at most the drop below the master's, the one that costs
// least. A query pays one model, so that is the threshold that keeps most records
// with the student. If expensive is true, the student costs more than the master,
// and it is the one that keeps fewest. If no threshold meets the drop, the one
// with the smallest drop is returned (then the cheapest), and Feasible is false.
// That cannot happen with a drop of 0 or more, since keeping none drops nothing.
// Value is the mean drop.
//
// Qualities are finite and at most 1024 in size; larger is better. Records with
// equal scores move together.
func FitRouter(score, student, master []float64, drop Drop, expensive bool) (Threshold, error) {
	if len(student) != len(master) {
		return Threshold{}, fmt.Errorf("threshold of a router: %d qualities of the student, %d of the master", len(student),
			len(master))
	}
	path, err := walk(score, master, student) // what is lost where a record is kept: master − student
	if err != nil {
		return Threshold{}, fmt.Errorf("threshold of a router: %w", err)
	}
	most, err := drop.budget(len(score), path[0].sum) // the walk keeps the master's
	if err != nil {
		return Threshold{}, err
	}
	keptNone := path[len(path)-1].sum // Σ student's quality, where all are deferred in the walk's sense
	lost := func(p point) int64 { return p.sum - keptNone }
	best, feasible := 0, false
	for i, p := range path { // of those that fit the first, or if expensive the last; else the nearest
		fits, nearest := lost(p) <= most, lost(path[best])
		nearer := lost(p) < nearest || expensive && lost(p) == nearest
		if fits && (!feasible || expensive) || !fits && !feasible && nearer {
			best, feasible = i, fits
		}
	}
	t := path[best].threshold(len(score), feasible)
	t.Value = float64(lost(path[best])) / unit / float64(len(score))
	return t, nil
}

// budget is the largest sum of lost quality, in units.
func (d Drop) budget(n int, master int64) (int64, error) {
	if math.IsNaN(d.Delta) || math.IsInf(d.Delta, 0) {
		return 0, fmt.Errorf("threshold of a router: a drop of %v", d.Delta)
	}
	most, _ := new(big.Rat).SetString(strconv.FormatFloat(d.Delta, 'g', -1, 64)) // a finite float prints as a number
	if d.Relative {
		most.Mul(most, new(big.Rat).SetInt64(max(master, -master)))
	} else {
		most.Mul(most, new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(unit))))
	}
	floor := new(big.Int).Div(most.Num(), most.Denom()) // Euclidean: towards −∞ for a positive divisor
	if !floor.IsInt64() {
		return 0, fmt.Errorf("threshold of a router: a drop of %v is beyond any quality", d.Delta)
	}
	return floor.Int64(), nil
}

// unit is the number of units per 1: sums are exact integers, and so do not depend
// on the order of the records.
const unit = 1 << 32

// largest is the largest value of which 2^20 can be summed without overflow.
const largest = 1024

// point is the result of one threshold on the fit part.
type point struct {
	theta    float64
	deferred int
	sum      int64 // Σ kept value of those kept + Σ other of those deferred, in units
}

func (p point) threshold(n int, feasible bool) Threshold {
	return Threshold{Theta: p.theta, Deferred: p.deferred, Kept: n - p.deferred, Feasible: feasible,
		Value: float64(p.sum) / unit / float64(n)}
}

// walk lists all thresholds from keeping everything to deferring everything,
// with the sum of kept[i] over the records kept and other[i] over the rest.
func walk(score, kept, other []float64) ([]point, error) {
	n := len(score)
	if n == 0 || len(kept) != n || len(other) != n {
		return nil, fmt.Errorf("%d scores for %d and %d values: want as many, and at least one", n, len(kept), len(other))
	}
	if n > 1<<20 {
		return nil, fmt.Errorf("%d records: at most %d", n, 1<<20)
	}
	var p point
	gain := make([]int64, n)
	for i := range score {
		if math.IsNaN(score[i]) || math.IsInf(score[i], 0) {
			return nil, fmt.Errorf("record %d has the score %v: want a finite number", i, score[i])
		}
		for _, v := range []float64{kept[i], other[i]} {
			if !(math.Abs(v) <= largest) {
				return nil, fmt.Errorf("record %d has the value %v: want a number of at most %d in size", i, v, largest)
			}
		}
		k, o := int64(math.Round(kept[i]*unit)), int64(math.Round(other[i]*unit))
		p.sum += k
		gain[i] = o - k
	}
	path := []point{p}
	for equal := range calc.Ties(score) {
		if p.deferred > 0 { // the first point, 0, keeps everything
			path[len(path)-1].theta = score[equal[0]]
		}
		for _, i := range equal {
			p.sum += gain[i]
		}
		p.deferred += len(equal)
		path = append(path, p)
	}
	path[len(path)-1].theta = math.Inf(1)
	return path, nil
}
