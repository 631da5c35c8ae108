package recheck

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"infnet/harness/seed"
)

// served is a simulated server: a logit per record, and noise on top of it at every call.
type served struct {
	logit func(i int) float64
	noise float64
}

func (s served) ask(rng *rand.Rand, i int) Reading {
	l := s.logit(i) + s.noise*rng.NormFloat64()
	answer := "yes"
	if l < 0 {
		answer = "no"
	}
	return Reading{Answer: answer, Scored: true, Beta: 1 / (1 + math.Exp(-math.Abs(l)))}
}

// rechecked simulates a recheck of a model as Recheck does it: the answers once, and those that Again names once more.
func rechecked(rng *rand.Rand, n int, before, now served) Model {
	m := Model{ModelReport: ModelReport{Name: "m", Stored: n}, Items: make([]Item, n)}
	for i := range m.Items {
		m.Items[i] = Item{ID: fmt.Sprint(i), Stored: before.ask(rng, i), Fresh: []Reading{now.ask(rng, i)},
			Random: i < Noisy(n)}
	}
	for _, i := range Again(m.Items, 0.01) {
		m.Items[i].Fresh = append(m.Items[i].Fresh, now.ask(rng, i))
	}
	return m
}

// alarms counts the rechecks of 200 answers of each of some models that say that one has changed: the first, by change.
func alarms(t *testing.T, change func(rng *rand.Rand, logit float64) float64, noise float64, models int) (n int) {
	t.Helper()
	const sample, times = 200, 100
	for k := range times {
		rng := seed.Stream(uint64(k), "recheck simulation", fmt.Sprint(noise, models))
		var list []Model
		for first := true; len(list) < models; first = false {
			was, is := make([]float64, sample), make([]float64, sample)
			for i := range was {
				was[i] = 1.5 + 2*rng.NormFloat64()
				if is[i] = was[i]; first {
					is[i] = change(rng, was[i])
				}
			}
			m := rechecked(rng, sample, served{func(i int) float64 { return was[i] }, noise},
				served{func(i int) float64 { return is[i] }, noise})
			m.Name = fmt.Sprint("m", len(list))
			list = append(list, m)
		}
		reports, err := Judge(list, &Report{Alpha: 0.05, Tolerance: 0.01, Seed: uint64(k)}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if Worst(reports) == Changed {
			n++
		}
	}
	return n
}

// The level holds whatever the server's own noise: none, batches in bfloat16 (a standard deviation of 0.05 in the
// logit), and one that samples (1). Other weights of the same family, which move it by 1, are found.
func TestLevelAndPower(t *testing.T) {
	none := func(_ *rand.Rand, l float64) float64 { return l }
	weights := func(r *rand.Rand, l float64) float64 { return l + r.NormFloat64() }
	for _, tt := range []struct {
		noise  float64
		models int
	}{{0, 1}, {0.05, 1}, {1, 1}, {1, 3}} {
		// with a true level of 0.05, 12 alarms in 100 or more have probability 0.004
		if n := alarms(t, none, tt.noise, tt.models); n >= 12 {
			t.Errorf("%d models of noise %v: %d alarms in 100 while nothing has changed", tt.models, tt.noise, n)
		}
	}
	for _, noise := range []float64{0, 0.05} {
		if n := alarms(t, weights, noise, 1); n < 95 {
			t.Errorf("noise %v: other weights are found in %d of 100 rechecks", noise, n)
		}
	}
}
