package guarantee

import (
	"math"
	"math/big"
	"slices"

	"infnet/harness/policy"
)

// maxCandidates bounds the path of candidates: a longer one is thinned. More
// would make the steps finer, not the promise better.
const maxCandidates = 200

// certification is one run for a pair of models: half a proposes candidates,
// half b tests them.
type certification struct {
	g      Terms
	o      policy.Options
	single bool
	a, b   policy.Records
	spans  []int // sizes of half b's clusters, in order; nil = every record is one
	most   int   // M: no cluster has more records
}

// promise is what half b may certify.
func (j *certification) promise(level float64) Promise {
	p := Promise{Method: j.g.Method, Level: level, Delta: j.g.Delta, Proposed: j.a.Len(), Tested: j.b.Len()}
	if j.spans != nil {
		p.Clusters, p.Largest = len(j.spans), j.most
	}
	return p
}

func newCertification(r policy.Records, h Halves, o policy.Options, g Terms, single bool) (*certification, error) {
	if err := h.check(r.Len(), g.Method == LearnThenTest || !single); err != nil {
		return nil, err
	}
	most, err := h.most(g)
	return &certification{g: g, o: o, single: single, a: r.Pick(h.Propose), b: r.Pick(h.Test), spans: h.spans(h.Test),
		most: most}, err
}

func (j *certification) run() (Result, error) {
	if j.g.Method == ConformalRisk && j.single {
		return j.conformal(nil)
	}
	path, err := j.propose()
	if err != nil {
		return Result{}, err
	}
	if j.g.Method == ConformalRisk {
		return j.conformal(path)
	}
	return j.learnThenTest(path), nil
}

// propose returns the candidates in order, from the policy of least error on
// half A towards accepting everything: with one threshold A's undominated
// ones, with several the nested path of its hull. Policies that defer more than
// the first are not candidates: they cost more and are no safer on A. In the
// oracle setting the first candidate defers everything, which never errs.
func (j *certification) propose() ([]policy.Thresholds, error) {
	path, err := policy.Nested(j.a, j.o, j.single, maxCandidates)
	if err != nil {
		return nil, err
	}
	if j.o.Setting == policy.Oracle || j.g.Method == ConformalRisk {
		if none := defersAll(len(path[0])); !slices.Equal(path[0], none) {
			path = slices.Insert(path, 0, none)
		}
	}
	return path, nil
}

// sum adds errors in units of 2⁻³², which are exact.
func sum(errs []float64) int64 {
	total := int64(0)
	for _, v := range errs {
		total += policy.Units(v, 1<<32)
	}
	return total
}

// allowed returns the error rate 1 − ξ that a performance leaves: 0.2 for 0.8,
// where subtracting in floating point gives 0.19999999999999996.
func allowed(xi *big.Rat) float64 {
	rate, _ := new(big.Rat).Sub(big.NewRat(1, 1), xi).Float64()
	return rate
}

// learnThenTest tests candidates in order while their tests reject "the risk is above
// the level" at δ, and returns the last that passed. All tests of the sequence
// are made at δ itself: a wrong promise needs the first true null of the order
// to be rejected, which happens with probability at most δ, whatever the shape
// of the risk along the path.
//
// No test is needed of the reference itself, nor in the oracle setting of deferring
// everything, which never errs. Nothing is cheaper than the student.
//
// Angelopoulos, Bates, Candès, Jordan and Lei (2021), Learn then Test, fixed
// sequence testing.
func (j *certification) learnThenTest(path []policy.Thresholds) (out Result) {
	out.Promise = j.promise(j.g.Margin)
	xi, numeric := j.o.Target.Numeric()
	safe := defersAll(len(path[0])) // what needs no test; nil = nothing
	switch {
	case numeric:
		if out.Level = allowed(xi); j.o.Setting != policy.Oracle {
			safe = nil
		}
	case j.o.Target.Equal(policy.Student), j.o.Target.Equal(policy.Best) && sum(j.a.Student) < sum(j.a.Master):
		out.Policy.Thresholds = make(policy.Thresholds, len(path[0]))
		out.Reference, out.Certified, out.Untested = policy.Student.String(), true, true
		return out
	default:
		out.Reference = policy.Master.String()
	}
	out.Policy.Thresholds = path[0]
	if safe != nil {
		out.Policy.Thresholds, out.Certified, out.Untested = safe, true, true
	}
	out.PValue = test(numeric, policy.Scale(j.b.Student, j.b.Master), j.most)
	for _, theta := range path {
		t := j.test(theta, out.PValue, numeric, out.Level)
		out.Tests = append(out.Tests, t)
		if !(t.P <= j.g.Delta) {
			if out.Untested && slices.Equal(theta, safe) {
				continue // needs no test
			}
			break
		}
		out.Policy.Thresholds, out.Certified, out.Untested = theta, true, false
	}
	return out
}

func (j *certification) test(theta policy.Thresholds, kind PValue, numeric bool, level float64) Tested {
	t := Tested{Thresholds: theta}
	losses, sum := slices.Clone(j.b.Student), 0.0
	for i, deferred := range (policy.Policy{Thresholds: theta}).Decide(j.b) {
		if deferred {
			losses[i] = j.b.MasterError(i)
			t.Deferred++
		}
		if !numeric { // the student as reference needs no test
			losses[i] -= j.b.MasterError(i)
		}
		sum += losses[i]
	}
	t.Risk = sum / float64(len(losses))
	if !numeric { // to [0,1]
		level = (1 + level) / 2
		for i, l := range losses {
			losses[i] = (l + 1) / 2
		}
	}
	switch kind {
	case Betting:
		most := 0.5
		if j.most > 1 {
			most = 0.75 // pooled losses lie close to the level: more may be staked on each
		}
		t.P = bettingPValue(j.pooled(losses, level), level, j.g.Delta, most)
	case Binomial:
		t.P = binomialPValue(int(math.Round(sum)), len(losses), level)
	default:
		t.P = hoeffdingBentkus(sum, len(losses), level)
	}
	return t
}

// pooled returns one number per cluster that is above level on average exactly
// where the loss per record is:
//
//	U_g = α + Σ_{i∈g} (L_i − α) / M,   U_g ∈ [0,1] as no cluster has more than M records
//	E[U_g] ≥ α  ⟺  E[Σ_{i∈g} L_i] / E[n_g] ≥ α
//
// The mean of a cluster's losses would test another quantity, the risk of a
// random record of a random cluster, and certifies falsely where large clusters
// err more. Clusters of one record are their losses.
func (j *certification) pooled(losses []float64, level float64) []float64 {
	if j.most == 1 {
		return losses
	}
	out := make([]float64, len(j.spans))
	at := 0
	for g, n := range j.spans {
		sum := 0.0
		for _, l := range losses[at : at+n] {
			sum += l - level
		}
		out[g] = min(max(level+sum/float64(j.most), 0), 1)
		at += n
	}
	return out
}
