// Package fitting fits thresholds to a log of two models and measures them on held-out rows. It
// owns the split of the rows, the choice of policies, the guarantee that one of them may carry, and
// the measured errors and costs. It refuses to print, to round and to read files.
//
// Its opinion: thresholds are judged on rows they were not fitted to, so a measure never mixes the
// two parts, and an estimate comes with its interval.
package fitting

import (
	"errors"
	"iter"
	"slices"

	"infnet/harness/fault"
	"infnet/harness/outcomes"
	"infnet/harness/policy"
	"infnet/harness/policy/deploy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/result"
	"infnet/harness/seed"
	"infnet/harness/split"
)

// Options say how to fit.
type Options struct {
	policy.Options
	Share             float64          // of the rows that fit, in (0,1]; 1 uses all rows
	Seed              uint64           // of every draw
	Margin            float64          // a difference of errors per query that counts as none, in [0,1)
	Guarantee         *guarantee.Terms // nil = none
	policy.ErrorPrice                  // 0 = none
}

// Fitted is a policy and its measurements.
type Fitted struct {
	Name       string
	Policy     policy.Policy
	Guaranteed *guarantee.Result // nil = it carries no guarantee
	Measured   Measured
}

// Result holds the policies fitted to a log.
type Result struct {
	Log       *outcomes.Log
	Fit, Test []int  // rows, from 0; no test part where all rows fit
	Split     string // hash of who did what, "" without a test part
	AUROC     AUROC
	Policies  []Fitted      // the last one is the one to deploy
	Price     *result.Price // nil = errors have none, or no rows were held out

	onFit policy.Records
}

// Best is the policy to deploy.
func (r *Result) Best() *Fitted { return &r.Policies[len(r.Policies)-1] }

// Fit fits one threshold, one per class where there are classes, and measures them.
func Fit(l *outcomes.Log, o Options) (*Result, error) {
	r := &Result{Log: l}
	err := r.split(o)
	if err == nil {
		r.onFit = l.Pick(r.Fit)
		r.Policies, err = fit(l, r.onFit, o)
	}
	if err == nil && o.Guarantee != nil {
		err = r.guarantee(o)
	}
	if err == nil && o.ErrorCost > 0 {
		err = r.fitPriced(o)
	}
	if err != nil {
		return nil, fault.Usage.Wrap(err)
	}
	return r, r.measure(o)
}

// split draws the fit and the test part, whole groups on one side.
func (r *Result) split(o Options) error {
	if o.Share == 1 {
		r.Fit = make([]int, r.Log.Len())
		for i := range r.Fit {
			r.Fit[i] = i
		}
		return nil
	}
	draw := split.Options{Seed: o.Seed, Name: "fit", Fit: o.Share}
	var parts split.Parts
	var err error
	if r.Log.Groups == nil {
		parts, err = split.Alone(draw, r.Log.Len(), r.Log.IDOf)
	} else {
		items := make([]split.Item, r.Log.Len())
		for i := range items {
			items[i] = split.Item{ID: r.Log.IDOf(i), Class: -1, Group: r.Log.GroupOf(i)}
		}
		parts, err = split.Split(draw, items)
	}
	r.Fit, r.Test, r.Split = parts.Fit, parts.Test, parts.Graph.Hash
	return err
}

func fit(l *outcomes.Log, r policy.Records, o Options) ([]Fitted, error) {
	single, err := policy.FitSingle(r, o.Options)
	if err != nil {
		return nil, err
	}
	out := []Fitted{{Name: one, Policy: single}}
	if l.Class == "" {
		return out, nil
	}
	if o.Method == policy.Linear {
		o.Method = policy.Exact // linear time is for a single threshold
	}
	multi, err := policy.FitMulti(r, o.Options)
	return append(out, Fitted{Name: perClass, Policy: multi}), err
}

// guarantee adds the policy that carries the guarantee: half of the fit part proposes, the other half tests.
func (r *Result) guarantee(o Options) error {
	halves, grouped := r.halves(o.Seed)
	if o.Guarantee.MaxCluster > 0 && !grouped {
		return errors.New("--max-cluster without groups: name their column with --group, or leave it out")
	}
	if err := o.Guarantee.Check(o.Options); err != nil {
		return err
	}
	certify := guarantee.FitSingle
	if r.Log.Class != "" {
		certify = guarantee.FitMulti
	}
	promised, err := certify(r.onFit, halves, o.Options, *o.Guarantee)
	if err != nil {
		return err
	}
	name := r.Best().Name + ", certified"
	if !promised.Certified {
		name = r.Best().Name + ", not certified"
	}
	r.Policies = append(r.Policies, Fitted{Name: name, Policy: promised.Policy, Guaranteed: &promised})
	return nil
}

// halves divides the fit part at random, whole groups on one side. grouped: the log has groups, be they in the fit part
// or not.
func (r *Result) halves(s uint64) (h guarantee.Halves, grouped bool) {
	h.Cluster = r.Log.Clusters(r.Fit)
	sizes := map[string]int{}
	for _, g := range r.Log.Groups {
		if g != "" {
			sizes[g]++
			h.Largest = max(h.Largest, sizes[g])
		}
	}
	if h.Cluster == nil && len(sizes) > 0 {
		h.Cluster = slices.Clone(r.Fit) // every row its own
	}
	for k, i := range r.Fit {
		draw := seed.Uniform(s, "guarantee", "fit", r.Log.IDOf(i))
		if g := r.Log.GroupOf(i); g != "" {
			draw = seed.Uniform(s, "guarantee", "fit", "group", g)
		}
		if draw < 0.5 {
			h.Test = append(h.Test, k)
		} else {
			h.Propose = append(h.Propose, k)
		}
	}
	h.Shuffle(seed.Stream(s, "guarantee", "fit"))
	return h, len(sizes) > 0
}

// Frontier is every optimal trade of errors against deferrals on the fit part, n of them, fewest errors first.
func (r *Result) Frontier(o policy.Options) (points iter.Seq[policy.Point], n int, err error) {
	front := policy.FrontierSingle
	if r.Log.Class != "" {
		front = policy.FrontierMulti
	}
	f, err := front(r.onFit, o)
	if err != nil {
		return nil, 0, fault.Usage.Wrap(err)
	}
	n, point := f.Len(), f.Point
	if !f.Whole() {
		n, point = f.HullLen(), f.HullPoint
	}
	return func(yield func(policy.Point) bool) {
		for i := 0; i < n && yield(point(i)); i++ {
		}
	}, n, nil
}

// Deployment is the thresholds file of the best policy, with the version of the program in it.
func (r *Result) Deployment(program string) ([]byte, error) {
	best := r.Best()
	about := deploy.About{
		Dataset: r.Log.Path, Policy: best.Name,
		Student:     deploy.Model{Name: r.Log.Student, ID: r.Log.Student},
		Master:      deploy.Model{Name: r.Log.Master, ID: r.Log.Master},
		Confidence:  deploy.Confidence{Score: "given"},
		Calibration: deploy.Calibration{Method: "none"},
		Provenance:  deploy.Provenance{Infnet: program, Split: r.Split},
	}
	var promise *guarantee.Promise
	if best.Guaranteed != nil {
		promise = &best.Guaranteed.Promise
	}
	d, err := deploy.New(best.Policy, promise, r.Log.Classes, about)
	if err != nil {
		return nil, err
	}
	return deploy.Encode(map[string]deploy.File{d.Policy: d})
}
