package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"infnet/sufficiency"
	"infnet/sufficiency/gbdt"
)

var boosters = []string{"LightGBM", "scikit-learn hist", "XGBoost hist"}

var trees = []work{
	boosted("trees-6k", "histogram trees, 6,400 × 100, 100 trees of depth 3", 6_400, 100),
	boosted("trees-64k", "histogram trees, 64,000 × 100", 64_000, 100),
	boosted("trees-640k", "histogram trees, 640,000 × 100", 640_000, 100),
	boosted("trees-2m", "histogram trees, 2,000,000 × 20", 2_000_000, 20),
	{
		name: "svd", title: "SVD of 6,400 × 768 embeddings, 100 leading directions",
		peers: []string{"numpy eigh", "scikit-learn TruncatedSVD"},
		data: func(folder string) error {
			return writeNumbers(folder, "vectors", embeddings(6_400, 768)...)
		},
		ours: func(_ context.Context, at place) (task, error) {
			columns, err := readNumbers(at.folder, "vectors", 768)
			if err != nil {
				return task{}, err
			}
			vectors := make([][]float32, len(columns[0]))
			for i := range vectors {
				vectors[i] = make([]float32, len(columns))
				for j := range columns {
					vectors[i][j] = float32(columns[j][i])
				}
			}
			var set sufficiency.Set
			return task{func() (err error) {
				set, err = sufficiency.Embeddings("J", vectors, 100, rand.New(rand.NewPCG(1, 1)))
				return err
			}, func() float64 { return set.Truncated.Kept }}, nil
		},
	},
}

// boosted is a fit of trees, from columns in memory to the model. The target is
// one of −1, 0, 1 and depends on three of the columns.
func boosted(name, title string, n, d int) work {
	return work{
		name: name, title: title, peers: boosters,
		data: func(folder string) error {
			rng := rand.New(rand.NewPCG(5, uint64(n)))
			columns := make([][]float64, d)
			for c := range columns {
				columns[c] = uniform(rng, n)
				if c > 0 {
					for i := range n {
						columns[c][i] += rng.Float64() + rng.Float64() - 1.5
					}
				}
			}
			target := make([]float64, n)
			for i := range target {
				p := 0.6*(1-columns[0][i]) + 0.2*columns[1][i]
				if columns[2][i] > 0.5 {
					p += 0.2
				}
				switch u := rng.Float64(); {
				case u < p:
					target[i] = 1
				case u > 0.95:
					target[i] = -1
				}
			}
			if err := os.WriteFile(filepath.Join(folder, "columns.txt"), []byte(strconv.Itoa(d)), 0o666); err != nil {
				return err
			}
			if err := writeNumbers(folder, "target", target); err != nil {
				return err
			}
			return writeNumbers(folder, "columns", columns...)
		},
		ours: func(_ context.Context, at place) (task, error) {
			columns, err := readNumbers(at.folder, "columns", d)
			if err != nil {
				return task{}, err
			}
			target, err := readNumbers(at.folder, "target", 1)
			var model *gbdt.Model
			var features *gbdt.Features
			return task{func() (err error) {
				if features, err = gbdt.NewFeatures(n, columns); err != nil {
					return err
				}
				model, err = gbdt.Fit(features.View(), target[0], nil, gbdt.Options{Learner: gbdt.Hist})
				return err
			}, func() float64 { return meanSquare(model, features, target[0]) }}, err
		},
	}
}

// meanSquare is the mean squared error on the rows that the model was fitted to.
func meanSquare(m *gbdt.Model, f *gbdt.Features, y []float64) (mean float64) {
	predicted := make([]float64, len(y))
	m.Predict(predicted, f.View(), nil)
	for i, v := range predicted {
		mean += (v - y[i]) * (v - y[i]) / float64(len(y))
	}
	return mean
}

// embeddings are columns of n vectors: twenty directions that the vectors
// share, each weaker than the one before, and noise. All are float32 numbers.
func embeddings(n, d int) [][]float64 {
	const shared = 20
	rng := rand.New(rand.NewPCG(9, uint64(n)))
	factors := make([][shared]float64, n)
	for i := range factors {
		for f := range shared {
			factors[i][f] = rng.NormFloat64() / float64(1+f)
		}
	}
	columns := make([][]float64, d)
	for j := range columns {
		columns[j] = make([]float64, n)
		var load [shared]float64
		for f := range load {
			load[f] = rng.NormFloat64()
		}
		for i := range n {
			v := 0.2 * rng.NormFloat64()
			for f, l := range load {
				v += l * factors[i][f]
			}
			columns[j][i] = float64(float32(v))
		}
	}
	return columns
}
