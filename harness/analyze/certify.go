package analyze

import (
	"fmt"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/seed"
	"infnet/harness/split"
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
	records, halves := b.records(b.fit), b.halves()
	single, err := policy.CertifySingle(records, halves, options, *g)
	if err != nil {
		return fmt.Errorf("guarantee for a single threshold: %w", err)
	}
	if err := b.promised(s, SingleGuarantee, single); err != nil {
		return err
	}
	if !b.classed() {
		return nil
	}
	multi, err := policy.CertifyMulti(records, halves, options, *g)
	if err != nil {
		return fmt.Errorf("guarantee for a threshold per class: %w", err)
	}
	return b.promised(s, MultiGuarantee, multi)
}

// halves divides the fit part at random, whole groups on one side.
func (b *Bench) halves() policy.Halves {
	var h policy.Halves
	side := map[string]bool{}
	var roles [2]split.Role
	roles[0].Name, roles[1].Name = "guarantee/propose", "guarantee/test"
	for k, i := range b.fit {
		e := b.set.Examples[i]
		tests := seed.Uniform(b.in.Study.Seed, "guarantee", b.streamName(), e.ID) < 0.5
		if e.Group != "" {
			if _, ok := side[e.Group]; !ok {
				side[e.Group] = tests
			}
			tests = side[e.Group]
		}
		half := &h.Propose
		role := &roles[0]
		if tests {
			half, role = &h.Test, &roles[1]
		}
		*half = append(*half, k)
		role.IDs = append(role.IDs, e.ID)
	}
	h.Cluster = b.clusters(b.fit)
	h.Shuffle(seed.Stream(b.in.Study.Seed, "guarantee", b.streamName()))
	b.parts.Graph = b.parts.Graph.With(roles[0], roles[1])
	b.out.Split.Hash = b.parts.Graph.Hash
	return h
}

// clusters numbers the groups of some examples; one without a group is a
// cluster of its own. nil = none has a group.
func (b *Bench) clusters(examples []int) []int {
	number, grouped := map[string]int{}, false
	out := make([]int, len(examples))
	for k, i := range examples {
		group := b.set.Examples[i].Group
		if group == "" {
			out[k] = -1 - k
			continue
		}
		if _, ok := number[group]; !ok {
			number[group] = len(number)
		}
		out[k], grouped = number[group], true
	}
	if !grouped {
		return nil
	}
	return out
}

// promised adds the row of a policy with a guarantee. Where nothing could be
// certified the row is there and says so.
func (b *Bench) promised(s *scorer, name string, g policy.Guaranteed) error {
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
		Proposed: g.Proposed, Tested: g.Sample(), Split: b.parts.Graph.Hash, Cut: g.Cut,
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
