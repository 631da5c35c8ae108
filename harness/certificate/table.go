package certificate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/policy/deploy"
	"infnet/harness/result"
)

// newTable lists what is claimed of a cascade on a dataset. deployed returns the file of a policy.
func newTable(c result.Cascade, d result.Dataset, columns string, deployed func(policy string) deploy.File) table {
	t := table{Cascade: c.Name, Dataset: d.Name, Columns: columns, Models: c.Models, Setting: c.Setting, Target: c.Target,
		Objective: c.Objective, Summary: c.Summary, Costs: d.Costs, Fit: d.Counts.Fit, Test: d.Counts.Test}
	for _, x := range d.Rows {
		r := row{Policy: x.Policy, Models: series(c.Models, x.Policy), Charge: x.Charge, Error: x.Error, Deferred: x.Deferred,
			Saved: x.Saved, PerQuery: x.SavedPerQuery, Metrics: x.Metrics, Certified: x.Certified, Promise: x.Promise}
		if at := slices.IndexFunc(d.Learned, func(l result.Learned) bool { return l.Policy == x.Policy }); at >= 0 {
			r.Overhead = d.Learned[at].Overhead
		}
		if at := slices.IndexFunc(d.Policies, func(p result.Policy) bool { return p.Policy == x.Policy }); at >= 0 {
			p := d.Policies[at]
			r.Fitted = &fitted{Method: p.Method, Errors: p.FitErrors, Deferred: p.FitDeferred, Price: p.ErrorCost}
			if p.Certificate != nil && len(r.Models) == 2 {
				r.Fitted.Optimum = &optimum{p.Budget, p.MinErrors, p.Feasible, *p.Certificate}
			}
			r.Rules = []rule{thresholds(1, p.Thresholds)}
		} else {
			r.Rules = rules(r.Policy, deployed(x.Policy), len(c.Models))
		}
		t.Rows = append(t.Rows, r)
	}
	return t
}

// series are the models that a policy asks: all, or those of a pair that a chain contains.
func series(models []string, policy string) (out []int) {
	var i, j int
	if n, _ := fmt.Sscanf(policy, "pair-%d-%d", &i, &j); n == 2 {
		return []int{i - 1, j - 1}
	}
	for m := range models {
		out = append(out, m)
	}
	return out
}

// rules says how a row without fitted thresholds decides.
func rules(policy string, deployed deploy.File, models int) []rule {
	switch name, p, _ := strings.Cut(policy, "-"); {
	case deployed.Mixture != nil:
		m := deployed.Mixture
		return []rule{thresholds(m.Alpha, named(deployed.Thresholds)), thresholds(1-m.Alpha, named(m.Lax))}
	case policy == string(baseline.None):
		return []rule{{Weight: 1, Model: new(int)}}
	case policy == string(baseline.All):
		last := models - 1
		return []rule{{Weight: 1, Model: &last}}
	case name == string(baseline.Random):
		if chance, err := strconv.ParseFloat(cmp.Or(p, "0.5"), 64); err == nil {
			return coins(chance, models)
		}
	}
	var alone int
	if n, _ := fmt.Sscanf(policy, "only-%d", &alone); n == 1 {
		alone--
		return []rule{{Weight: 1, Model: &alone}}
	}
	return []rule{{Weight: 1, As: policy}}
}

// coins are the rules of a coin before each further model.
func coins(chance float64, models int) (out []rule) {
	left := 1.0
	for m := range models {
		w := left
		if m < models-1 {
			w, left = left*(1-chance), left*chance
		}
		out = append(out, rule{Weight: w, Model: &m})
	}
	return out
}

func thresholds(weight float64, list []result.Threshold) rule {
	r := rule{Weight: weight}
	for _, t := range list {
		if r.Theta = append(r.Theta, t.Theta); t.Class != "" {
			r.Class = append(r.Class, t.Class)
		}
	}
	return r
}

func named(list []deploy.ClassThreshold) (out []result.Threshold) {
	for _, t := range list {
		out = append(out, result.Threshold{Class: t.Class, Theta: result.Float(t.Theta)})
	}
	return out
}

// left says what a run claims that its columns alone neither prove nor refute; of rows, check.py says it.
func left(r *result.Results) []string {
	found := map[string]bool{}
	for _, c := range r.Cascades {
		for _, d := range c.Datasets {
			for what, has := range map[string]bool{"the test of sufficiency": d.Sufficiency != nil,
				"repeated splits: the columns are those of the first":             d.Repeats != nil,
				"what policies lose at a price of errors, and those that abstain": d.Price != nil} {
				found[what] = found[what] || has
			}
		}
	}
	found["pools of models"] = len(r.Pools) > 0
	out := slices.DeleteFunc(slices.Sorted(maps.Keys(found)), func(what string) bool { return !found[what] })
	return append(out, "intervals, p-values by resampling, and the verdicts that rest on them",
		"that the models gave these answers, confidences, errors and costs: infnet verify makes them again")
}
