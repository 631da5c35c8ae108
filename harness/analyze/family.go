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

// family is everything that a row's policy can do between asking the master
// about nothing and asking it about everything: a score and all thresholds on
// it, or a path of thresholds per class. A row that offers its family (see
// offer) has a curve, and is matched with ours.
type family struct {
	name     string      // of its row
	title    string      //
	kind     familyKind  //
	charge   cost.Charge // Cascade or Router
	baseline bool        // not one of ours
	overhead float64     // mean cost of making a query's score, in the study's cost unit; ≥ 0

	// Scores in [0,1], of the records of b.Fit and b.Test in their order; the
	// lowest is deferred first, ties together. A score of the fit part must come
	// from nothing that saw the record's labels (out of fold, where learned).
	fit, test []float64

	// In place of scores: thresholds, the laxest first, from the fit part.
	path []policy.Thresholds

	chosen *place // its row's own thresholds; nil where it has none
}

// familyKind says what a family consists of.
type familyKind string

// The kinds of family.
const (
	byThreshold familyKind = "threshold"
	byPath      familyKind = "path"
	byCoin      familyKind = "coin"
	byOracle    familyKind = "oracle"
)

// place is where a row of ours stands: its own decisions.
type place struct {
	theta  *float64  // the single threshold; nil where there are several
	fit    []bool    // decisions, by record of b.Fit
	weight []float64 // chance of deferral, by record of b.Test
}

// offer makes a family known to the curves and comparisons. Rows do so before
// they are measured or after, in the order in which they are to be shown.
func (b *Bench) offer(f family) error {
	switch {
	case f.charge != cost.Cascade && f.charge != cost.Router:
		return fmt.Errorf("policy %s is charged as a %s: no curve follows from its deferrals", f.name, f.charge)
	case !(f.overhead >= 0) || math.IsInf(f.overhead, 1):
		return fmt.Errorf("policy %s: its score costs %v per query: want a number ≥ 0", f.name, f.overhead)
	case len(f.path) > 0:
	case len(f.fit) != len(b.Fit) || len(f.test) != len(b.Test):
		return fmt.Errorf("policy %s: %d and %d scores for %d fit and %d test records", f.name, len(f.fit), len(f.test), len(b.Fit), len(b.Test))
	default:
		for _, x := range slices.Concat(f.fit, f.test) {
			if !(x >= 0 && x <= 1) {
				return fmt.Errorf("policy %s: a score of %v: want numbers in [0,1]", f.name, x)
			}
		}
	}
	b.families = append(b.families, f)
	return nil
}

// offerBaselines offers the families of the study's baselines that need no
// learning.
func (b *Bench) offerBaselines() error {
	in := b.readable()
	for _, x := range baseline.Table() {
		if x.Curve == nil || !slices.ContainsFunc(b.in.Study.Baselines, func(s spec.Baseline) bool { return s.Kind == x.Kind }) {
			continue
		}
		if err := b.offer(family{
			name: string(x.Kind), title: x.Title, kind: familyKind(x.Curve.Family), charge: x.Charge, baseline: true,
			fit: x.Curve.Score(in.Fit), test: x.Curve.Score(in.Test),
		}); err != nil {
			return err
		}
	}
	return nil
}

// offerOurs offers the single threshold, and thresholds per class where they
// are fitted.
func (b *Bench) offerOurs() error {
	for _, f := range b.fitted {
		var offered family
		switch f.Name {
		case Single:
			offered = family{kind: byThreshold, fit: records.Pick(b.Student().Beta, b.Fit), test: records.Pick(b.Student().Beta, b.Test)}
		case Multi:
			path, err := b.classPath()
			if err != nil {
				return err
			}
			offered = family{kind: byPath, path: path}
		default:
			continue
		}
		offered.name, offered.title, offered.charge = f.Name, b.title(f.Name), cost.Cascade
		offered.chosen = &place{
			fit:    f.Policy.Decide(b.Pair(b.Fit)),
			weight: weights(f.Policy.Decide(b.Pair(b.Test))),
		}
		if isSingle(f.Policy) {
			offered.chosen.theta = &f.Policy.Thresholds[0]
		}
		if err := b.offer(offered); err != nil {
			return err
		}
	}
	return nil
}

// pathLength is how many policies a path has at most, beside its ends.
const pathLength = 200

// classPath is the frontier of thresholds per class over all budgets of the fit
// part, the laxest first, evenly thinned, and at its end the one that defers
// everything.
func (b *Bench) classPath() ([]policy.Thresholds, error) {
	p := b.in.Study.Policy
	front, err := policy.FrontierMulti(b.Pair(b.Fit), policy.Options{Setting: p.Setting, Target: p.Target, Objective: p.Objective})
	if err != nil {
		return nil, fmt.Errorf("frontier of thresholds per class: %w", err)
	}
	var path []policy.Thresholds
	for _, i := range slices.Backward(thin(front.Len(), pathLength)) {
		path = append(path, front.Point(i).Thresholds)
	}
	never := make(policy.Thresholds, max(1, len(b.Dataset.Labels)))
	for k := range never {
		never[k] = math.Inf(1)
	}
	return append(path, never), nil
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
