package analyze

import (
	"fmt"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/result"
	"infnet/harness/result/note"
)

// Names of the rows of which something is promised, where that is certified.
const (
	SingleGuarantee = "single-guarantee"
	MultiGuarantee  = "multi-guarantee"
)

// certify adds rows with a finite-sample guarantee, where the study asks for
// one: half of the fit part proposes thresholds, the other half tests them.
func (b *Bench) certify(s *scorer) error {
	g := b.in.Study.Policy.Guarantee
	if g == nil {
		return nil
	}
	options := policy.Options{Setting: b.in.Study.Policy.Setting, Target: b.in.Study.Policy.Target}
	records, halves := b.Pair(b.Fit), b.Roles.Halves
	single, err := guarantee.FitSingle(records, halves, options, *g)
	if err != nil {
		return fmt.Errorf("guarantee for a single threshold: %w", err)
	}
	if err := b.promised(s, SingleGuarantee, single); err != nil {
		return err
	}
	if !b.PerClass() {
		return nil
	}
	multi, err := guarantee.FitMulti(records, halves, options, *g)
	if err != nil {
		return fmt.Errorf("guarantee for a threshold per class: %w", err)
	}
	return b.promised(s, MultiGuarantee, multi)
}

// promised adds the row of a policy with a guarantee. Where nothing could be
// certified the row is there and says so.
func (b *Bench) promised(s *scorer, name string, g guarantee.Result) error {
	f := Fitted{name, g.Policy, &g}
	row, err := b.fittedRow(s, f)
	if err != nil {
		return err
	}
	row.Certified = g.Certified
	row.Promise = &result.Promise{
		Method: string(g.Method), PValue: string(g.PValue), Level: g.Level, Delta: g.Delta, Reference: g.Reference,
		Proposed: g.Proposed, Tested: g.Tested, Clusters: g.Clusters, Largest: g.Largest, Cut: g.Cut,
	}
	form, _, _ := strings.Cut(name, "-")
	promise := note.Guarantee{
		Method: string(g.Method), Level: g.Level, Reference: g.Reference, Delta: g.Delta,
		Proposed: g.Proposed, Tested: g.Sample(), Split: b.Roles.Graph.Hash, Cut: g.Cut,
	}
	row.Title = b.title(form) + ", not certified"
	if g.Certified {
		row.Title = b.title(form) + ", certified"
		row.Notes = append(row.Notes, result.NewNote(note.Certified{Guarantee: promise}))
	} else {
		row.Notes = append(row.Notes, result.NewNote(note.Uncertified{Guarantee: promise}))
	}
	b.out.Rows = append(b.out.Rows, row)
	b.fitted = append(b.fitted, f)
	b.out.Policies = append(b.out.Policies, b.describe(f))
	return nil
}
