package analyze

import (
	"fmt"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// Chain is the row of three models or more in series.
const Chain = "chain"

// pairing is a pair that a chain contains, fitted to the chain's budget on the
// chain's records.
type pairing struct {
	models [2]int // places in the cascade
	policy policy.Policy
	plan   plan // on the test part
}

// row names the pair's row, models counted from 1.
func (p pairing) row() string { return fmt.Sprintf("pair-%d-%d", p.models[0]+1, p.models[1]+1) }

// within returns the pairs that a chain contains, as cascades of their own.
func within(c *spec.Cascade) []spec.Cascade {
	var pairs []spec.Cascade
	if len(c.Models) < 3 {
		return nil
	}
	for i := range c.Models {
		for _, later := range c.Models[i+1:] {
			pairs = append(pairs, spec.Cascade{
				Name: fmt.Sprintf("%s (%s+%s)", c.Name, c.Models[i], later), Models: []string{c.Models[i], later}, Datasets: c.Datasets,
			})
		}
	}
	return pairs
}

// fitChain fits the chain's thresholds, and at the same budget those of the
// pairs it contains: exactly, whatever the study's method, but for chains of
// more than three models.
func (b *Bench) fitChain() error {
	p := b.in.Study.Policy
	records := b.Series(b.Fit)
	chain, err := chain.Fit(records, policy.Options{Setting: p.Setting, Target: p.Target})
	if err != nil {
		return fmt.Errorf("fit a chain: %w", err)
	}
	b.serial = &chain
	b.out.Budget = result.Budget{Target: p.Target.String(), Errors: chain.Budget.Errors.Float(), Records: chain.Budget.N}
	for i := range b.Models {
		for j := i + 1; j < len(b.Models); j++ {
			fitted, err := records.FitPair(i, j, chain.Budget)
			if err != nil {
				return fmt.Errorf("fit the pair of %s and %s: %w", b.Cascade.Models[i], b.Cascade.Models[j], err)
			}
			b.pairs = append(b.pairs, pairing{models: [2]int{i, j}, policy: fitted})
		}
	}
	for _, pair := range b.pairs {
		b.out.Policies = append(b.out.Policies, b.describePair(pair))
	}
	b.out.Policies = append(b.out.Policies, b.describeChain())
	return nil
}

// describePair writes a contained pair into the results.
func (b *Bench) describePair(p pairing) result.Policy {
	out := b.describe(Fitted{Name: p.row(), Policy: p.policy})
	out.Thresholds[0].Model = b.Cascade.Models[p.models[0]]
	out.FitCost, out.FitAsked = b.pairCost(p), []int{p.policy.N, p.policy.FitDeferred}
	return out
}

// pairCost is the mean cost of a query of a pair on the fit part.
func (b *Bench) pairCost(p pairing) float64 {
	share := float64(p.policy.FitDeferred) / float64(p.policy.N)
	return cost.Cascade.Expected(b.Models[p.models[0]].Cost.Summary, b.Models[p.models[1]].Cost.Summary, share)
}

// describeChain writes the chain into the results.
func (b *Bench) describeChain() result.Policy {
	p := b.serial
	out := result.Policy{
		Policy: Chain, Method: string(p.Certificate.Method), Feasible: p.Feasible,
		FitErrors: p.FitError.Float(), FitDeferred: p.Asked[b.Last()], MinErrors: p.MinError.Float(), Budget: p.Budget.Errors.Float(),
		FitCost: p.Cost, FitAsked: p.Asked,
		Certificate: &result.Certificate{LowerBound: p.Bound, Gap: p.Cost - p.Bound, Optimal: p.Certificate.Optimal},
	}
	for m, theta := range p.Thresholds {
		out.Thresholds = append(out.Thresholds, result.Threshold{Model: b.Cascade.Models[m], Theta: result.Float(theta)})
	}
	return out
}

// measureChain fills the rows of a chain's table.
func (b *Bench) measureChain() error {
	s, err := b.newScorer()
	if err != nil {
		return err
	}
	for _, base := range b.in.Study.Baselines {
		if err := b.serialBaseline(s, base); err != nil {
			return err
		}
	}
	for m := 1; m < b.Last(); m++ {
		alone := b.stages(s, b.all(), fill(len(b.Test), m), cost.Router)
		if err := b.staged(s, fmt.Sprintf("only-%d", m+1), b.Cascade.Models[m]+" alone", alone, nil, true, nil); err != nil {
			return err
		}
	}
	for k := range b.pairs {
		if err := b.pairRow(s, &b.pairs[k]); err != nil {
			return err
		}
	}
	at := b.serial.Stages(b.Series(b.Test))
	ours := b.stages(s, b.all(), at, cost.Cascade)
	if err := b.staged(s, Chain, "Ours, "+strings.Join(b.Cascade.Models, " → "), ours, b.serial.Thresholds, false, b.chainNotes()); err != nil {
		return err
	}
	b.follow(Chain, b.Fit, plan{models: b.all(), charge: cost.Cascade}, b.serial.Stages(b.Series(b.Fit)), b.serial.Thresholds)
	if err := b.ensembles(s); err != nil || b.Repeat > 0 {
		return err
	}
	if err := b.extra(s, ours); err != nil {
		return err
	}
	if err := b.diagnose(s); err != nil {
		return err
	}
	if err := b.reliability(); err != nil {
		return err
	}
	return b.significance(s)
}

// all are the places of all models.
func (b *Bench) all() []int {
	out := make([]int, len(b.Models))
	for m := range out {
		out[m] = m
	}
	return out
}

// chainNotes are the caveats of the chain's row.
func (b *Bench) chainNotes() []result.Note {
	notes, p := b.caveats(b.serial.Warnings), b.serial
	notes = append(notes, result.NewNote(b.notOfChains()))
	if p.Certificate.Method != chain.Descent {
		return notes
	}
	return append(notes, result.NewNote(note.Descent{Feasible: p.Feasible, Cost: p.Cost, Bound: p.Bound}))
}

// notOfChains lists what the study asks for that a chain has not.
func (b *Bench) notOfChains() note.PairsOnly {
	p := b.in.Study.Policy
	left := note.PairsOnly{Classed: b.PerClass(), Guarantee: p.Guarantee != nil}
	for _, c := range p.Compare {
		left.Compare = append(left.Compare, string(c))
	}
	return left
}

// fill is n times one value.
func fill(n, v int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// stages is the plan in which the model at place at[k] answers record k.
func (b *Bench) stages(s *scorer, models, at []int, charge cost.Charge) plan {
	p := plan{models: models, stands: make([][]float64, len(models)), charge: charge}
	for place := range models {
		p.stands[place] = make([]float64, len(s.ones))
		for k, x := range at {
			if x == place {
				p.stands[place][k] = 1
			}
		}
	}
	return p
}

// staged adds the row of a plan without chance, and remembers what it decides.
func (b *Bench) staged(s *scorer, name, title string, p plan, theta []float64, notOurs bool, notes []result.Note) error {
	row, err := s.measure(name, title, p)
	if err != nil {
		return err
	}
	row.Baseline, row.Notes = notOurs, notes
	b.out.Rows = append(b.out.Rows, row)
	at := make([]int, len(b.Test))
	for k := range at {
		at[k] = p.certain(k)
	}
	if !baseline.Of(baseline.Kind(name)).Constant {
		b.follow(name, b.Test, p, at, theta)
	}
	return nil
}

// pairRow adds the row of a pair the chain contains.
func (b *Bench) pairRow(s *scorer, pair *pairing) error {
	at := func(examples []int) []int {
		records, _ := b.Series(examples).Pair(pair.models[0], pair.models[1]) // fitted before
		out := make([]int, len(examples))
		for k, defers := range pair.policy.Decide(records) {
			if defers {
				out[k] = 1
			}
		}
		return out
	}
	models := pair.models[:]
	pair.plan = b.stages(s, models, at(b.Test), cost.Cascade)
	title := fmt.Sprintf("Ours, %s → %s", b.Cascade.Models[models[0]], b.Cascade.Models[models[1]])
	notes := b.caveats(pair.policy.Warnings)
	if err := b.staged(s, pair.row(), title, pair.plan, pair.policy.Thresholds, false, notes); err != nil {
		return err
	}
	b.follow(pair.row(), b.Fit, pair.plan, at(b.Fit), pair.policy.Thresholds)
	return nil
}

// follow remembers whom a plan asks about examples; at[k] is the place of the
// model whose answer stands.
func (b *Bench) follow(name string, examples []int, p plan, at []int, theta []float64) {
	d := make(policy.Decisions, len(examples))
	paths := map[int]path{}
	for k, i := range examples {
		asked := p.models[:at[k]+1]
		switch p.charge {
		case cost.Router:
			asked = p.models[at[k] : at[k]+1]
		case cost.Parallel:
			asked = p.models
		}
		d[k] = asked[len(asked)-1] == b.Last()
		paths[i] = path{asked: asked, stands: p.models[at[k]]}
	}
	b.decide(name, examples, d)
	for k := range b.decisions {
		row := &b.decisions[k]
		if row.Name != name {
			continue
		}
		row.Theta = theta
		if row.Paths == nil {
			row.Paths = map[int]path{}
		}
		for i, x := range paths {
			row.Paths[i] = x
		}
	}
}
