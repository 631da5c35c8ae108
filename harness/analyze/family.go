package analyze

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/baseline"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/records"
	"infnet/harness/spec"
)

// family is the whole range of a row's policy, from deferring nothing to deferring
// everything: a score with all thresholds on it, or a path of thresholds. A row with
// a family has a curve and is matched with ours.
type family struct {
	name, title string // of its row
	kind        familyKind
	charge      cost.Charge // Cascade or Router
	baseline    bool        // not one of ours
	overhead    float64     // mean cost of making a query's score, in the study's cost unit; ≥ 0

	// Scores in [0,1], of the fit and the test records in their order; the
	// lowest is deferred first, ties together. A score of the fit part must come
	// from nothing that saw the record's labels (out of fold, where learned).
	fit, test []float64

	path   []policy.Thresholds // in place of scores, from the fit part, the laxest first
	models []int               // that it asks, in tables of chains; nil = the two of a pair
	chosen *decided            // its row's own policy; nil where it has none
}

type familyKind string

const (
	byThreshold familyKind = "threshold"
	byPath      familyKind = "path"
	byChain     familyKind = "chain"
)

// decided is what the policy of one of our rows decides: by fit and by test record, the
// place among the family's models of the one that answers.
type decided struct {
	theta     *float64 // the single threshold; nil where there are several
	fit, test []int
}

// asks are the models of the family, in the order asked.
func (f *family) asks(r *records.Records) []int {
	if f.models == nil {
		return everyModel(r)
	}
	return f.models
}

// familiesOf returns the families of a table that have a curve. Of a pair they are, in the order shown, baselines that
// learn, ours, and baselines that do not learn; front is that of thresholds per class, where the table has a row of
// them. Of a chain they are the pairs that it contains, each by all thresholds on its first model's confidence, and the
// chain, by the thresholds of least cost at budgets of the fit part.
func familiesOf(r *records.Records, all rows, front *policy.Frontier) (out []family, err error) {
	for k := range all {
		switch x := &all[k]; {
		case x.family != nil:
			out = append(out, *x.family)
		case !r.IsChain() || x.fitted == nil:
		case x.fitted.contained(r):
			f := byBeta(r, x.fitted.Series)
			f.name, f.title = x.Policy, x.Title
			out = append(out, f)
		default:
			path, err := chain.Path(r.Series(r.Fit), promised(r))
			if err != nil {
				return nil, fmt.Errorf("curve of the chain: %w", err)
			}
			slices.Reverse(path)
			f := family{name: x.Policy, title: x.Title, kind: byChain, charge: cost.Cascade, models: x.fitted.Series,
				path: append(path, slices.Repeat(policy.Thresholds{math.Inf(1)}, r.Last())), chosen: x.fitted.choice(r)}
			out = append(out, f)
		}
	}
	if !r.IsChain() {
		for _, name := range []string{Single, Multi} {
			if x := all.named(name); x != nil {
				out = append(out, ourFamily(r, *x.fitted, front))
			}
		}
		in := baselineInput(r)
		for _, x := range baseline.Table() {
			if x.Curve != nil && slices.ContainsFunc(r.Study.Baselines, func(b spec.Baseline) bool { return b.Kind == x.Kind }) {
				out = append(out, family{name: string(x.Kind), title: x.Title, kind: familyKind(x.Curve.Family), charge: x.Charge,
					baseline: true, fit: x.Curve.Score(in.Fit), test: x.Curve.Score(in.Test)})
			}
		}
	}
	return out, nil
}

// byBeta is the family of all thresholds on the confidence of the first of some models.
func byBeta(r *records.Records, models []int) family {
	beta := r.Models[models[0]].Beta
	return family{kind: byThreshold, charge: cost.Cascade, models: models, fit: records.Pick(beta, r.Fit),
		test: records.Pick(beta, r.Test)}
}

// ourFamily is the family of the single threshold, or of thresholds per class: the frontier over all budgets of the fit
// part, evenly thinned, and at its end the one that defers everything.
func ourFamily(r *records.Records, f Fitted, front *policy.Frontier) family {
	out := byBeta(r, everyModel(r))
	if f.Name != Single {
		out = family{kind: byPath, charge: cost.Cascade}
		for _, i := range slices.Backward(thin(front.Len(), pathLength)) {
			out.path = append(out.path, front.Point(i).Thresholds)
		}
		out.path = append(out.path, slices.Repeat(policy.Thresholds{math.Inf(1)}, max(1, len(r.Dataset.Labels))))
	}
	out.name, out.title, out.chosen = f.Name, title(r, f.Name), f.choice(r)
	return out
}

func (f Fitted) choice(r *records.Records) *decided {
	out := &decided{fit: f.places(r, r.Fit), test: f.places(r, r.Test)}
	if f.Series == nil && f.isSingle() {
		out.theta = &f.Policy.Thresholds[0]
	}
	return out
}

const pathLength = 200

// thin returns at most limit+1 evenly spaced indices of n, the first and the
// last among them, and those of keep.
func thin(n, limit int, keep ...int) (out []int) {
	limit = min(limit, n-1)
	for k := 0; k <= limit; k++ {
		out = append(out, k*(n-1)/max(1, limit))
	}
	for _, k := range keep {
		if k >= 0 && k < n {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
