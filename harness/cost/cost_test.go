package cost_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/cost"
)

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestPerAnswer(t *testing.T) {
	recorded := 0.25
	all := cost.Basis{Shape: gemma1B, Prices: cost.Prices{Input: 0.15, Output: 0.6}, Fixed: 2.5, Recorded: &recorded}
	usage := cost.Counts{Prompt: 100, Completion: 1}
	for _, c := range []struct {
		name  string
		model cost.Model
		usage cost.Counts
		want  float64 // by hand
	}{
		{name: "tflops", model: cost.TFLOPs, usage: usage, want: 0.140694142976},
		{name: "price", model: cost.Price, usage: usage, want: (100*0.15 + 0.6) / 1e6},
		{name: "latency", model: cost.Latency, usage: usage, want: 1.5},
		{name: "latency needs no counts", model: cost.Latency, want: 1.5},
		{name: "tokens", model: cost.Tokens, usage: usage, want: 101},
		{name: "fixed", model: cost.Fixed, want: 2.5},
		{name: "recorded", model: cost.Recorded, want: 0.25},
	} {
		got, err := cost.PerAnswer(c.model, all, c.usage, 1500*time.Millisecond)
		if err != nil || !near(got, c.want, 1e-15) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
}

func TestPerAnswerRefusesWhatItCannotKnow(t *testing.T) {
	usage := cost.Counts{Prompt: 100, Completion: 1}
	priced := cost.Basis{Prices: cost.Prices{Input: 1}}
	for _, c := range []struct {
		name    string
		model   cost.Model
		basis   cost.Basis
		usage   cost.Counts
		latency time.Duration
		says    string
	}{
		{name: "no shape", model: cost.TFLOPs, usage: usage, says: "shape"},
		{name: "negative price", model: cost.Price, basis: cost.Basis{Prices: cost.Prices{Input: -1, Output: 2}},
			usage: usage, says: "non-negative"},
		{name: "no counts", model: cost.Price, basis: priced, says: "token counts"},
		{name: "no counts of tokens", model: cost.Tokens, says: "token counts"},
		{name: "no time", model: cost.Latency, usage: usage, says: "measured time"},
		{name: "no constant", model: cost.Fixed, usage: usage, says: "positive"},
		{name: "infinite constant", model: cost.Fixed, basis: cost.Basis{Fixed: math.Inf(1)}, says: "positive"},
		{name: "nothing recorded", model: cost.Recorded, says: "it has none"},
		{name: "no such model", model: "joules", usage: usage, says: "joules"},
	} {
		if _, err := cost.PerAnswer(c.model, c.basis, c.usage, c.latency); err == nil ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", c.name, err, c.says)
		}
	}
}

func TestSummaries(t *testing.T) {
	x := []float64{2, 7.5, 1, 3, 0.25, 2}
	before := slices.Clone(x)
	for _, c := range []struct {
		name    string
		summary cost.Summary
		costs   []float64
		params  float64
		want    float64
	}{
		{name: "mean", summary: cost.Mean, costs: x, want: 2.625},                   // by hand
		{name: "median of an even number", summary: cost.Median, costs: x, want: 2}, // by hand
		{name: "median of two", summary: cost.Median, costs: []float64{1, 4}, want: 2.5},
		{name: "median of one", summary: cost.Median, costs: []float64{4}, want: 4},
		// NumPy 2.4.6 and SciPy 1.17.1 (skew and kurtosis as they come).
		{name: "signature at 1B", summary: cost.Signature, costs: x, params: 1, want: 21.192101602745478},
		{name: "signature at 4B", summary: cost.Signature, costs: x, params: 4, want: 659.1379269612574},
		{name: "signature at 27B", summary: cost.Signature, costs: x, params: 27, want: 1537.872417630019},
		// By hand: 2.0·3 + 1.2·3 + 1.3·3, every spread 0.
		{name: "signature of equal costs", summary: cost.Signature, costs: []float64{3, 3, 3}, params: 1, want: 13.5},
		{name: "signature of free answers", summary: cost.Signature, costs: []float64{0, 0}, params: 1, want: 0},
	} {
		got, err := cost.Summarise(c.summary, c.costs, c.params)
		if err != nil || !near(got, c.want, 1e-11*math.Max(1, c.want)) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	if !slices.Equal(x, before) {
		t.Error("the costs were reordered")
	}
	for _, c := range []struct {
		name    string
		summary cost.Summary
		costs   []float64
		params  float64
		says    string
	}{
		{name: "nothing", summary: cost.Mean, says: "no costs"},
		{name: "NaN", summary: cost.Median, costs: []float64{1, math.NaN()}, says: "answer 2"},
		{name: "negative", summary: cost.Mean, costs: []float64{-1}, says: "answer 1"},
		{name: "a small model's signature", summary: cost.Signature, costs: x, params: 0.27, says: "0.27 billion"},
		{name: "an unknown size", summary: cost.Signature, costs: x, says: "P ≥ 1"},
		{name: "no such summary", summary: "mode", costs: x, says: "mode"},
	} {
		if _, err := cost.Summarise(c.summary, c.costs, c.params); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", c.name, err, c.says)
		}
	}
}

