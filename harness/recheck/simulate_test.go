package recheck

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"infnet/harness/seed"
	"infnet/metrics/infer"
)

var update = flag.Bool("update", false, "write testdata/power.csv anew")

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
		m.Calls++
	}
	m.Calls += n
	return m
}

// change is how the served model differs from the one that was measured.
type change struct {
	name string
	to   func(rng *rand.Rand, logit float64) float64
}

// changes are in the order of the file. A standard deviation of 1 in the logit is what other weights of the same
// family do; 0.1 is what a quantisation to eight bits does.
func changes() []change {
	return []change{
		{"none", func(_ *rand.Rand, l float64) float64 { return l }},
		{"logits ± 0.1", func(r *rand.Rand, l float64) float64 { return l + 0.1*r.NormFloat64() }},
		{"logits ± 0.3", func(r *rand.Rand, l float64) float64 { return l + 0.3*r.NormFloat64() }},
		{"logits ± 1", func(r *rand.Rand, l float64) float64 { return l + r.NormFloat64() }},
		{"logits × 0.9", func(_ *rand.Rand, l float64) float64 { return 0.9 * l }},
		{"3 % of answers", func(r *rand.Rand, l float64) float64 {
			if r.Float64() < 0.03 {
				return -l
			}
			return l
		}},
	}
}

// noises are the standard deviations of a server's own noise in the logit: none, batches in bfloat16, and a server that
// samples.
var noises = []float64{0, 0.05, 1}

// simulate returns how many rechecks say that a model has changed, and the mean number of calls of a model.
func simulate(c change, noise float64, n, models, times int) (alarms int, calls float64, err error) {
	for t := range times {
		rng := seed.Stream(uint64(t), "recheck simulation", c.name, fmt.Sprint(noise, n, models))
		var list []Model
		for k := range models {
			was, is := make([]float64, n), make([]float64, n)
			for i := range was {
				was[i] = 1.5 + 2*rng.NormFloat64()
				if is[i] = was[i]; k == 0 {
					is[i] = c.to(rng, was[i])
				}
			}
			m := rechecked(rng, n, served{func(i int) float64 { return was[i] }, noise},
				served{func(i int) float64 { return is[i] }, noise})
			m.Name = fmt.Sprint("m", k)
			calls += float64(m.Calls) / float64(models*times)
			list = append(list, m)
		}
		reports, err := Judge(list, &Report{Alpha: 0.05, Tolerance: 0.01, Seed: uint64(t)}, 0)
		if err != nil {
			return 0, 0, err
		}
		if Worst(reports) == Changed {
			alarms++
		}
	}
	return alarms, calls, nil
}

// The level holds whatever the noise, and the power is what testdata/power.csv says: -update draws 1,000 rechecks a row
// for it. By default a tenth of them is drawn, and a row may differ from the file by what chance explains, at 0.0005
// (Clopper and Pearson 1934).
func TestLevelAndPower(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates thousands of rechecks")
	}
	times := 100
	if *update {
		times = 1000
	}
	const file = "testdata/power.csv"
	old, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("change of the model,noise of the server,sample,models,changed %,low,high,calls\n")
	row := func(c change, noise float64, n, models int) {
		alarms, calls, err := simulate(c, noise, n, models, times)
		if err != nil {
			t.Fatal(err)
		}
		head := fmt.Sprintf("%s,%v,%d,%d,", c.name, noise, n, models)
		iv, err := infer.ClopperPearson(alarms, times, 0.95)
		wide, errWide := infer.ClopperPearson(alarms, times, 0.9995)
		if err := errors.Join(err, errWide); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&table, "%s%.1f,%.1f,%.1f,%.0f\n", head, 100*iv.Value, 100*iv.Low, 100*iv.High, calls)
		_, line, _ := strings.Cut(string(old), head)
		percent := 0.0
		if _, err := fmt.Sscanf(line, "%f", &percent); !*update && (err != nil || percent < 100*wide.Low ||
			percent > 100*wide.High) {
			t.Errorf("%s %d alarms in %d; the file says %v %% (%v)", head, alarms, times, percent, err)
		}
		// with a true level of 0.05, 69 alarms in 1,000 or more have probability 0.004, and 12 in 100 the same
		if c.name == "none" && (*update && alarms >= 69 || alarms >= 12 && !*update) {
			t.Errorf("%s %d alarms in %d: more than 5 %%", head, alarms, times)
		}
	}
	for _, c := range changes() {
		for _, noise := range noises {
			row(c, noise, 200, 1)
		}
		if c.name == "none" || c.name == "logits ± 0.1" {
			row(c, 0.05, 50, 1)
			row(c, 0.05, 200, 3)
			row(c, 1, 200, 3)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(table.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
