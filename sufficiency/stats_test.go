package sufficiency

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func values(t *testing.T, s Set, name string) Covariate {
	t.Helper()
	for _, c := range s.Columns {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no column %q", name)
	return Covariate{}
}

func TestClassStats(t *testing.T) {
	// Record 0 by hand: p = ½, ¼, ¼. Record 1 is certain.
	s, err := ClassStats("output", [][]float64{{1, .5, .5}, {0, 0, 1}}, true)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]float64{
		"entropy":                   {1.5 * math.Ln2, 0},
		"normalised entropy":        {1.5 * math.Ln2 / math.Log(3), 0},
		"gini":                      {1 - 6./16, 0},
		"max":                       {.5, 1},
		"min":                       {.25, 0},
		"margin":                    {.25, 1},
		"distance from uniform":     {1. / 6, 2. / 3},
		"log-odds":                  {0, -math.Log(leastProbability)},
		"centred log-probability 0": {math.Ln2 * 2 / 3, math.Log(leastProbability) / 3},
		"argmax is 0":               {1, 0},
		"argmax is 2":               {0, 1},
	} {
		if diff := cmp.Diff(want, values(t, s, name).Values, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for name, want := range map[string]Source{"entropy": Free, "max": OfBeta, "log-odds": OfBeta, "argmax is 1": OfClass,
		"centred log-probability 1": Free} {
		if got := values(t, s, name).Of; got != want {
			t.Errorf("of three classes, %s is of %d; want %d", name, got, want)
		}
	}
	two, err := ClassStats("output", [][]float64{{.9, .1}}, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range two.Columns {
		if !c.Of.known(BetaAndClass) {
			t.Errorf("of two classes, %s is not known from β and class", c.Name)
		}
		if free := strings.HasPrefix(c.Name, "centred") || strings.HasPrefix(c.Name, "argmax"); c.Of.known(Beta) == free {
			t.Errorf("of two classes, %s is known from β: %v", c.Name, !free)
		}
	}
	for _, bad := range [][][]float64{nil, {{1}}, {{.5, .5}, {1}}, {{math.NaN(), 1}}, {{0, 0}}} {
		if _, err := ClassStats("output", bad, true); err == nil {
			t.Errorf("%v passes", bad)
		}
	}
}

// What is marked as known from β shows in the numbers too, where β is the
// maximum, and what is not does not.
func TestMarksAgreeWithTheNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range []int{2, 4} {
		probs := make([][]float64, 300)
		beta, class := make([]float64, len(probs)), make([]int, len(probs))
		for i := range probs {
			probs[i] = make([]float64, k)
			sum := 0.0
			for c := range probs[i] {
				probs[i][c] = r.ExpFloat64()
				sum += probs[i][c]
			}
			for c := range probs[i] {
				probs[i][c] /= sum
				if probs[i][c] > beta[i] {
					beta[i], class[i] = probs[i][c], c
				}
			}
		}
		s, err := ClassStats("output", probs, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range s.Columns {
			if got, want := determined(beta, nil, byBeta(beta, nil), c.Values), c.Of.known(Beta); got != want {
				t.Errorf("%d classes, %s: the numbers say %v, the mark %v", k, c.Name, got, want)
			}
			if got, want := determined(beta, class, byBeta(beta, class), c.Values), c.Of.known(BetaAndClass); got != want {
				t.Errorf("%d classes, %s, with the class: the numbers say %v, the mark %v", k, c.Name, got, want)
			}
		}
	}
}

func TestAnswerStats(t *testing.T) {
	// By hand: log ½ and log ⅛ have mean log ¼.
	s, err := AnswerStats("output", [][]float64{{math.Log(.5), math.Log(.125)}, {}, {math.Inf(-1)}}, true)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]float64{
		"max":                      {.75, 1, 1},
		"mean log-probability":     {math.Log(.25), -100, -100},
		"sum of log-probabilities": {math.Log(1. / 16), 0, -100},
		"tokens":                   {2, 0, 1},
		"quantile 0":               {math.Log(.125), -100, -100},
		"quantile 0.1":             {math.Log(.125) + .1*math.Log(4), -100, -100},
		"quantile 1":               {math.Log(.5), -100, -100},
	} {
		if diff := cmp.Diff(want, values(t, s, name).Values, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if !values(t, s, "gini").Of.known(Beta) || values(t, s, "tokens").Of.known(Beta) {
		t.Error("the sequence confidence is β, the number of tokens is not")
	}
	if _, err := AnswerStats("output", [][]float64{{.5}}, true); err == nil {
		t.Error("a log-probability above 0 passes")
	}
}

func TestEmbeddingsAsTheyAre(t *testing.T) {
	vectors := [][]float32{{1, 2}, {3, 4}, {5, 6}}
	if whole, err := Embeddings("text", vectors, 2); err != nil || len(whole.Columns) != 2 ||
		whole.Columns[1].Values[2] != 6 || whole.Truncated != nil {
		t.Errorf("as many dimensions as there are: %+v, %v", whole, err)
	}
	vectors[1][1] = float32(math.NaN())
	if _, err := Embeddings("text", vectors, 1); err == nil || !strings.Contains(err.Error(), "record 1") {
		t.Errorf("a NaN: %v", err)
	}
}

// Large enough for the matrix products to be divided among threads.
func TestEmbeddingsAreTheSameOnAnyThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	vectors := make([][]float32, 700)
	for i := range vectors {
		vectors[i] = make([]float32, 150)
		for j := range vectors[i] {
			vectors[i][j] = float32(r.NormFloat64())
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want []Covariate
	for _, threads := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(threads)
		s, err := Embeddings("text", vectors, 90)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = s.Columns
		}
		if diff := cmp.Diff(want, s.Columns); diff != "" {
			t.Fatalf("%d threads: %s", threads, diff[:min(len(diff), 400)])
		}
	}
}

func TestDetermined(t *testing.T) {
	n := 100
	beta, class := make([]float64, n), make([]int, n)
	r := rand.New(rand.NewPCG(5, 5))
	for i := range beta {
		beta[i], class[i] = math.Round(60*r.Float64())/60, i%2
	}
	noise := make([]float64, n)
	for i := range noise {
		noise[i] = r.NormFloat64()
	}
	for _, tt := range []struct {
		name      string
		f         func(i int) float64
		byBeta    bool
		withClass bool
	}{
		{"constant", func(int) float64 { return 2 }, true, true},
		{"increasing", func(i int) float64 { return math.Exp(beta[i]) }, true, true},
		{"decreasing", func(i int) float64 { return -beta[i] }, true, true},
		{"with rounding", func(i int) float64 { return beta[i] + 1e-13*noise[i] }, true, true},
		{"of the class", func(i int) float64 { return float64(class[i]) }, false, true},
		{"up in one class, down in the other", func(i int) float64 { return beta[i] * float64(2*class[i]-1) }, false, true},
		{"noise", func(i int) float64 { return noise[i] }, false, false},
		{"β and a little noise", func(i int) float64 { return beta[i] + 1e-3*noise[i] }, false, false},
	} {
		x := make([]float64, n)
		for i := range x {
			x[i] = tt.f(i)
		}
		if got := determined(beta, nil, byBeta(beta, nil), x); got != tt.byBeta {
			t.Errorf("%s: by β %v", tt.name, got)
		}
		if got := determined(beta, class, byBeta(beta, class), x); got != tt.withClass {
			t.Errorf("%s: by β and class %v", tt.name, got)
		}
	}
}
