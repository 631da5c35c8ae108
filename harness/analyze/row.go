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

// company is what a row is compared with.
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
	work    *float64             // theirs: operations of all fits; nil = not counted
	family  *family              // of baselines that learn
	scores  []float64            // theirs by example, out of fold on the fit part
}

// row measures an entry and compares it with single models.
func (s *measurer) row(e entry) (row, error) {
	if e.models == nil {
		for m := range s.r.Models {
			e.models = append(e.models, m)
		}
	}
	p := plan{models: e.models, final: e.chance, charge: e.charge, overhead: e.overhead, constant: e.beside == itself}
	if e.chance == nil {
		p.final = certainly(len(e.models), e.test)
	}
	x, err := s.measure(e.name, e.title, p)
	if err != nil {
		return x, err
	}
	x.Baseline, x.Notes, x.fitted = e.baseline, e.notes, e.fitted
	if e.test != nil && e.beside != itself {
		x.decide(s, e)
	}
	switch e.beside {
	case rivals:
		return x, s.rival(&x)
	case unasked:
		return x, s.against(&x)
	}
	return x, nil
}

// certainly returns the chances where the model at place at[k] answers record k.
func certainly(places int, at []int) [][]float64 {
	final := make([][]float64, places)
	for place := range final {
		final[place] = make([]float64, len(at))
		for k, x := range at {
			final[place][k] = indicator(x == place)
		}
	}
	return final
}

// deferring are the chances of a pair's two models where record k is deferred with the
// chance weight[k].
func deferring(weight []float64) [][]float64 { return [][]float64{complement(weight), weight} }

// places are the places of a pair's models that answer.
func places(d policy.Decisions) []int {
	out := make([]int, len(d))
	for k, defers := range d {
		if defers {
			out[k] = 1
		}
	}
	return out
}

// decide keeps the decisions by example.
func (x *row) decide(s *measurer, e entry) {
	x.places = make([]int32, len(s.r.Set.Examples))
	for k, place := range e.test {
		x.places[s.r.Test[k]] = int32(1 + place)
	}
	for k, place := range e.fit {
		x.places[s.r.Fit[k]] = int32(1 + place)
	}
}

// measure measures a plan on the test part.
func (s *measurer) measure(name, title string, p plan) (row, error) {
	out := row{plan: p, Row: result.Row{
		Policy: name, Title: title, Charge: string(p.charge), Metrics: map[string]infer.Interval{},
	}}
	failed := func(what string, err error) (row, error) { return out, fmt.Errorf("row %s, %s: %w", name, what, err) }
	for _, m := range s.metrics {
		iv, err := s.metric(m, p)
		if err != nil {
			return failed("metric "+string(m.Name), err)
		}
		out.Metrics[string(m.Name)] = iv
	}
	var err error
	if out.Error, err = s.resamples.RateOf(p.mix(s.errors)); err != nil {
		return failed("error", err)
	}
	if err = s.shares(&out.Row, p); err != nil {
		return failed("deferred", err)
	}
	if out.Saved, err = s.saved(p); err != nil {
		return failed("cost saved", err)
	}
	least, most := s.payable(p, s.costs)
	if out.SavedPerQuery, err = s.resamples.Saved(p.paid(s.costs), least, most, s.costs[s.r.Last()]); err != nil {
		return failed("cost saved per query", err)
	}
	if out.Latency, err = s.latency(p); err != nil {
		return failed("latency", err)
	}
	return out, nil
}

// kept returns a function that passes a measurement on and keeps the first error, so
// that several read as one.
func kept[T any](first *error) func(T, error) T {
	return func(v T, err error) T {
		if *first == nil {
			*first = err
		}
		return v
	}
}

// fittedRow measures a fitted policy.
func fittedRow(s *measurer, f Fitted) (row, error) {
	x, err := s.row(entry{name: f.Name, title: f.title(s.r), models: f.Series, charge: cost.Cascade,
		test: f.places(s.r, s.r.Test), fit: f.places(s.r, s.r.Fit), notes: f.notes(s.r), fitted: &f})
	if err == nil && f.Promise != nil {
		x.promise(s, *f.Promise)
	}
	if err == nil {
		x.OverShuffle, err = s.overShuffle(x.plan)
	}
	return x, err
}

// rows are the rows of a table, in order.
type rows []row

// named returns the row of this name, or nil.
func (all rows) named(name string) *row {
	for k := range all {
		if all[k].Policy == name {
			return &all[k]
		}
	}
	return nil
}

// results converts the rows to those of the results.
func (all rows) results() (out []result.Row) {
	for _, x := range all {
		out = append(out, x.Row)
	}
	return out
}
