package guarantee

import (
	"fmt"
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
	halfB
	o      policy.Options
	single bool
	a, b   policy.Records
}

// halfB is the half that tests, as tests of any policy see it.
type halfB struct {
	g        Terms
	proposed int       // records of half A
	numeric  bool      // the target is a number
	n        int       // records
	spans    []int     // sizes of their clusters, in order; nil = every record is one
	most     int       // M: no cluster has more records
	scale    int64     // errors are multiples of 1/scale
	ref      []float64 // errors of the model that the target names
	// errors and deferrals of a candidate
	outcome func(theta policy.Thresholds) (errs []float64, deferred int)
}

// promise is what the half may certify.
func (b *halfB) promise(level float64) Promise {
	p := Promise{Method: b.g.Method, Level: level, Delta: b.g.Delta, Proposed: b.proposed, Tested: b.n}
	if b.spans != nil {
		p.Clusters, p.Largest = len(b.spans), b.most
	}
	return p
}

func newCertification(r policy.Records, h Halves, o policy.Options, g Terms, single bool) (*certification, error) {
	half, err := h.prepare(r.Len(), g.Method == LearnThenTest || !single, g)
	if err != nil {
		return nil, err
	}
	j := &certification{halfB: half, o: o, single: single}
	j.divide(r.Pick(h.Propose), r.Pick(h.Test))
	return j, nil
}

func (j *certification) divide(a, b policy.Records) {
	j.a, j.b = a, b
	j.n, j.scale, j.ref = b.Len(), policy.Scale(b.Student, b.Master), make([]float64, b.Len())
	for i := range j.ref {
		j.ref[i] = b.MasterError(i) // the student as reference needs no test
	}
	j.outcome = func(theta policy.Thresholds) ([]float64, int) {
		errs, deferred := slices.Clone(b.Student), 0
		for i, d := range (policy.Policy{Thresholds: theta}).Decide(b) {
			if d {
				errs[i] = j.ref[i]
				deferred++
			}
		}
		return errs, deferred
	}
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
	reference := referenceOf([][]float64{j.a.Student, j.a.Master}, j.o.Target)
	var out Result
	out.Policy.Thresholds, out.Promise, err = j.learnThenTest(j.o, path, reference, 1, func(model int) policy.Thresholds {
		if model == 0 {
			return make(policy.Thresholds, len(path[0]))
		}
		return defersAll(len(path[0]))
	})
	return out, err
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

// learnThenTest tests candidates against the number, or against a model of the
// series, which the target names. always are the thresholds by which one model
// answers everything: no test is needed of those of the reference, nor in the
// oracle setting of the last model, which never errs. Nothing is cheaper than the
// first model.
func (b *halfB) learnThenTest(o policy.Options, path []policy.Thresholds, reference, last int,
	always func(model int) policy.Thresholds) (theta policy.Thresholds, p Promise, err error) {
	p = b.promise(b.g.Margin)
	var safe policy.Thresholds
	if xi, numeric := o.Target.Numeric(); numeric {
		b.numeric, p.Level = true, allowed(xi)
		if o.Setting == policy.Oracle {
			safe = always(last)
		}
	} else {
		safe = always(reference)
		switch reference {
		case 0:
			p.Reference, p.Certified, p.Untested = policy.Student.String(), true, true
			return safe, p, nil
		case last:
			p.Reference = policy.Master.String()
		default:
			p.Reference = fmt.Sprintf("model %d", reference+1)
		}
	}
	theta, err = b.walk(&p, path, safe)
	return theta, p, err
}

// walk tests candidates in order while their tests reject "the risk is above
// the level" at δ, and returns the last that passed. All tests of the sequence
// are made at δ itself: a wrong promise needs the first true null of the order
// to be rejected, which happens with probability at most δ, whatever the shape
// of the risk along the path. safe are thresholds that need no test; nil = none.
//
// Angelopoulos, Bates, Candès, Jordan and Lei (2021), Learn then Test, fixed
// sequence testing.
func (b *halfB) walk(p *Promise, path []policy.Thresholds, safe policy.Thresholds) (policy.Thresholds, error) {
	found := path[0]
	if safe != nil {
		found, p.Certified, p.Untested = safe, true, true
	}
	var err error
	if p.PValue, err = b.g.test(b.numeric, b.scale, b.most); err != nil {
		return nil, err
	}
	for _, theta := range path {
		t := b.test(theta, p.PValue, p.Level)
		p.Tests = append(p.Tests, t)
		if !(t.P <= b.g.Delta) {
			if p.Untested && slices.Equal(theta, safe) {
				continue // needs no test
			}
			break
		}
		found, p.Certified, p.Untested = theta, true, false
	}
	return found, nil
}

func (b *halfB) test(theta policy.Thresholds, kind PValue, level float64) Tested {
	t := Tested{Thresholds: theta}
	paired := kind == Betting && !b.numeric
	losses, deferred := b.outcome(theta)
	t.Deferred = deferred
	sum := 0.0
	for i := range losses {
		switch {
		case paired:
			losses[i] -= b.ref[i]
		case kind == Regret:
			losses[i] = max(0, losses[i]-b.ref[i])
		}
		sum += losses[i]
	}
	t.Risk = sum / float64(b.n)
	if paired { // to [0,1]
		level = (1 + level) / 2
		for i, l := range losses {
			losses[i] = (l + 1) / 2
		}
	}
	switch {
	case kind == Betting || kind == Regret && b.most > 1:
		most := 0.5
		if b.most > 1 {
			most = 0.75 // pooled losses lie close to the level: more may be staked on each
		}
		t.P = bettingPValue(b.pooled(losses, level), level, b.g.Delta, most)
	case kind == Binomial || kind == Regret && b.scale == 1:
		t.P = binomialPValue(int(math.Round(sum)), b.n, level)
	default:
		us, total := b.pooled(losses, level), 0.0
		for _, u := range us {
			total += u
		}
		t.P = hoeffdingBentkus(total, len(us), level)
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
func (b *halfB) pooled(losses []float64, level float64) []float64 {
	if b.most == 1 {
		return losses
	}
	out := make([]float64, len(b.spans))
	at := 0
	for g, n := range b.spans {
		sum := 0.0
		for _, l := range losses[at : at+n] {
			sum += l - level
		}
		out[g] = min(max(level+sum/float64(b.most), 0), 1)
		at += n
	}
	return out
}
