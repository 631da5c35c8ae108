package analyze

import (
	"fmt"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/pool"
	"infnet/harness/population"
	"infnet/harness/result"
	"infnet/metrics/infer"
)

// entry is a row to be measured: whose answer counts for which record, and what is
// said about it. Every row of a table, of two models or more, starts as one.
type entry struct {
	name, title string
	baseline    bool
	models      []int // positions in the order asked; nil = all
	charge      cost.Charge
	overhead    float64       // see plan
	fit, test   []int         // by record: the place among models of the one that answers; fit nil = not decided there
	chance      [][]float64   // in place of test: see plan.final
	beside      company       // what it is compared with
	notes       []result.Note // before those of the comparison
	fitted      *Fitted
}

type company uint8

const (
	rivals  company = iota // single models and coins between two, with advice
	unasked                // the same, but there is nobody to advise: coins and oracles are no policies
	nobody                 // it is a single model itself
	itself                 // the same, by definition: its decisions say nothing
)

// row is a row of the table, with the data that other parts of the results need.
type row struct {
	result.Row
	plan    plan                 // on the test part
	places  []int32              // by example: 1 + the place of the model that answers; 0 = undecided; nil = all are
	contest *pool.Contest        // nil = it has no rival
	fitted  *Fitted              // nil = it has no thresholds of its own
	mixture *policy.Mixture      // of the randomised row
	form    *population.FormLoss // of the row without threshold form
	learned *result.Learned      // of baselines that learn
	family  *family              // of baselines that learn
	scores  []float64            // theirs by example, out of fold on the fit part
}

func (s *measurer) row(e entry) (x row, err error) {
	if e.models == nil {
		e.models = everyModel(s.r)
	}
	if e.chance == nil {
		e.chance = certainly(len(e.models), e.test)
	}
	x.plan = plan{models: e.models, final: e.chance, charge: e.charge, overhead: e.overhead, constant: e.beside == itself}
	x.Policy, x.Title, x.Charge, x.Metrics = e.name, e.title, string(e.charge), map[string]infer.Interval{}
	if err := s.measure(&x.Row, x.plan); err != nil {
		return x, fmt.Errorf("row %s, %w", e.name, err)
	}
	x.Baseline, x.Notes, x.fitted = e.baseline, e.notes, e.fitted
	if e.test != nil && e.beside != itself {
		x.places = make([]int32, len(s.r.Set.Examples))
		for k, place := range e.test {
			x.places[s.r.Test[k]] = int32(1 + place)
		}
		for k, place := range e.fit {
			x.places[s.r.Fit[k]] = int32(1 + place)
		}
	}
	if e.beside == rivals || e.beside == unasked {
		err = s.against(&x)
	}
	if err == nil && e.beside == rivals {
		warn(&x.Row, s.r.Cascade.Models)
	}
	return x, err
}

func (s *measurer) measure(out *result.Row, p plan) (err error) {
	for _, m := range s.metrics {
		if out.Metrics[string(m.Name)], err = s.metric(m, p); err != nil {
			return fmt.Errorf("metric %s: %w", m.Name, err)
		}
	}
	if out.Error, err = s.resamples.RateOf(p.mix(s.errors)); err != nil {
		return fmt.Errorf("error: %w", err)
	}
	last := make([]float64, len(s.truth))
	for place, m := range p.models {
		asked := p.asked(place)
		if m == s.r.Last() {
			last = asked
		}
		if s.r.IsChain() {
			x := result.Asked{Model: s.r.Cascade.Models[m]}
			if x.Share, err = s.share(asked, p.constant); err != nil {
				return fmt.Errorf("deferred: %w", err)
			}
			out.Asked = append(out.Asked, x)
		}
	}
	if out.Deferred, err = s.share(last, p.constant); err != nil {
		return fmt.Errorf("deferred: %w", err)
	}
	if out.Saved, err = s.saved(p); err != nil {
		return fmt.Errorf("cost saved: %w", err)
	}
	least, most := p.payable(s.costs)
	if out.SavedPerQuery, err = s.resamples.Saved(p.paid(s.costs), least, most, s.costs[s.r.Last()]); err != nil {
		return fmt.Errorf("cost saved per query: %w", err)
	}
	return nil
}

func fittedRow(s *measurer, f Fitted) (row, error) {
	x, err := s.row(entry{name: f.Name, title: f.title(s.r), models: f.Series, charge: cost.Cascade,
		test: f.places(s.r, s.r.Test), fit: f.places(s.r, s.r.Fit), notes: f.notes(s.r), fitted: &f})
	if err == nil && f.Promise != nil {
		x.promise(s, *f.Promise)
	}
	return x, err
}

type rows []row

func (all rows) named(name string) *row {
	for k := range all {
		if all[k].Policy == name {
			return &all[k]
		}
	}
	return nil
}

func (all rows) results() (out []result.Row) {
	for _, x := range all {
		out = append(out, x.Row)
	}
	return out
}
