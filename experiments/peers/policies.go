package main

import (
	"context"
	"math"
	"math/rand/v2"

	"infnet/harness/policy"
)

// No library solves these exactly.
var policies = []work{
	{name: "frontier", title: "the cost–error frontier, 1,000,000 records of 6 classes", ours: frontier(1_000_000, 6)},
	{name: "classes-2k", title: "thresholds, 2,000 records of 1,000 classes", ours: thresholds(2_000, 1_000)},
	{name: "classes-20k", title: "thresholds, 20,000 records of 1,000 classes", ours: thresholds(20_000, 1_000)},
}

// frontier is every optimal policy of n records with k classes.
func frontier(n, k int) func(context.Context, place) (task, error) {
	return func(context.Context, place) (task, error) {
		r := classified(n, k)
		var f *policy.Frontier
		return task{func() (err error) {
			f, err = policy.FrontierMulti(r, policy.Options{})
			return err
		}, func() float64 { return float64(f.Len()) }}, nil
	}
}

// thresholds is an exact fit of a threshold for each of k classes, at the
// master's error.
func thresholds(n, k int) func(context.Context, place) (task, error) {
	return func(context.Context, place) (task, error) {
		r := classified(n, k)
		target, err := policy.ParseTarget("master")
		if err != nil {
			return task{}, err
		}
		var p policy.Policy
		return task{func() (err error) {
			p, err = policy.FitMulti(r, policy.Options{Target: target})
			return err
		}, func() float64 { return float64(p.FitDeferred) }}, nil
	}
}

// classified draws records of k classes of unequal size: a quarter of the
// confidences are tied, the student errs less the surer it is, and the master
// errs where the student does.
func classified(n, k int) policy.Records {
	rng := rand.New(rand.NewPCG(42, uint64(k)))
	r := policy.Records{Classes: k, Class: make([]int, n), Beta: make([]float64, n), Student: make([]float64, n),
		Master: make([]float64, n)}
	for i := range n {
		class := min(int(1.3*float64(k)*rng.Float64()*rng.Float64()), k-1)
		beta := rng.Float64()
		if rng.IntN(4) == 0 {
			beta = math.Round(500*beta) / 500
		}
		hard := (1 - beta) * (0.4 + 0.5*float64(class)/float64(k))
		if rng.Float64() < hard {
			r.Student[i] = 1
		}
		if rng.Float64() < 0.3*hard+0.05 {
			r.Master[i] = 1
		}
		r.Class[i], r.Beta[i] = class, beta
	}
	return r
}
