package analyze

import (
	"context"
	"fmt"

	"infnet/harness/policy/chain"
	"infnet/harness/pool"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/spec"
	"infnet/metrics/infer"
)

func (o *Output) pool(ctx context.Context, in Input, p *spec.Pool, answers records.Table) error {
	c := p.Cascade()
	out := result.Pool{Name: p.Name, Models: p.Models, CostModel: string(in.Study.Cost.Model),
		Unit: in.Study.Cost.Model.Unit(currency(in.Study, &c))}
	for _, name := range p.Datasets {
		r, err := records.Prepare(in.Input, answers, &c, name, nil)
		var d result.PoolDataset
		if err == nil {
			d, err = (&pooled{in: in, pool: p, r: r}).analyse(ctx)
		}
		if err != nil {
			return fmt.Errorf("pool %s on dataset %s: %w", p.Name, name, err)
		}
		out.Incomplete = out.Incomplete || incomplete(in.Study, d.Counts)
		out.Datasets = append(out.Datasets, d)
	}
	o.Result.Pools = append(o.Result.Pools, out)
	return nil
}

type pooled struct {
	in   Input
	pool *spec.Pool
	r    *records.Records

	fit, test pool.Records
	found     *pool.Found
	resamples *infer.Resamples // of the test part
	out       result.PoolDataset
}

// audit says who grades, and what people say of it.
func (x *pooled) audit() error {
	x.out.Grader = grader(x.r)
	for m, name := range x.r.Cascade.Models {
		right, level := x.r.Models[m].Right(x.r.Test), x.r.Study.Report.Level
		d, n := result.Diagnostic{Model: name}, 0
		for _, is := range right {
			n += int(indicator(is))
		}
		d.Correct.Value = float64(n) / float64(len(right))
		var err error
		if d.Audit, err = audit(x.r, m, right, level); err != nil {
			return err
		}
		x.out.Audits = append(x.out.Audits, d)
	}
	return nil
}

// analyse reads as a table of contents of the results.
func (x *pooled) analyse(ctx context.Context) (result.PoolDataset, error) {
	r := x.r
	x.out = result.PoolDataset{Name: r.Dataset.Name, Counts: count(r), Split: r.Roles.Graph.Hash}
	if r.Judged() {
		if err := x.audit(); err != nil {
			return x.out, err
		}
	}
	x.fit, x.test = x.columns(r.Fit), x.columns(r.Test)
	if err := x.guess(ctx); err != nil {
		return x.out, err
	}
	if err := x.test.Check(); err != nil {
		return x.out, err
	}
	var err error
	if x.resamples, err = newResamples(r); err == nil {
		x.found, err = pool.Search(x.fit, pool.Options{Chains: true, Ensembles: chain.EnsembleRules()})
	}
	for _, step := range []func() error{x.families, x.envelope, x.models, x.savings, x.pairs} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return x.out, err
	}
	for _, p := range pool.NewOracle(pool.Choices(x.test, everyModel(r), false)).Curve() {
		x.out.Oracle = append(x.out.Oracle, result.PoolPoint(p))
	}
	return x.out, nil
}

func (x *pooled) columns(examples []int) pool.Records {
	var out pool.Records
	said := make([][]int, len(x.r.Models)) // equal numbers for equal answers
	for _, i := range examples {
		for k, one := range answersSaid(x.r, i) {
			said[k] = append(said[k], one)
		}
	}
	for k := range x.r.Models {
		m := &x.r.Models[k]
		c := pool.Model{Error: m.Errors(examples), Cost: records.Pick(m.Costs, examples), Class: said[k]}
		if records.Confident(x.r, k) {
			c.Beta = records.Pick(m.Beta, examples)
		}
		out = append(out, c)
	}
	return out
}

func (x *pooled) names(models []int) []string {
	var out []string
	for _, m := range models {
		out = append(out, x.r.Cascade.Models[m])
	}
	return out
}

func (x *pooled) families() error {
	for _, f := range x.found.Families {
		out := result.PoolFamily{Kind: string(f.Kind), Tried: f.Tried}
		for _, c := range f.Hull {
			played, err := c.Play(x.test)
			if err != nil {
				return err
			}
			out.Hull = append(out.Hull, result.PoolPoint(c.Point))
			out.Test = append(out.Test, result.PoolPoint(played.Mean()))
		}
		x.out.Families = append(x.out.Families, out)
	}
	return nil
}

func (x *pooled) choice(c pool.Candidate) (out result.PoolChoice, played pool.Measured, err error) {
	out.Kind, out.Models, out.Fit = string(c.Kind), x.names(c.Asks(x.fit)), result.PoolPoint(c.Point)
	out.Rule, out.Router = string(c.Rule), c.Price
	for _, theta := range c.Theta {
		out.Thetas = append(out.Thetas, result.Float(theta))
	}
	if played, err = c.Play(x.test); err != nil {
		return out, played, err
	}
	if out.Error, err = x.resamples.RateOf(played.Error); err == nil {
		out.Cost, err = x.resamples.Mean(played.Cost)
	}
	return out, played, err
}

// envelope writes the best choices, from the cheapest, and the prices of an error at which each is the best.
func (x *pooled) envelope() error {
	e := x.found.Envelope
	for k, c := range e {
		out, _, err := x.choice(c)
		if err != nil {
			return err
		}
		if out.Price.To = result.Float(infinite); k > 0 {
			out.Price.From = result.Float(pool.Price(e[k-1].Point, c.Point))
			x.out.Envelope[k-1].Price.To = out.Price.From
		}
		x.out.Envelope = append(x.out.Envelope, out)
	}
	return nil
}
