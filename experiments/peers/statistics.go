package main

import (
	"context"
	"math/rand/v2"

	"infnet/harness/curve"
	"infnet/metrics/infer"
)

const (
	bootstrapped = 10_000 // records, and resamples
	means        = 20     // a third of them of grades, the others of costs
)

var statistics = []work{
	{
		name: "bootstrap", title: "bootstrap, 10,000 resamples of 10,000 records, intervals of 20 means",
		peers: []string{"numpy, multinomial", "numpy, bincount"},
		data: func(folder string) error {
			rng := rand.New(rand.NewPCG(1, 1))
			columns := make([][]float64, means)
			for c := range columns {
				columns[c] = uniform(rng, bootstrapped)
				if c%3 == 0 {
					continue
				}
				for i, u := range columns[c] {
					columns[c][i] = 0
					if u < 0.8 {
						columns[c][i] = 1
					}
				}
			}
			return writeNumbers(folder, "values", columns...)
		},
		ours: func(_ context.Context, at place) (task, error) {
			columns, err := readNumbers(at.folder, "values", means)
			var width float64
			return task{func() error {
				rs, err := infer.NewResamples(rand.New(rand.NewPCG(1, 2)), make([]string, bootstrapped),
					infer.Options{Count: bootstrapped, Keep: -1})
				if err != nil {
					return err
				}
				batch, intervals := rs.Batch(), make([]infer.Interval, means)
				for c, x := range columns {
					batch.Mean("mean", &intervals[c], x)
				}
				err = batch.Run()
				width = intervals[0].High - intervals[0].Low
				return err
			}, func() float64 { return width }}, err
		},
	},
	{
		name: "isotonic", title: "isotonic regression of 1,000,000 outcomes on β",
		peers: []string{"scikit-learn isotonic"},
		data: func(folder string) error {
			rng := rand.New(rand.NewPCG(1, 1))
			x := uniform(rng, 1e6)
			y := make([]float64, len(x))
			for i := range x {
				if rng.Float64() < x[i] {
					y[i] = 1
				}
			}
			if err := writeNumbers(folder, "x", x); err != nil {
				return err
			}
			return writeNumbers(folder, "y", y)
		},
		ours: func(_ context.Context, at place) (task, error) {
			x, err := readNumbers(at.folder, "x", 1)
			if err != nil {
				return task{}, err
			}
			y, err := readNumbers(at.folder, "y", 1)
			var m curve.Monotone
			return task{func() (err error) {
				m, err = curve.Isotonic(x[0], y[0], nil)
				return err
			}, func() float64 { return m.At(0.5) }}, err
		},
	},
}
