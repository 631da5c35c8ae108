package sufficiency

import (
	"math"
	"math/rand/v2"

	"infnet/sufficiency/gbdt"
)

// study draws n records: β uniform, the student wrong with probability
// (1−β)·(1−strength) + strength·1[J_0 > 0.8], the master wrong in one of
// twenty; J has d columns, the first of which tells by strength.
func drawn(n, d int, strength float64, s uint64) Input {
	r := rand.New(rand.NewPCG(s, 99))
	in := Input{Beta: make([]float64, n), StudentErr: make([]float64, n), MasterErr: make([]float64, n),
		Class: make([]int, n)}
	set := Set{Name: "J"}
	for range d {
		set.Columns = append(set.Columns, Covariate{Name: "noise", Values: make([]float64, n)})
	}
	for i := range n {
		in.Beta[i] = r.Float64()
		in.Class[i] = r.IntN(3)
		for c := range set.Columns {
			set.Columns[c].Values[i] = r.NormFloat64()
		}
		p := (1 - in.Beta[i]) * (1 - strength)
		if set.Columns[0].Values[i] > 0.8 {
			p += strength
		}
		if r.Float64() < p {
			in.StudentErr[i] = 1
		}
		if r.Float64() < .05 {
			in.MasterErr[i] = 1
		}
	}
	in.Sets = []Set{set}
	return in
}

// quick are options for tests: hist, few and small trees.
func quick(permutations int) Options {
	return Options{Seed: 7, Name: "test", Learner: gbdt.Options{Trees: 20, Depth: 2},
		Method: Plain, Permutations: permutations, Resamples: 200}
}

func column(name string, f func(i int) float64, n int) Covariate {
	c := Covariate{Name: name, Values: make([]float64, n)}
	for i := range c.Values {
		c.Values[i] = f(i)
	}
	return c
}

// finite says whether no number of a row is NaN or infinite.
func finite(r Row) bool {
	ok := true
	for _, v := range []float64{r.MSENull.Pooled, r.MSENull.SD, r.MSEFull.Pooled, r.MSEFull.SD, r.Gain.Value, r.Gain.Low,
		r.Gain.High, r.R2.Value, r.R2.Low, r.R2.High, r.P, r.Holm, r.BH} {
		ok = ok && !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return ok
}