func TestCharging(t *testing.T) {
	for _, c := range []struct {
		name        string
		charge      cost.Charge
		def         float64
		want, saved float64 // by hand, with c_s = 1 and c_m = 4
	}{
		{name: "cascade, none deferred", charge: cost.Cascade, def: 0, want: 1, saved: 75},
		{name: "cascade, half", charge: cost.Cascade, def: 0.5, want: 3, saved: 25},
		{name: "cascade, all", charge: cost.Cascade, def: 1, want: 5, saved: -25},
		{name: "router, none", charge: cost.Router, def: 0, want: 1, saved: 75},
		{name: "router, half", charge: cost.Router, def: 0.5, want: 2.5, saved: 37.5},
		{name: "all deferred, straight to the master", charge: cost.Router, def: 1, want: 4, saved: 0},
	} {
		got := c.charge.Expected(1, 4, c.def)
		saved, err := cost.Saved(got, 4)
		if err != nil || got != c.want || saved != c.saved {
			t.Errorf("%s: cost %v, saved %v, %v; want %v and %v", c.name, got, saved, err, c.want, c.saved)
		}
	}
	// The published tables: deferring 813 of 1,600 at random costs 813/1600
	// of the saving, 50.8125 points, in every row, whatever the models cost.
	none, _ := cost.Saved(cost.Cascade.Expected(0.3, 7, 0), 7)
	random, _ := cost.Saved(cost.Cascade.Expected(0.3, 7, 813.0/1600), 7)
	if !near(none-random, 50.8125, 1e-12) {
		t.Errorf("a random policy loses %v points, want 50.8125", none-random)
	}
	for _, master := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := cost.Saved(1, master); err == nil {
			t.Errorf("saved against a master's cost of %v: no error", master)
		}
	}
}

func TestPerQueryCostsAddUpToTheExpectation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(t, "n")
		deferred := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "deferred")
		cs, cm := rapid.Float64Range(0, 5).Draw(t, "cs"), rapid.Float64Range(0, 50).Draw(t, "cm")
		def := 0.0
		for _, d := range deferred {
			if d {
				def++
			}
		}
		for _, charge := range []cost.Charge{cost.Cascade, cost.Router} {
			total := 0.0
			for _, d := range deferred {
				stop := 0
				if d {
					stop = 1
				}
				total += charge.Stop([]float64{cs, cm}, stop)
			}
			if want := charge.Expected(cs, cm, def/float64(n)); !near(total/float64(n), want, 1e-9) {
				t.Fatalf("%s: mean %v, want %v", charge, total/float64(n), want)
			}
		}
	})
}

func TestNamesAndUnits(t *testing.T) {
	for _, m := range cost.Models() {
		var got cost.Model
		if err := got.UnmarshalText([]byte(m)); err != nil || got != m {
			t.Errorf("%s does not decode: %v", m, err)
		}
		if u := m.Unit("EUR"); (u == "") != (m == cost.Fixed) || (u == "EUR") != (m == cost.Price || m == cost.Recorded) {
			t.Errorf("%s: unit %q", m, u)
		}
	}
	if u := cost.Price.Unit(""); u != "USD" {
		t.Errorf("prices without a currency are in %q, want USD", u)
	}
	var m cost.Model
	if err := m.UnmarshalText([]byte("flops")); err == nil || !strings.Contains(err.Error(), "tflops") {
		t.Errorf("an unknown cost model must list the valid ones: %v", err)
	}
	var s cost.Summary
	if err := s.UnmarshalText([]byte("avg")); err == nil || !strings.Contains(err.Error(), "median") {
		t.Errorf("an unknown summary must list the valid ones: %v", err)
	}
}
