package guarantee

import (
	"math/big"
	"strconv"

	"infnet/harness/policy"
)

// conformal is conformal risk control on the regret: records accepted where
// the student errs more than the master,
//
//	r_i(θ) = 1[β_i ≥ θ]·(e^s_i − e^m_i)⁺
//
// which falls as θ rises, as the error itself need not. It takes the thresholds
// that accept most among those with
//
//	(n/(n+1))·mean r + 1/(n+1) ≤ m
//
// over the n records of half B; where they come in clusters of up to M records,
// with
//
//	Σ_g Z_g + (1−m)·M ≤ 0,   Z_g = Σ_{i∈g} (r_i − m)
//
// which is the same for M = 1. Then E[regret of a new record] ≤ m, and
// E[error] ≤ E[the master's error] + m, on average over the draw of the
// records. In the oracle setting the regret is the error and m is 1 − ξ. If
// nothing qualifies, everything is deferred, which has no regret: the promise
// always holds.
//
// One threshold is the smallest on half B. Several are taken from a path fixed
// on half A, along which they fall together, so that the regret is monotone.
//
// A. N. Angelopoulos, S. Bates, A. Fisch, L. Lei and T. Schuster, "Conformal
// risk control" (2022), theorem 1.
func (j *certification) conformal(path []policy.Thresholds) (Result, error) {
	out := Result{Promise: j.promise(j.g.Margin)}
	out.Certified, out.Untested = true, true
	if xi, numeric := j.o.Target.Numeric(); numeric {
		out.Level = allowed(xi)
	} else {
		out.Reference = policy.Master.String()
	}
	// m·(n+M) − M, from the decimal as it was written.
	level, _ := new(big.Rat).SetString(strconv.FormatFloat(out.Level, 'g', 15, 64))
	room := level.Mul(level, big.NewRat(int64(j.b.Len()+j.most), 1))
	room.Sub(room, big.NewRat(int64(j.most), 1))
	r := j.regret()
	scale := policy.Scale(r.Student)
	if j.single {
		var err error
		if path, err = smallest(r, room); err != nil {
			return Result{}, err
		}
	}
	out.Policy.Thresholds = defersAll(len(path[0]))
	n, most := float64(j.b.Len()), float64(j.most)
	for i, theta := range path {
		sum := policy.Count{Scale: scale}
		t := Tested{Thresholds: theta}
		for i, deferred := range (policy.Policy{Thresholds: theta}).Decide(j.b) {
			if deferred {
				t.Deferred++
			} else {
				sum.Units += policy.Units(r.Student[i], scale)
			}
		}
		t.Risk, t.P = sum.Rate(j.b.Len()), (sum.Float()+most)/(n+most)
		out.Tests = append(out.Tests, t)
		if i > 0 && room.Cmp(big.NewRat(sum.Units, sum.Scale)) < 0 {
			break // regret only grows from here
		}
		out.Policy.Thresholds, out.Untested = theta, i == 0
	}
	return out, nil
}

// regret returns half B with the regret as the student's error.
func (j *certification) regret() policy.Records {
	r := policy.Records{Beta: j.b.Beta, Student: make([]float64, j.b.Len())}
	for i, s := range j.b.Student {
		r.Student[i] = max(0, s-j.b.MasterError(i))
	}
	return r
}

// smallest returns the two candidates that matter with one threshold: to defer
// everything, and the smallest threshold with at most room regret.
func smallest(r policy.Records, room *big.Rat) ([]policy.Thresholds, error) {
	path := []policy.Thresholds{defersAll(1)}
	if room.Sign() < 0 {
		return path, nil
	}
	scale := policy.Scale(r.Student)
	units := new(big.Rat).Mul(room, big.NewRat(scale, 1))
	floor := new(big.Int).Quo(units.Num(), units.Denom())
	p, err := policy.FitWithin(r, policy.Budget{Errors: policy.Count{Units: floor.Int64(), Scale: scale}, N: r.Len()})
	if err == nil && p.FitDeferred < r.Len() {
		path = append(path, p.Thresholds)
	}
	return path, err
}
