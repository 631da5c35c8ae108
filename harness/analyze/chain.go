package analyze

import (
	"fmt"
	"strings"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/policy/guarantee"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// Rows of three models or more in series.
const (
	Chain          = "chain"
	ChainGuarantee = "chain-guarantee"
)

// series is a fitted chain, by the name of its row.
type series struct {
	name    string
	policy  chain.Policy
	promise *guarantee.Promise // nil = it carries no guarantee
}

// contained is a pair that a chain contains, fitted to the chain's budget on the
// chain's records.
type contained struct {
	models [2]int // positions in the cascade
	policy policy.Policy
}

// row names the pair's row, models counted from 1.
func (p contained) row() string { return fmt.Sprintf("pair-%d-%d", p.models[0]+1, p.models[1]+1) }

// within returns the pairs that a chain contains, as cascades of their own.
func within(c *spec.Cascade) []spec.Cascade {
	var pairs []spec.Cascade
	if len(c.Models) < 3 {
		return nil
	}
	for i := range c.Models {
		for _, later := range c.Models[i+1:] {
			pairs = append(pairs, spec.Cascade{
				Name: fmt.Sprintf("%s (%s+%s)", c.Name, c.Models[i], later), Models: []string{c.Models[i],
					later}, Datasets: c.Datasets,
			})
		}
	}
	return pairs
}

// chainFit is a fitted chain and its fitted pairs.
type chainFit struct {
	chain    chain.Policy
	pairs    []contained
	promised *guarantee.ChainResult // nil = no guarantee is asked for, or none that chains have
}

// series lists the chains, ours first.
func (f chainFit) series() []series {
	out := []series{{name: Chain, policy: f.chain}}
	if g := f.promised; g != nil {
		out = append(out, series{ChainGuarantee, g.Policy, &g.Promise})
	}
	return out
}

// fitChain fits the chain's thresholds, and at the same budget those of the
// pairs it contains: exactly, whatever the study's method, but for chains of
// more than three models.
func fitChain(r *records.Records) (out chainFit, err error) {
	p, columns := r.Study.Policy, r.Series(r.Fit)
	if out.chain, err = chain.Fit(columns, policy.Options{Setting: p.Setting, Target: p.Target}); err != nil {
		return out, fmt.Errorf("fit a chain: %w", err)
	}
	for i := range r.Models {
		for j := i + 1; j < len(r.Models); j++ {
			fitted, err := columns.FitPair(i, j, out.chain.Budget)
			if err != nil {
				return out, fmt.Errorf("fit the pair of %s and %s: %w", r.Cascade.Models[i], r.Cascade.Models[j], err)
			}
			out.pairs = append(out.pairs, contained{models: [2]int{i, j}, policy: fitted})
		}
	}
	if r.Study.Policy.Guarantee == nil || r.Roles.Halves.Test == nil {
		return out, nil
	}
	for m, model := range r.Models { // half B may not steer what it tests
		columns.Cost[m] = 0
		for _, k := range r.Roles.Halves.Propose {
			columns.Cost[m] += model.Costs[r.Fit[k]] / float64(len(r.Roles.Halves.Propose))
		}
	}
	options := policy.Options{Setting: p.Setting, Target: p.Target}
	g, err := guarantee.FitChain(columns, r.Roles.Halves, options, *p.Guarantee)
	if err != nil {
		return out, fmt.Errorf("guarantee for a chain: %w", err)
	}
	out.promised = &g
	return out, nil
}

// describe writes what was fitted into the results.
func (f chainFit) describe(r *records.Records) (out []result.Policy) {
	for _, pair := range f.pairs {
		out = append(out, describePair(r, pair))
	}
	for _, c := range f.series() {
		out = append(out, describeChain(r, c))
	}
	return out
}

// describePair writes a contained pair into the results.
func describePair(r *records.Records, p contained) result.Policy {
	out := describe(r, Fitted{Name: p.row(), Policy: p.policy})
	out.Thresholds[0].Model = r.Cascade.Models[p.models[0]]
	out.FitCost, out.FitAsked = pairCost(r, p), []int{p.policy.N, p.policy.FitDeferred}
	return out
}

// pairCost is the mean cost of a query of a pair on the fit part.
func pairCost(r *records.Records, p contained) float64 {
	share := float64(p.policy.FitDeferred) / float64(p.policy.N)
	return cost.Cascade.Expected(r.Models[p.models[0]].Cost.Summary, r.Models[p.models[1]].Cost.Summary, share)
}

// describeChain writes the chain into the results.
func describeChain(r *records.Records, c series) result.Policy {
	p := c.policy
	out := result.Policy{
		Policy: c.name, Method: string(p.Certificate.Method), Feasible: p.Feasible,
		FitErrors: p.FitError.Float(), FitDeferred: p.Asked[r.Last()], MinErrors: p.MinError.Float(),
		Budget:  p.Budget.Errors.Float(),
		FitCost: p.Cost, FitAsked: p.Asked,
	}
	if c.promise == nil { // thresholds chosen for a promise have no proof about their cost
		out.Certificate = &result.Certificate{LowerBound: p.Bound, Gap: p.Cost - p.Bound, Optimal: p.Certificate.Optimal}
	}
	for m, theta := range p.Thresholds {
		out.Thresholds = append(out.Thresholds, result.Threshold{Model: r.Cascade.Models[m], Theta: result.Float(theta)})
	}
	return out
}

// chained is the table of a chain.
type chained struct {
	measurer *measurer
	fit      chainFit
	rows     rows
	notes    []result.Note
}

// chainTable fits a chain and measures the rows of its table.
func chainTable(r *records.Records) (*chained, error) {
	fit, err := fitChain(r)
	if err != nil {
		return nil, err
	}
	s, err := newMeasurer(r)
	if err != nil {
		return nil, err
	}
	t := &chained{measurer: s, fit: fit, notes: append(noTwoModels(r), noEnsembles(r)...)}
	add := func(x row, err error) error {
		t.rows = append(t.rows, x)
		return err
	}
	for _, base := range r.Study.Baselines {
		if base.Kind.Learns() || base.Numpy { // for two models; the pairs have these rows
			continue
		}
		if err := add(chainBaseline(s, base)); err != nil {
			return nil, err
		}
	}
	for m := 1; m < r.Last(); m++ {
		if err := add(alone(s, m)); err != nil {
			return nil, err
		}
	}
	for _, pair := range fit.pairs {
		if err := add(pairRow(s, pair)); err != nil {
			return nil, err
		}
	}
	for _, c := range fit.series() {
		if err := add(chainRow(s, c)); err != nil {
			return nil, err
		}
	}
	votes, err := ensembles(s)
	t.rows = append(t.rows, votes...)
	return t, err
}

// alone returns the row of a single model between the student and the master.
func alone(s *measurer, m int) (row, error) {
	at := fill(len(s.r.Test), m)
	x, err := s.measure(fmt.Sprintf("only-%d", m+1), s.r.Cascade.Models[m]+" alone", s.stages(s.all(), at, cost.Router))
	x.Baseline = true
	x.follow(s.r, s.r.Test, at, nil)
	return x, err
}

// chainRow is the row of the chain itself.
func chainRow(s *measurer, c series) (row, error) {
	ours := c.policy
	at := ours.Stages(s.r.Series(s.r.Test))
	x, err := s.measure(c.name, "Ours, "+strings.Join(s.r.Cascade.Models, " → "), s.stages(s.all(), at, cost.Cascade))
	x.Notes = chainNotes(s.r, ours)
	if c.promise != nil {
		x.Notes = caveats(s.r, ours.Warnings)
		x.promise(s, *c.promise)
	}
	x.follow(s.r, s.r.Test, at, ours.Thresholds)
	x.follow(s.r, s.r.Fit, ours.Stages(s.r.Series(s.r.Fit)), ours.Thresholds)
	if err != nil {
		return x, err
	}
	return x, s.rival(&x)
}

// chainNotes returns the caveats of the chain's row.
func chainNotes(r *records.Records, p chain.Policy) []result.Note {
	notes := append(caveats(r, p.Warnings), notOfChains(r))
	if p.Certificate.Method != chain.Descent {
		return notes
	}
	return append(notes, note.Descent(p.Feasible, p.Cost, p.Bound))
}

// notOfChains lists what the study asks for but chains do not support.
func notOfChains(r *records.Records) result.Note {
	p := r.Study.Policy
	var compare []string
	for _, c := range p.Compare {
		compare = append(compare, string(c))
	}
	return note.PairsOnly(r.PerClass(), compare, p.Guarantee != nil && r.Roles.Halves.Test == nil)
}

// fill returns n copies of a value.
func fill(n, v int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// all returns the positions of all models.
func (s *measurer) all() []int {
	out := make([]int, len(s.r.Models))
	for m := range out {
		out[m] = m
	}
	return out
}

// stages returns the plan in which the model at position at[k] answers record k.
func (s *measurer) stages(models, at []int, charge cost.Charge) plan {
	p := plan{models: models, final: make([][]float64, len(models)), charge: charge}
	for place := range models {
		p.final[place] = make([]float64, len(at))
		for k, x := range at {
			if x == place {
				p.final[place][k] = 1
			}
		}
	}
	return p
}

// pairRow is the row of a pair that the chain contains.
func pairRow(s *measurer, pair contained) (row, error) {
	at := func(examples []int) []int {
		columns, _ := s.r.Series(examples).Pair(pair.models[0], pair.models[1]) // fitted before
		out := make([]int, len(examples))
		for k, defers := range pair.policy.Decide(columns) {
			if defers {
				out[k] = 1
			}
		}
		return out
	}
	names := s.r.Cascade.Models
	title := fmt.Sprintf("Ours, %s → %s", names[pair.models[0]], names[pair.models[1]])
	x, err := s.measure(pair.row(), title, s.stages(pair.models[:], at(s.r.Test), cost.Cascade))
	x.Notes = caveats(s.r, pair.policy.Warnings)
	x.follow(s.r, s.r.Test, at(s.r.Test), pair.policy.Thresholds)
	x.follow(s.r, s.r.Fit, at(s.r.Fit), pair.policy.Thresholds)
	if err != nil {
		return x, err
	}
	return x, s.rival(&x)
}

// follow records which models the row asks for each example; at[k] is the position
// of the model whose answer counts.
func (x *row) follow(r *records.Records, examples, at []int, theta []float64) {
	ways := make([]path, len(x.plan.models)) // by place of the model whose answer counts
	for place, final := range x.plan.models {
		asked := x.plan.models[:place+1]
		switch x.plan.charge {
		case cost.Router:
			asked = x.plan.models[place : place+1]
		case cost.Parallel:
			asked = x.plan.models
		}
		ways[place] = path{asked: asked, final: final}
	}
	d := make(policy.Decisions, len(examples))
	for k, place := range at {
		asked := ways[place].asked
		d[k] = asked[len(asked)-1] == r.Last()
	}
	x.decide(r, examples, d)
	if x.decisions.way == nil {
		x.decisions.way = make([]int32, len(r.Set.Examples))
	}
	for k, i := range examples {
		x.decisions.way[i] = int32(at[k])
	}
	x.decisions.ways, x.decisions.theta = ways, theta
}
