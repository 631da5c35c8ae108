package gallery

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/policy"
	"infnet/harness/policy/chain"
)

// SetCurves are the error–cost curves of one set: of every pair in the order of
// a chain, and of the two whole chains.
type SetCurves struct {
	Set       string
	Fit, Test int  // questions
	Halved    bool // no test part is public: every other question fits
	Singles   []Place
	Cascades  []Curve
}

// Place is what a model or a cascade does on both parts. Costs are the mean of
// the recorded costs of all models asked, in USD per question; errors are shares.
type Place struct {
	Name                string
	FitCost, FitError   float64
	TestCost, TestError float64
}

// Curve is a cascade with thresholds from the fit part, from the cheapest to the
// one of fewest errors there.
type Curve struct {
	Chain  string // of which family
	Models []string
	Places []Place
}

// budgets is how many error budgets a chain of more than two models is fitted
// to: each is a fit, while a pair's whole frontier is one pass.
const budgets = 24

// curves computes the curves of a set.
func (s *Set) curves() (*SetCurves, error) {
	fit, test := s.Fit, s.Test
	out := &SetCurves{Set: s.Name}
	if len(test) == 0 {
		out.Halved = true
		all := fit
		fit, test = nil, nil
		for k, i := range all {
			if k%2 == 0 {
				fit = append(fit, i)
			} else {
				test = append(test, i)
			}
		}
	}
	out.Fit, out.Test = len(fit), len(test)
	parts := [2][]int{fit, test}
	for _, family := range Chains {
		var models []*Model
		for _, name := range family.Models {
			m := s.model(name)
			models = append(models, m)
			out.Singles = append(out.Singles, place(name, []*Model{m}, nil, parts))
		}
		for i := range models {
			for j := i + 1; j < len(models); j++ {
				c, err := pair([]*Model{models[i], models[j]}, parts)
				if err != nil {
					return nil, fmt.Errorf("%s and %s on %s: %w", models[i].Name, models[j].Name, s.Name, err)
				}
				c.Chain = family.Name
				out.Cascades = append(out.Cascades, c)
			}
		}
		c, err := series(models, parts)
		if err != nil {
			return nil, fmt.Errorf("the chain %s on %s: %w", family.Name, s.Name, err)
		}
		c.Chain = family.Name
		out.Cascades = append(out.Cascades, c)
	}
	return out, nil
}

// place measures models in series with one threshold for each but the last.
func place(name string, models []*Model, thresholds policy.Thresholds, parts [2][]int) Place {
	var cost, wrong [2]float64
	for p, part := range parts {
		for _, i := range part {
			for k, m := range models {
				cost[p] += m.Cost[i]
				if k == len(models)-1 || m.Beta[i] >= thresholds[k] {
					wrong[p] += 1 - number(m.Correct[i])
					break
				}
			}
		}
		cost[p], wrong[p] = cost[p]/float64(len(part)), wrong[p]/float64(len(part))
	}
	return Place{name, cost[0], wrong[0], cost[1], wrong[1]}
}

// errors is a model's column of errors.
func (m *Model) errors(of []int) []float64 {
	out := make([]float64, len(of))
	for k, i := range of {
		out[k] = 1 - number(m.Correct[i])
	}
	return out
}

func (m *Model) levels(of []int) []float64 {
	out := make([]float64, len(of))
	for k, i := range of {
		out[k] = m.Beta[i]
	}
	return out
}

func names(models []*Model) []string {
	out := make([]string, len(models))
	for i, m := range models {
		out[i] = m.Name
	}
	return out
}

// pair is the exact frontier of two models: every threshold that is
// Pareto-optimal on the fit part, and both models' own ends.
func pair(models []*Model, parts [2][]int) (Curve, error) {
	student, master, fit := models[0], models[1], parts[0]
	f, err := policy.FrontierSingle(policy.Records{Beta: student.levels(fit), Student: student.errors(fit),
		Master: master.errors(fit)}, policy.Options{})
	if err != nil {
		return Curve{}, err
	}
	c := Curve{Models: names(models)}
	for k := range f.Len() {
		c.Places = append(c.Places, place("", models, f.Point(k).Thresholds, parts))
	}
	c.sort()
	return c, nil
}

// series are the fitted thresholds of a longer chain, at budgets from the fewest
// errors it can make to those of its first model.
func series(models []*Model, parts [2][]int) (Curve, error) {
	fit := parts[0]
	r := chain.Records{}
	for k, m := range models {
		if k < len(models)-1 {
			r.Beta = append(r.Beta, m.levels(fit))
		}
		r.Err = append(r.Err, m.errors(fit))
		r.Cost = append(r.Cost, place("", []*Model{m}, nil, parts).FitCost)
	}
	least, err := chain.Fit(r, policy.Options{Target: policy.Min})
	if err != nil {
		return Curve{}, err
	}
	n := len(fit)
	low, high := int(math.Round(least.FitError.Float())), 0
	for _, e := range r.Err[0] {
		high += int(e)
	}
	c := Curve{Models: names(models)}
	last := -1
	for k := range budgets {
		// closer to each other where errors are few, as costs rise fastest there
		errors := low + (high-low)*k*k/(budgets-1)/(budgets-1)
		if errors == last {
			continue
		}
		last = errors
		// half an error more, so that the decimal rounds down to the budget meant
		target, err := policy.ParseTarget(fmt.Sprintf("%.9f", max(0, 1-(float64(errors)+0.5)/float64(n))))
		if err != nil {
			return Curve{}, err
		}
		fitted, err := chain.Fit(r, policy.Options{Target: target})
		if err != nil {
			return Curve{}, err
		}
		c.Places = append(c.Places, place("", models, fitted.Thresholds, parts))
	}
	c.sort()
	return c, nil
}

// sort puts the cheapest on the fit part first.
func (c *Curve) sort() {
	slices.SortStableFunc(c.Places, func(a, b Place) int {
		switch {
		case a.FitCost < b.FitCost:
			return -1
		case a.FitCost > b.FitCost:
			return 1
		}
		return 0
	})
}

// best is the place of fewest errors on the fit part that costs at most so much
// there; the cheaper of equals.
func best(places []Place, cost float64) (Place, bool) {
	var out Place
	found := false
	for _, p := range places {
		if p.FitCost > cost*(1+1e-9) || found && (p.FitError > out.FitError || p.FitError == out.FitError &&
			p.FitCost >= out.FitCost) {
			continue
		}
		out, found = p, true
	}
	return out, found
}
