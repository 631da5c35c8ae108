package analyze

import (
	"fmt"

	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/harness/seed"
)

// Names of the rows that carry a promise.
const (
	SingleCertified = "single-certified"
	MultiCertified  = "multi-certified"
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
	if err := b.promised(s, SingleCertified, single); err != nil {
		return err
	}
	if !b.classed() {
		return nil
	}
	multi, err := policy.CertifyMulti(records, halves, options, *g)
	if err != nil {
		return fmt.Errorf("guarantee for a threshold per class: %w", err)
	}
	return b.promised(s, MultiCertified, multi)
}

// halves divides the fit part at random, whole groups on one side.
func (b *Bench) halves() policy.Halves {
	var h policy.Halves
	rng := seed.Stream(b.in.Study.Seed, "guarantee", b.streamName())
	side := map[string]bool{}
	var roles [2]seed.Role
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
	rng.Shuffle(len(h.Test), func(i, j int) { h.Test[i], h.Test[j] = h.Test[j], h.Test[i] })
	b.parts.Graph = b.parts.Graph.With(roles[0], roles[1])
	b.out.Split.Hash = b.parts.Graph.Hash
	return h
}

// promised adds a certified policy's row. Without a certificate the row is
// there, unmarked, and says so.
func (b *Bench) promised(s *scorer, name string, g policy.Guaranteed) error {
	f := Fitted{name, g.Policy, &g}
	row, err := b.fittedRow(s, f)
	if err != nil {
		return err
	}
	row.Certified = g.Certified
	row.Promise = &result.Promise{Method: string(g.Method), Level: g.Level, Delta: g.Delta, Reference: g.Reference, Proposed: g.Proposed, Tested: g.Tested}
	kind, text := "uncertified", fmt.Sprintf("No guarantee: on the %d records that test it no candidate passed; these are the thresholds of least error on the %d that propose.", g.Tested, g.Proposed)
	if g.Certified {
		kind, text = "certified", b.promise(g)
	}
	row.Notes = append(row.Notes, result.Note{Kind: kind, Text: text})
	b.out.Rows = append(b.out.Rows, row)
	b.fitted = append(b.fitted, f)
	b.out.Policies = append(b.out.Policies, describe(f, b.Dataset))
	return nil
}

// promise says a guarantee in words.
func (b *Bench) promise(g policy.Guaranteed) string {
	what := fmt.Sprintf("the error of records drawn like the fit part is at most %.4g", g.Level)
	if g.Reference != "" {
		what = fmt.Sprintf("the error of records drawn like the fit part is at most %.4g above that of the %s alone", g.Level, g.Reference)
	}
	how := "on average over fit parts"
	if g.Delta > 0 {
		how = fmt.Sprintf("with probability %.4g", 1-g.Delta)
	}
	return fmt.Sprintf("Certified (%s): %s, %s. %d records proposed, %d tested; split %.12s.", g.Method, what, how, g.Proposed, g.Tested, b.parts.Graph.Hash)
}
