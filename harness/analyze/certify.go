package analyze

import (
	"fmt"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/result"
	"infnet/harness/result/note"
)

// Names of the rows with a guarantee.
const (
	SingleGuarantee = "single-guarantee"
	MultiGuarantee  = "multi-guarantee"
)

// certify makes the rows with a finite-sample guarantee, where the study asks
// for one: half of the fit part proposes thresholds, the other half tests them.
func certify(s *measurer) (out rows, err error) {
	g := s.r.Study.Policy.Guarantee
	if g == nil {
		return nil, nil
	}
	options := policy.Options{Setting: s.r.Study.Policy.Setting, Target: s.r.Study.Policy.Target}
	columns, halves := s.r.Pair(s.r.Fit), s.r.Roles.Halves
	single, err := guarantee.FitSingle(columns, halves, options, *g)
	if err != nil {
		return nil, fmt.Errorf("guarantee for a single threshold: %w", err)
	}
	x, err := promised(s, SingleGuarantee, single)
	if err != nil || !s.r.PerClass() {
		return rows{x}, err
	}
	multi, err := guarantee.FitMulti(columns, halves, options, *g)
	if err != nil {
		return nil, fmt.Errorf("guarantee for a threshold per class: %w", err)
	}
	y, err := promised(s, MultiGuarantee, multi)
	return rows{x, y}, err
}

// promised returns the row of a policy with a guarantee. If nothing could be
// certified, the row says so.
func promised(s *measurer, name string, g guarantee.Result) (row, error) {
	x, err := fittedRow(s, Fitted{Name: name, Policy: g.Policy, Promise: &g})
	if err != nil {
		return x, err
	}
	form, _, _ := strings.Cut(name, "-")
	x.Title = title(s.r, form)
	x.promise(s, g.Promise)
	return x, nil
}

// promise adds what is promised to a row.
func (x *row) promise(s *measurer, g guarantee.Promise) {
	x.Certified = g.Certified
	x.Promise = &result.Promise{
		Method: string(g.Method), PValue: string(g.PValue), Level: g.Level, Delta: g.Delta, Reference: g.Reference,
		Proposed: g.Proposed, Tested: g.Tested, Clusters: g.Clusters, Largest: g.Largest,
	}
	promise := note.Guarantee{
		Method: string(g.Method), Level: g.Level, Reference: g.Reference, Delta: g.Delta,
		Proposed: g.Proposed, Tested: g.Sample(), Split: s.r.Roles.Graph.Hash, Largest: g.Largest,
	}
	if g.Certified {
		x.Title += ", certified"
		x.Notes = append(x.Notes, promise.Certified())
	} else {
		x.Title += ", not certified"
		x.Notes = append(x.Notes, promise.Uncertified())
	}
}
