package population

import (
	"math"

	"infnet/harness/curve"
	"infnet/harness/policy"
)

// feasibleSlack is how far above the budget the least error may lie and still
// meet it: integrals are right to about this much.
const feasibleSlack = 1e-12

// roundingSlack is how far above the budget an error may lie that meets it but
// for rounding: sums of a few products, each off by some 1e-16.
const roundingSlack = 1e-15

// solver is a population prepared for solving.
type solver struct {
	tails []*tail // nil where the mass is 0
	base  float64 // Error if everything is deferred
}

func (p Population) prepare() *solver {
	s := &solver{tails: make([]*tail, len(p))}
	for k, c := range p {
		if c.P > 0 {
			s.tails[k] = newTail(c)
			s.base += float64(c.P * c.Master)
		}
	}
	return s
}

func (s *solver) error(theta policy.Thresholds) float64 {
	sum := s.base
	for k, t := range s.tails {
		if t != nil {
			sum += float64(t.c.P * t.excess(theta[k]))
		}
	}
	return sum
}

func (s *solver) deferred(theta policy.Thresholds) float64 {
	sum := 0.0
	for k, t := range s.tails {
		if t != nil {
			sum += float64(t.c.P * t.deferred(theta[k]))
		}
	}
	return min(sum, 1)
}

func (s *solver) equalised(level float64) policy.Thresholds {
	theta := make(policy.Thresholds, len(s.tails))
	for k, t := range s.tails {
		theta[k] = math.Inf(1)
		if t != nil {
			theta[k] = t.threshold(level)
		}
	}
	return theta
}

// acceptAll returns the thresholds that accept everything, and whether they meet b.
func (s *solver) acceptAll(b float64) (theta policy.Thresholds, top float64, ok bool) {
	theta = make(policy.Thresholds, len(s.tails))
	for k, t := range s.tails {
		if t == nil {
			theta[k] = math.Inf(1)
			continue
		}
		top = max(top, t.top)
	}
	return theta, top, s.error(theta) <= b+roundingSlack
}

// solve finds thresholds for an error per query of at most b, in [0,1]; least asks for the least error instead. An
// infeasible budget gives the thresholds of least error and Feasible = false; where accepting everything is within b,
// all θ are 0.
//
// One threshold (§3.1 of the paper, thm:st-o, thm:st-no), of a population of one class: the
// leftmost θ with Error(θ) ≤ b, which is the cheapest, as cost grows with θ. In
// the oracle setting the error falls with θ; in general it need not, so the
// budget is bracketed on a grid with the sign changes of Δ and Brent's method
// finds the root in the first bracket, where bare root finding returns any.
// +Inf where only deferring everything will do.
//
// One threshold per class by equalising the excess error at
// the thresholds (thm:mt-o, thm:mt-no, eq:boundary-equalization-excess of the
// paper): with a common level t,
//
//	θ_k(t) = inf{β: Δ_k(β) ≤ t},   t* = sup{t ≥ 0: Error(θ(t)) ≤ b}.
//
// The infimum of nothing is +Inf; where it is not attained θ is the next float
// above. Error(θ(0)) > b means that b is infeasible. Where the error jumps at t*, a plateau of some Δ_k, the
// thresholds are those just below t*, and then moved inside the plateaus class
// by class, in order of index, until the budget is used up. A Δ_k that rises
// somewhere is no case for the first crossing:
// θ_k(t) is then the smallest global minimiser of t·F_k(θ) + ∫_θ^1 Δ_k f_k, a
// warning says so, and LowerBound what may be lost. Theorem thm:mt-no (ii) needs
// f_k > 0 and Δ_k continuous at θ_k, (iii)(b) a falling Δ_k.
// A class of mass 0 gets +Inf and a warning. About 50·K evaluations of a cell.
func (s *solver) solve(b float64, least, single bool) Solution {
	theta := s.equalised(0)
	minError := s.error(theta)
	if least {
		b = minError
	}
	sol := Solution{Budget: b, MinError: minError, Feasible: minError <= b+feasibleSlack}
	b = max(b, minError)
	all, top, ok := s.acceptAll(b)
	above := 0.0 // the level just above t*
	switch sol.Binding = sol.Feasible && !ok; {
	case !sol.Feasible:
	case ok:
		theta, sol.Level = all, top
	case single:
		t := s.tails[0]
		if x, ok := t.leftmost(0, math.Inf(1), b+roundingSlack-s.base); ok {
			theta = policy.Thresholds{x}
		}
		if t.deferred(theta[0]) == 1 {
			theta[0] = math.Inf(1)
		}
		sol.Level = max(t.c.Excess(min(theta[0], 1)), 0)
	default:
		sol.Level, above = s.level(b, top)
		theta = s.fill(s.equalised(sol.Level), s.equalised(above), b)
	}
	s.finish(&sol, theta)
	sol.LowerBound = sol.Deferred // leftmost is exact whatever Δ does
	if single {
		return sol
	}
	if sol.Binding {
		sol.LowerBound = s.dual(above, b, sol.Deferred)
	}
	for k, t := range s.tails {
		if t != nil && !t.monotone() {
			sol.warn(NotMonotone, k, "the excess error of class %d is not monotone: at confidence %.3f it is %.3g above an "+
				"earlier value; the global minimiser was taken", k, t.riseX, t.rise)
		}
	}
	if sol.Binding && sol.Deferred > sol.LowerBound+1e-9 {
		sol.warn(Duality, -1, "%.4g of the queries are deferred, where no thresholds within the budget defer fewer than %.4g",
			sol.Deferred, sol.LowerBound)
	}
	return sol
}

