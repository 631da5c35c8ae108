package confidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"infnet/backends"
)

// An answer of 101 tokens with log-probabilities 0, −1 … −100 has its quantiles
// at the places themselves: q at −100 + 100·at; sum −5050, mean −50. By hand.
func TestQuantileFeatures(t *testing.T) {
	var logs []float64
	for i := range 101 {
		logs = append(logs, -float64(i))
	}
	r, err := (Scale{Score: Quantiles}).Read(answer(logs...))
	if err != nil || r.Feature == nil {
		t.Fatal(err)
	}
	for k, at := range quantilesAt {
		if want := -100 + 100*at; math.Abs(r.Feature[k]-want) > 1e-9 {
			t.Errorf("quantile at %v = %v, want %v", at, r.Feature[k], want)
		}
	}
	if r.Feature[20] != -5050 || r.Feature[21] != -50 {
		t.Errorf("sum %v, mean %v, want −5050 and −50", r.Feature[20], r.Feature[21])
	}
	for _, tt := range []struct {
		name  string
		a     backends.Answer
		empty bool
	}{
		{name: "no token", a: answer(), empty: true},
		{name: "a token of probability 0", a: answer(-1, math.Inf(-1))},
	} {
		r, err := (Scale{Score: Quantiles}).Read(tt.a)
		if err != nil || r.Feature != nil || r.Beta != 0 || r.Empty != tt.empty {
			t.Errorf("%s: %+v, %v; want β = 0 without features", tt.name, r, err)
		}
	}
}

// drawnReadings are answers whose chance to be right is the logistic function
// of 4 + 2·mean log-probability.
func drawnReadings(t *testing.T, n int,
	seed uint64) (answers []backends.Answer, readings []*Reading, right []bool, chance []float64, fold []int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		level, mean := 4*rng.Float64(), 0.0
		var logs []float64
		for range 10 {
			logs = append(logs, -level*rng.Float64()*2)
			mean += logs[len(logs)-1] / 10
		}
		p := 1 / (1 + math.Exp(-(4 + 2*mean)))
		a := answer(logs...)
		r, err := (Scale{Score: Quantiles}).Read(a)
		if err != nil {
			t.Fatal(err)
		}
		answers, readings, right = append(answers, a), append(readings, &r), append(right, rng.Float64() < p)
		chance, fold = append(chance, p), append(fold, i%5)
	}
	return
}

// The regression finds the chance of being right, on answers it has not seen.
func TestQuantilesLearnTheChance(t *testing.T) {
	_, readings, right, chance, fold := drawnReadings(t, 3000, 1)
	s := Scale{Score: Quantiles}
	if err := s.Learn(readings, right, fold); err != nil {
		t.Fatal(err)
	}
	far := func(beta func(i int) float64, chance []float64) float64 {
		sum := 0.0
		for i, p := range chance {
			sum += math.Abs(beta(i)-p) / float64(len(chance))
		}
		return sum
	}
	if len(s.Parameters()) != 67 { // 1 + 3·22
		t.Errorf("%d parameters, want 67", len(s.Parameters()))
	}
	// A coin of chance ½ is .37 off on average; 23 numbers from 3,000 records
	// about √(23/3000)/3 = .03.
	if d := far(func(i int) float64 { return readings[i].Beta }, chance); d > 0.06 {
		t.Errorf("out of fold β is %.3f off the chance of being right on average", d)
	}
	again, _, _, fresh, _ := drawnReadings(t, 1000, 2)
	if d := far(func(i int) float64 {
		r, err := s.Read(again[i])
		if err != nil {
			t.Fatal(err)
		}
		return r.Beta
	}, fresh); d > 0.06 {
		t.Errorf("β of new answers is %.3f off the chance of being right on average", d)
	}
}

func TestQuantilesEdges(t *testing.T) {
	for _, tt := range []struct {
		name  string
		right func(i int) bool
		low   bool // β below ½
	}{
		{name: "all right", right: func(int) bool { return true }},
		{name: "all wrong", right: func(int) bool { return false }, low: true},
	} {
		_, readings, right, _, fold := drawnReadings(t, 40, 4)
		for i := range right {
			right[i] = tt.right(i)
		}
		s := Scale{Score: Quantiles}
		if err := s.Learn(readings, right, fold); err != nil {
			t.Fatal(err)
		}
		for _, r := range readings {
			if !(r.Beta > 0 && r.Beta < 1) || (r.Beta < 0.5) != tt.low {
				t.Errorf("%s: β = %v", tt.name, r.Beta)
			}
		}
	}
	_, readings, right, _, fold := drawnReadings(t, 40, 4)
	s := Scale{Score: Quantiles}
	if err := s.Learn(readings, right, make([]int, len(fold))); err == nil {
		t.Error("one fold is no cross-fitting, and was taken")
	}
	for _, r := range readings {
		r.Feature = nil
	}
	if err := s.Learn(readings, right, fold); err == nil {
		t.Error("no answer has a log-probability, and something was learned")
	}
}
