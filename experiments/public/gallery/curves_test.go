package gallery

import (
	"math"
	"math/rand/v2"
	"testing"
)

// random answers of two models of which the first knows something of itself.
func answers(n int) (*Set, [2][]int) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := &Set{Name: "random"}
	for m := range 3 {
		a := Model{Name: Chains[0].Models[m]}
		for range n {
			beta := float64(rng.IntN(8)) / 8
			a.Beta = append(a.Beta, beta)
			a.Correct = append(a.Correct, rng.Float64() < (beta+float64(m))/3)
			a.Cost = append(a.Cost, float64(1+3*m))
		}
		s.Models = append(s.Models, a)
	}
	var parts [2][]int
	for i := range n {
		parts[i%2] = append(parts[i%2], i)
	}
	return s, parts
}

// No threshold does better on the fit part than a place of the pair's curve, and
// every place is that of a threshold.
func TestPairAgainstEveryThreshold(t *testing.T) {
	s, parts := answers(60)
	models := []*Model{&s.Models[0], &s.Models[1]}
	c, err := pair(models, parts)
	if err != nil {
		t.Fatal(err)
	}
	all := map[[2]int]bool{}
	deferrals := func(theta float64) (wrong, deferred int) {
		for _, i := range parts[0] {
			m := models[0]
			if m.Beta[i] < theta {
				m = models[1]
				deferred++
			}
			if !m.Correct[i] {
				wrong++
			}
		}
		return wrong, deferred
	}
	for k := range 10 { // confidences are eighths
		w, d := deferrals(float64(k) / 8)
		all[[2]int{w, d}] = true
	}
	n := float64(len(parts[0]))
	kept := map[int]bool{}
	for _, p := range c.Places {
		kept[int(p.FitError*n+0.5)] = true
	}
	for a := range all {
		dominated := false
		for b := range all {
			if b != a && b[0] <= a[0] && b[1] <= a[1] {
				dominated = true
			}
		}
		if !dominated && !kept[a[0]] {
			t.Errorf("the curve lacks %d errors with %d deferrals", a[0], a[1])
		}
	}
	if len(c.Places) == 0 || len(c.Places) > len(all) {
		t.Errorf("%d places from %d thresholds", len(c.Places), len(all))
	}
}

// By hand: of two questions the first is answered by the first model alone, the
// second by both.
func TestPlace(t *testing.T) {
	models := []*Model{
		{Beta: []float64{0.9, 0.1}, Correct: []bool{true, false}, Cost: []float64{1, 2}},
		{Correct: []bool{false, true}, Cost: []float64{10, 20}},
	}
	p := place("", models, []float64{0.5}, [2][]int{{0, 1}, {1}})
	if p.FitCost != (1+2+20)/2. || p.FitError != 0 || p.TestCost != 22 || p.TestError != 0 {
		t.Errorf("%+v", p)
	}
	alone := place("", models[:1], nil, [2][]int{{0, 1}, {0}})
	if alone.FitCost != 1.5 || alone.FitError != 0.5 || alone.TestError != 0 {
		t.Errorf("alone %+v", alone)
	}
}

// A chain's places are within the errors that it was fitted to, down to the
// fewest, and begin with the first model alone.
func TestSeries(t *testing.T) {
	s, parts := answers(80)
	models := []*Model{&s.Models[0], &s.Models[1], &s.Models[2]}
	c, err := series(models, parts)
	if err != nil {
		t.Fatal(err)
	}
	first := place("", models[:1], nil, parts)
	if c.Places[0].FitError > first.FitError+1e-12 {
		t.Errorf("the cheapest errs on %v, its first model alone on %v", c.Places[0].FitError, first.FitError)
	}
	for i := 1; i < len(c.Places); i++ {
		if a, b := c.Places[i-1], c.Places[i]; b.FitError >= a.FitError && b.FitCost > a.FitCost {
			t.Errorf("place %d costs %v and errs on %v, the one before %v and %v", i, b.FitCost, b.FitError, a.FitCost,
				a.FitError)
		}
	}
}

func TestBest(t *testing.T) {
	places := []Place{{FitCost: 1, FitError: 0.5}, {FitCost: 2, FitError: 0.3}, {FitCost: 3, FitError: 0.3},
		{FitCost: 4, FitError: 0.1}}
	for _, tt := range []struct{ cost, want float64 }{{1, 1}, {2.5, 2}, {3.5, 2}, {4, 4}, {9, 4}} {
		if p, ok := best(places, tt.cost); !ok || p.FitCost != tt.want {
			t.Errorf("for %v: %v, want the place that costs %v", tt.cost, p.FitCost, tt.want)
		}
	}
	if _, ok := best(places, 0.5); ok {
		t.Error("there is a place for less than the cheapest costs")
	}
}

// Errors on the test part of the threshold that makes so many errors on the fit
// part: a brute-force search over all thresholds in Python, which reads the files
// by itself, found them at the budget of the better model's errors.
func TestPairsOfTheRecords(t *testing.T) {
	for _, tt := range []struct {
		set, student, master string
		fit, test            int
	}{
		{"mmlu", "llama3.1-8b", "gpt-4o", 60, 251},
		{"mmlu", "llama3.1-70b", "llama3.1-405b", 53, 242},
		{"mmlu", "llama3.2-1b", "llama3.2-3b", 120, 657},
		{"triviaqa", "llama3.1-8b", "gpt-4o", 14, 39},
		{"triviaqa", "llama3.1-70b", "llama3.1-405b", 9, 50},
		{"triviaqa", "gpt-4o-mini", "gpt-4o", 14, 77},
		{"triviaqa", "qwen2.5-32b-coder-instruct", "qwen2.5-72b-instruct", 38, 126},
	} {
		t.Run(tt.set+" "+tt.student+" "+tt.master, func(t *testing.T) {
			s, err := ReadSet(t.Context(), recordsFolder(t), tt.set)
			if err != nil {
				t.Fatal(err)
			}
			c, err := pair([]*Model{s.model(tt.student), s.model(tt.master)}, [2][]int{s.Fit, s.Test})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range c.Places {
				if int(math.Round(p.FitError*float64(len(s.Fit)))) == tt.fit {
					if got := int(math.Round(p.TestError * float64(len(s.Test)))); got != tt.test {
						t.Errorf("%d errors on the test part, want %d", got, tt.test)
					}
					return
				}
			}
			t.Errorf("no place of the curve makes %d errors on the fit part", tt.fit)
		})
	}
}
