package guarantee

import (
	"fmt"

	"infnet/harness/policy"
)

// Abstaining is what a promise about the answered queries is fitted with: records with
// the master's costs, its confidence (nil = it has none), and the prices.
type Abstaining struct {
	policy.Records
	Master []float64
	Losses policy.Losses
}

// abstainSteps is the number of multipliers that candidates are fitted to.
const abstainSteps = 40

// FitAbstention fits a policy that may abstain so that its error among the queries that
// it answers keeps a promise, a number, by LearnThenTest:
//
//	E[error · answered] / E[answered] ≤ level
//
// Half A proposes the policies of least loss + μ·Σ (error − level) over the answered
// queries, for rising multipliers μ of the promise from 0 on: an error costs μ more, and
// an abstention μ·level. Half B tests them from the μ on whose policy has the least
// p-value on half A itself, with falling μ, down to the policy at the user's own prices.
//
// A test looks at the answered records alone: given which are answered, their errors are
// independent, and wrong with the probability that the promise is about. Of a cluster its
// answered records are summed as those of any other promise are. Where no candidate
// passes, nothing is promised, and everything is left unanswered.
func FitAbstention(r Abstaining, h Halves, o policy.Options, g Terms, single bool) (policy.Abstention, Promise, error) {
	g = g.withDefaults()
	xi, numeric := o.Target.Numeric()
	err := g.Check(o)
	if err == nil && (!numeric || g.Method != LearnThenTest) {
		err = fmt.Errorf("target %q by %q: the error among answered queries is promised as a number, by %q", o.Target,
			g.Method, LearnThenTest)
	}
	if err == nil {
		err = r.Validate()
	}
	if err != nil {
		return policy.Abstention{}, Promise{}, err
	}
	half, err := h.prepare(r.Len(), true, g)
	if err != nil {
		return policy.Abstention{}, Promise{}, err
	}
	half.numeric = true
	j := abstention{halfB: half, a: r.pick(h.Propose), b: r.pick(h.Test), level: allowed(xi), single: single}
	for _, i := range h.Test {
		if h.Cluster != nil {
			j.cluster = append(j.cluster, h.Cluster[i])
		}
	}
	return j.run()
}

func (r Abstaining) pick(list []int) Abstaining {
	out := Abstaining{Records: r.Pick(list), Losses: r.Losses}
	for _, i := range list {
		if r.Master != nil {
			out.Master = append(out.Master, r.Master[i])
		}
	}
	return out
}

type abstention struct {
	halfB
	a, b    Abstaining
	level   float64
	single  bool
	cluster []int // of half B; nil = every record is one
}

func (j *abstention) run() (policy.Abstention, Promise, error) {
	p := j.promise(j.level)
	p.Answered = true
	var path []policy.Abstention // rising prices
	start, least, more := 0, 2.0, 0.0
	for k := range abstainSteps {
		prices := policy.Losses{Error: j.a.Losses.Error + more, Abstain: j.a.Losses.Abstain + float64(more*j.level)}
		candidate, err := policy.FitAbstention(j.a.Records, j.a.Master, prices, j.single)
		if err != nil {
			return candidate, p, err
		}
		path = append(path, candidate)
		t, kind, err := j.test(&j.a, nil, candidate)
		if err != nil {
			return candidate, p, err
		}
		if p.PValue = kind; t.P < least {
			start, least = k, t.P
		}
		more = float64(1.25*more) + float64(0.25*j.a.Losses.Error)
	}
	none := defersAll(len(path[0].Low))
	found := policy.Abstention{Low: none, High: none}
	for k := start; k >= 0; k-- {
		t, _, err := j.test(&j.b, j.cluster, path[k])
		if err != nil {
			return found, p, err
		}
		p.Tests = append(p.Tests, t)
		if !(t.P <= j.g.Delta) {
			break
		}
		found, p.Certified = path[k], true
	}
	return found, p, nil
}

// test tests a candidate on the records that it answers.
func (j *abstention) test(r *Abstaining, cluster []int, a policy.Abstention) (Tested, PValue, error) {
	tester := j.halfB
	tester.spans, tester.scale = nil, policy.Scale(r.Student, r.Records.Master)
	var errs []float64
	before, deferred := -1, 0
	for i, choice := range a.Decide(r.Records, r.Master) {
		e := r.Student[i]
		switch choice {
		case policy.MasterAnswers:
			e = r.MasterError(i)
			deferred++
		case policy.Abstains, policy.MasterDropped:
			continue
		}
		errs = append(errs, e)
		if cluster != nil && cluster[i] == before {
			tester.spans[len(tester.spans)-1]++
			continue
		}
		if tester.spans = append(tester.spans, 1); cluster != nil {
			before = cluster[i]
		}
	}
	kind, err := j.g.test(true, tester.scale, j.most)
	if err != nil || len(errs) == 0 {
		return Tested{P: 1}, kind, err
	}
	tester.n = len(errs)
	tester.outcome = func(policy.Thresholds) ([]float64, int) { return errs, deferred }
	return tester.test(a.High, kind, j.level), kind, nil
}