// level brackets t*: the error at lo is within b, at hi it is not, and there
// are no digits between them. b is feasible, and accepting everything exceeds it.
func (s *solver) level(b, top float64) (lo, hi float64) {
	top = math.Nextafter(top, 2)
	over := func(t float64) float64 {
		if d := s.error(s.equalised(t)) - b; d != 0 {
			return d
		}
		return -0x1p-1000 // on a flat piece go on to its right end
	}
	x, other, err := curve.Bracket(over, 0, top, 0x1p-60)
	if err != nil { // only rounding can make θ(0) infeasible here
		return 0, 0
	}
	lo, hi = min(x, other), max(x, other)
	if hi == lo {
		hi = math.Nextafter(lo, 2)
	}
	return lo, hi
}

// fill moves thresholds from above, which meet the budget, towards below, which
// do not, class by class as far as the budget goes.
func (s *solver) fill(above, below policy.Thresholds, b float64) policy.Thresholds {
	theta := append(policy.Thresholds(nil), above...)
	used := s.error(theta)
	for k, t := range s.tails {
		if t == nil || !(below[k] < above[k]) {
			continue
		}
		room := t.excess(above[k]) + max(b-used, 0)/t.c.P
		x, ok := t.leftmost(below[k], above[k], room)
		if !ok {
			continue
		}
		used += float64(t.c.P * (t.excess(x) - t.excess(theta[k])))
		theta[k] = x
		if x > below[k] {
			break
		}
	}
	return theta
}

// dual returns the Lagrangian lower bound on the share deferred at level t:
//
//	Σ_k p_k min_θ [F_k(θ) + G_k(θ)/t] + (base − b)/t
//
// but no more than what was reached.
func (s *solver) dual(t, b, reached float64) float64 {
	if !(t > 0) {
		return reached
	}
	theta := s.equalised(t)
	bound := s.deferred(theta) + (s.error(theta)-b)/t
	if math.Abs(reached-bound) <= 1e-9 { // rounding, magnified by 1/t
		return reached
	}
	return min(max(bound, 0), reached)
}

func (s *solver) finish(sol *Solution, theta policy.Thresholds) {
	sol.Thresholds = theta
	sol.Error, sol.Deferred = s.error(theta), s.deferred(theta)
	if !sol.Feasible {
		sol.warn(policy.Infeasible, -1,
			"no thresholds make an error of at most %.6g per query in this population: the least is %.6g, and its thresholds "+
				"were taken", sol.Budget, sol.MinError)
	}
	for k, t := range s.tails {
		if t == nil {
			sol.warn(policy.NeverPredicted, k, "the student never predicts class %d; answers of that class are deferred", k)
		}
	}
}
