package analyze

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/baseline"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/spec"
)

// family is the whole range of a row's policy, from deferring nothing to deferring
// everything: a score with all thresholds on it, or a path of thresholds per
// class. A row with a family has a curve and is matched with ours.
type family struct {
	name     string      // of its row
	title    string      //
	kind     familyKind  //
	charge   cost.Charge // Cascade or Router
	baseline bool        // not one of ours
	overhead float64     // mean cost of making a query's score, in the study's cost unit; ≥ 0

	// Scores in [0,1], of the fit and the test records in their order; the
	// lowest is deferred first, ties together. A score of the fit part must come
	// from nothing that saw the record's labels (out of fold, where learned).
	fit, test []float64

	// In place of scores: thresholds, the laxest first, from the fit part.
	path []policy.Thresholds

	models []int // that it asks, in tables of chains; nil = the two of a pair

	chosen *place // its row's own thresholds; nil where it has none
}

// familyKind is the kind of a family.
type familyKind string

// The kinds of family.
const (
	byThreshold familyKind = "threshold"
	byPath      familyKind = "path"
	byCoin      familyKind = "coin"
	byOracle    familyKind = "oracle"
	byChain     familyKind = "chain"
)

// place is the operating point of one of our rows: its own decisions.
type place struct {
	theta  *float64  // the single threshold; nil where there are several
	fit    []bool    // decisions, by fit record
	weight []float64 // chance of deferral, by test record

	thetas policy.Thresholds // of a chain, in place of decisions
}

// ends are the first and the last model that the family asks.
func (f *family) ends(r *records.Records) (first, last int) {
	if f.models == nil {
		return student, r.Last()
	}
	return f.models[0], f.models[len(f.models)-1]
}

// check refuses a family of which no curve can be drawn.
func (f family) check(r *records.Records) error {
	switch {
	case f.charge != cost.Cascade && f.charge != cost.Router:
		return fmt.Errorf("policy %s is charged as a %s: no curve follows from its deferrals", f.name, f.charge)
	case !(f.overhead >= 0) || math.IsInf(f.overhead, 1):
		return fmt.Errorf("policy %s: its score costs %v per query: want a number ≥ 0", f.name, f.overhead)
	case len(f.path) > 0:
	case len(f.fit) != len(r.Fit) || len(f.test) != len(r.Test):
		return fmt.Errorf("policy %s: %d and %d scores for %d fit and %d test records", f.name, len(f.fit), len(f.test),
			len(r.Fit), len(r.Test))
	default:
		for _, x := range slices.Concat(f.fit, f.test) {
			if !(x >= 0 && x <= 1) {
				return fmt.Errorf("policy %s: a score of %v: want numbers in [0,1]", f.name, x)
			}
		}
	}
	return nil
}

// familiesOf returns the families that have a curve, in the order shown: baselines
// that learn, ours, and baselines that do not learn. front is that of thresholds per
// class, where the table has a row of them.
func familiesOf(r *records.Records, all rows, front *policy.Frontier) (out []family, err error) {
	for _, x := range all {
		if x.family != nil {
			out = append(out, *x.family)
		}
	}
	for _, name := range []string{Single, Multi} {
		x := all.named(name)
		if x == nil {
			continue
		}
		out = append(out, ourFamily(r, *x.fitted, x.plan.final[1], front))
	}
	in := baselineInput(r)
	for _, x := range baseline.Table() {
		if x.Curve == nil || !slices.ContainsFunc(r.Study.Baselines, func(b spec.Baseline) bool { return b.Kind == x.Kind }) {
			continue
		}
		out = append(out, family{
			name: string(x.Kind), title: x.Title, kind: familyKind(x.Curve.Family), charge: x.Charge, baseline: true,
			fit: x.Curve.Score(in.Fit), test: x.Curve.Score(in.Test),
		})
	}
	for _, f := range out {
		if err := f.check(r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ourFamily is the family of the single threshold, or of thresholds per class. weights
// are its chances of deferral, by test record.
func ourFamily(r *records.Records, f Fitted, weights []float64, front *policy.Frontier) family {
	out := family{name: f.Name, title: title(r, f.Name), charge: cost.Cascade, chosen: &place{
		fit: f.Policy.Decide(r.Pair(r.Fit)), weight: weights,
	}}
	if f.isSingle() {
		out.chosen.theta = &f.Policy.Thresholds[0]
	}
	if f.Name == Single {
		out.kind, out.fit, out.test = byThreshold, records.Pick(r.Student().Beta,
			r.Fit), records.Pick(r.Student().Beta, r.Test)
		return out
	}
	out.kind, out.path = byPath, classPath(r, front)
	return out
}

// pathLength is the largest number of policies of a path, besides its ends.
const pathLength = 200

// classPath is the frontier of thresholds per class over all budgets of the fit
// part, the laxest first, evenly thinned, and at its end the one that defers
// everything.
func classPath(r *records.Records, front *policy.Frontier) []policy.Thresholds {
	var path []policy.Thresholds
	for _, i := range slices.Backward(thin(front.Len(), pathLength)) {
		path = append(path, front.Point(i).Thresholds)
	}
	never := make(policy.Thresholds, max(1, len(r.Dataset.Labels)))
	for k := range never {
		never[k] = math.Inf(1)
	}
	return append(path, never)
}

// classFrontier is the frontier of thresholds per class; nil = the table has no row of
// them.
func classFrontier(r *records.Records, all rows) (*policy.Frontier, error) {
	if all.named(Multi) == nil {
		return nil, nil
	}
	p := r.Study.Policy
	front, err := policy.FrontierMulti(r.Pair(r.Fit),
		policy.Options{Setting: p.Setting, Target: p.Target, Objective: p.Objective})
	if err != nil {
		return nil, fmt.Errorf("frontier of thresholds per class: %w", err)
	}
	return front, nil
}

// thin returns at most limit+1 evenly spaced indices of n, the first and the
// last among them, and those of keep.
func thin(n, limit int, keep ...int) []int {
	var out []int
	if n <= limit {
		limit = n - 1
	}
	for k := 0; k <= limit; k++ {
		at := 0
		if limit > 0 {
			at = k * (n - 1) / limit
		}
		out = append(out, at)
	}
	for _, k := range keep {
		if k >= 0 && k < n && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
