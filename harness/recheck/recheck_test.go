package recheck

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"infnet/backends"
)

// answered makes an item whose answers are these, the stored one first, each with the same confidence.
func answered(answers ...string) Item {
	it := Item{ID: "r", Dataset: "d"}
	for i, a := range answers {
		r := Reading{Answer: a, Given: backends.Answer{Text: a}}
		if i == 0 {
			it.Stored = r
		} else {
			it.Fresh = append(it.Fresh, r)
		}
	}
	if len(answers) == 1 {
		it.Cause = "timeout"
	}
	return it
}

func times(n int, it Item) []Item { return slices.Repeat([]Item{it}, n) }

// The test of answers by hand: k third answers on the new side and none on the old have p = 2^−k; 7 to 1 have
// (8 + 1)/2^8; third answers on no side, and records without one, say nothing.
func TestCoin(t *testing.T) {
	for _, tt := range []struct {
		name  string
		items []Item
		p     float64
	}{
		{name: "nothing differs", items: times(9, answered("a", "a", "a")), p: 1},
		{name: "five new", items: times(5, answered("a", "b", "b")), p: 1. / 32},
		{name: "five old", items: times(5, answered("a", "b", "a")), p: 1},
		{name: "seven to one", items: append(times(7, answered("a", "b", "b")), answered("a", "b", "a")), p: 9. / 256},
		{name: "on no side", items: append(times(9, answered("a", "b", "c")), answered("a", "b", "b")), p: 1. / 2},
		{name: "not asked twice", items: times(9, answered("a", "b")), p: 1},
		{name: "fifty new", items: times(50, answered("a", "b", "b")), p: math.Exp2(-50)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reports, err := Judge([]Model{{ModelReport: ModelReport{Name: "m"}, Items: tt.items}}, &Report{Alpha: 0.05}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := reports[0].Flips.Coin.P; math.Abs(got/tt.p-1) > 1e-9 {
				t.Errorf("p = %v, want %v", got, tt.p)
			}
		})
	}
}

func TestVerdict(t *testing.T) {
	changed, same := times(10, answered("a", "b", "b")), times(90, answered("a", "a"))
	exact := ModelReport{Exact: true}
	for _, tt := range []struct {
		name    string
		model   Model
		lacking float64
		want    Verdict
	}{
		{name: "same", model: Model{Items: same}, want: Same},
		{name: "changed", model: Model{Items: slices.Concat(changed, same)}, want: Changed},
		{name: "four new of four", model: Model{Items: slices.Concat(changed[:4], same)}, want: Same}, // 1/16 > 0.05
		{name: "one of an exact model", model: Model{ModelReport: exact, Items: slices.Concat(changed[:1], same)},
			want: Changed},
		{name: "an exact model", model: Model{ModelReport: exact, Items: same}, want: Same},
		{name: "one lacks", model: Model{Items: slices.Concat(same, times(1, answered("a")))}, want: Incomplete},
		{name: "one lacks, which is allowed", model: Model{Items: slices.Concat(same, times(1, answered("a")))},
			lacking: 0.02, want: Same},
		{name: "nobody answers", model: Model{Items: times(9, answered("a")), Trouble: "connection"}, lacking: 1,
			want: Incomplete},
		{name: "changed as far as it answered", model: Model{Items: slices.Concat(changed, times(90, answered("a"))),
			Trouble: "connection"}, want: Changed},
		{name: "another model", model: Model{Items: times(9, answered("a")), Other: "it serves b"}, want: Changed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reports, err := Judge([]Model{tt.model}, &Report{Alpha: 0.05}, tt.lacking)
			if err != nil {
				t.Fatal(err)
			}
			if got := reports[0]; got.Verdict != tt.want || got.Why == "" {
				t.Errorf("%s (%s), want %s", got.Verdict, got.Why, tt.want)
			}
		})
	}
}

// Holm goes over all tests of all models: five new answers have 1/32, which is enough for one model and not for two.
func TestModelsAreCorrectedTogether(t *testing.T) {
	five := Model{ModelReport: ModelReport{Name: "a"}, Items: times(5, answered("a", "b", "b"))}
	other := Model{ModelReport: ModelReport{Name: "b"}, Items: times(5, answered("a", "a"))}
	one, err := Judge([]Model{five}, &Report{Alpha: 0.05}, 0)
	if err != nil || one[0].Verdict != Changed || math.Abs(one[0].P-1./32) > 1e-12 {
		t.Errorf("alone: %+v, %v", one, err)
	}
	two, err := Judge([]Model{five, other}, &Report{Alpha: 0.05}, 0)
	if err != nil || two[0].Verdict != Same || math.Abs(two[0].P-2./32) > 1e-12 {
		t.Errorf("with another: %+v, %v", two, err)
	}
}

// A draw is a permutation of the keys by the round, smaller samples are in larger ones, and equal requests count once.
func TestDraw(t *testing.T) {
	var keys []string
	for i := range 100 {
		keys = append(keys, fmt.Sprint("k", i%80)) // 20 of them twice
	}
	draw := func(round string, n int) []string {
		return Draw(7, round, "m", keys, func(s string) string { return s }, n)
	}
	if all := draw("a", 1000); len(all) != 80 {
		t.Errorf("%d of 80 different keys", len(all))
	}
	small, large, next := draw("a", 10), draw("a", 30), draw("b", 30)
	if !slices.Equal(small, large[:10]) {
		t.Error("a smaller sample is no part of a larger one")
	}
	if slices.Equal(large, next) {
		t.Error("another round draws the same")
	}
	// Uniform: over 2,000 rounds each key is drawn 10/80 of the time, 250 ± 14.8; five standard deviations are 74.
	count := map[string]int{}
	for r := range 2000 {
		for _, k := range draw(fmt.Sprint(r), 10) {
			count[k]++
		}
	}
	for k, n := range count {
		if n < 250-74 || n > 250+74 {
			t.Errorf("%s was drawn %d times in 2,000 rounds, want about 250", k, n)
		}
	}
}

// What is asked again: a tenth, what flipped, what moved; of either kind 50 at most, and nothing that was not answered.
func TestAgain(t *testing.T) {
	moved := Item{Stored: Reading{Answer: "a", Scored: true, Beta: 0.5},
		Fresh: []Reading{{Answer: "a", Scored: true, Beta: 0.52}}}
	within := moved
	within.Fresh = []Reading{{Answer: "a", Scored: true, Beta: 0.51}}
	items := slices.Concat(times(10, within), times(60, answered("a", "b")), times(60, moved), times(5, answered("a")))
	items[3].Random = true
	got := Again(items, 0.0101)
	if len(got) != 1+50+50 || got[0] != 3 || got[1] != 10 || got[50] != 59 || got[51] != 70 || got[100] != 119 {
		t.Errorf("%d items: %v", len(got), got)
	}
}
