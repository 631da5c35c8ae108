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

// certification is one run: half a proposes candidates, half b tests them.
type certification struct {
	o      policy.Options
	g      Terms
	single bool
	a, b   policy.Records
	spans  []int // sizes of b's clusters, in its order; nil = every record is one
	most   int   // M: no cluster has more records
}

func newCertification(r policy.Records, h Halves, j certification) (*certification, error) {
	var err error
	if j.most, err = h.most(j.g); err != nil {
		return nil, err
	}
	test, spans := h.cut(j.most)
	j.a, j.b, j.spans = r.Pick(h.Propose), r.Pick(test), spans
	return &j, nil
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
	return j.learnThenTest(path)
}

// propose returns the candidates in order, from the policy of least error on
// half A towards accepting everything: with one threshold A's undominated
// ones, with several the nested path of its hull. Policies that defer more than
// the first are not candidates: they cost more and are no safer on A. In the
// oracle setting the first candidate defers everything, which never errs.
func (j *certification) propose() ([]policy.Thresholds, error) {
	all, err := policy.NewNested(j.a, j.o, j.single)
	if err != nil {
		return nil, err
	}
	path := thin(all, maxCandidates)
	if j.o.Setting == policy.Oracle || j.g.Method == ConformalRisk {
		if none := defersAll(len(path[0])); !slices.Equal(path[0], none) {
			path = slices.Insert(path, 0, none)
		}
	}
	return path, nil
}

// thin keeps at most most candidates, evenly spaced, the first and the last
// among them.
func thin(c policy.Nested, most int) []policy.Thresholds {
	n := min(c.Len(), most)
	out := make([]policy.Thresholds, n)
	for i := range out {
		at := 0
		if n > 1 {
			at = i * (c.Len() - 1) / (n - 1)
		}
		out[i] = c.At(at)
	}
	return out
}

// reference returns the model a relative target is measured against, fixed on
// half A: "best" is the one with fewer errors there, the master on a tie.
func (j *certification) reference() string {
	if j.o.Target.Equal(policy.Student) {
		return policy.Student.String()
	}
	if j.o.Target.Equal(policy.Best) && sum(j.a.Student) < sum(j.a.Master) {
		return policy.Student.String()
	}
	return policy.Master.String()
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

// learnThenTest walks the candidates while their tests reject "the risk is
// above the level" at δ, and returns the last that passed. All tests of the
// sequence are made at δ itself: a wrong promise needs the first true null of
// the order to be rejected, which happens with probability at most δ, whatever
// the shape of the risk along the path.
//
// Angelopoulos, Bates, Candès, Jordan and Lei (2021), Learn then Test, fixed
// sequence testing.
func (j *certification) learnThenTest(path []policy.Thresholds) (Result, error) {
	xi, numeric := j.o.Target.Numeric()
	out := Result{Method: LearnThenTest, Delta: j.g.Delta, Level: j.g.Margin}
	out.Policy.Thresholds = path[0]
	all := defersAll(len(path[0]))
	if numeric {
		out.Level = allowed(xi)
		if j.o.Setting == policy.Oracle {
			out.Certified, out.Untested = true, true // deferring everything never errs
		}
	} else {
		switch out.Reference = j.reference(); out.Reference {
		case policy.Master.String(): // deferring everything is the master
			out.Policy.Thresholds, out.Certified, out.Untested = all, true, true
		case policy.Student.String(): // accepting everything is the student, and nothing is cheaper
			out.Policy.Thresholds, out.Certified, out.Untested = make(policy.Thresholds, len(all)), true, true
			return out, nil
		}
	}
	var err error
	if out.PValue, err = j.g.test(numeric, policy.Scale(j.b.Student, j.b.Master), j.most); err != nil {
		return Result{}, err
	}
	for _, theta := range path {
		t := j.test(theta, out.PValue, out.Level)
		out.Tests = append(out.Tests, t)
		if !(t.P <= j.g.Delta) {
			if slices.Equal(theta, all) && out.Untested {
				continue // needs no test
			}
			break
		}
		out.Policy.Thresholds, out.Certified, out.Untested = theta, true, false
	}
	return out, nil
}

// test tests one candidate on half B.
func (j *certification) test(theta policy.Thresholds, kind PValue, level float64) Tested {
	n := j.b.Len()
	t := Tested{Thresholds: theta}
	_, numeric := j.o.Target.Numeric()
	paired := kind == Betting && !numeric // against the master; the student as reference needs no test
	losses := make([]float64, n)
	sum := 0.0
	for i, deferred := range (policy.Policy{Thresholds: theta}).Decide(j.b) {
		s, m := j.b.Student[i], j.b.MasterError(i)
		e := s
		if deferred {
			e = m
			t.Deferred++
		}
		switch {
		case paired:
			losses[i] = e - m
		case kind == Regret:
			losses[i] = max(0, e-m)
		default:
			losses[i] = e
		}
		sum += losses[i]
	}
	t.Risk = sum / float64(n)
	if paired { // to [0,1]
		level = (1 + level) / 2
		for i, l := range losses {
			losses[i] = (l + 1) / 2
		}
	}
	switch {
	case kind == Betting || kind == Regret && j.most > 1:
		most := 0.5
		if j.most > 1 {
			most = 0.75 // pooled losses lie close to the level: more may be staked on each
		}
		t.P = bettingPValue(j.pooled(losses, level), level, j.g.Delta, most)
	case kind == Binomial || kind == Regret && policy.Scale(j.b.Student, j.b.Master) == 1:
		t.P = binomialPValue(int(math.Round(sum)), n, level)
	default:
		us, total := j.pooled(losses, level), 0.0
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
