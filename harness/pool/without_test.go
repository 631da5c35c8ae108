package pool

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infnet/harness/policy/chain"
)

// What a pool loses without a model, against all policies of the others, at every price of a grid: at its own price the
// choices are the best there are, and at no other is the loss larger.
func TestWithoutIsTheBestOfTheOthers(t *testing.T) {
	rules := chain.EnsembleRules()
	rapid.Check(t, func(t *rapid.T) {
		r := drawn(t, 3)
		for m := range r {
			r[m].Cost[0] += float64(m+1) / 8 // no two models cost the same, and none is free
			r[m].Guess = nil
		}
		f, err := Search(r, Options{Chains: true, Ensembles: rules})
		if err != nil {
			t.Fatal(err)
		}
		var all []Candidate
		for _, p := range everyPolicy(r, rules) {
			played, err := p.Play(r)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, Candidate{p, played.Mean()})
		}
		best := func(price float64, without int) float64 {
			least := math.Inf(1)
			for _, c := range all {
				if !slices.Contains(c.Models, without) {
					least = min(least, c.total(price))
				}
			}
			return least
		}
		for m := range r {
			w, err := f.Without(r, m)
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(w.Left.Models, m) {
				t.Fatalf("without model %d: %+v", m, w.Left)
			}
			with, left := best(w.Price, None), best(w.Price, m)
			if math.Abs(w.With.total(w.Price)-with) > 1e-9*(1+with) || math.Abs(w.Left.total(w.Price)-left) > 1e-9*(1+left) {
				t.Fatalf("at the price %v %v and %v without model %d; of all policies %v and %v", w.Price,
					w.With.total(w.Price), w.Left.total(w.Price), m, with, left)
			}
			high := 0.0
			for k := 1; k < len(f.Envelope); k++ {
				high = max(high, Price(f.Envelope[k-1].Point, f.Envelope[k].Point))
			}
			for price := 0.0; price <= high; price += high/64 + 1e-9 {
				if loss := best(price, m) / best(price, None); loss > left/with+1e-9 {
					t.Fatalf("without model %d: %v is lost at the price %v, more than %v at %v", m, loss-1, price, left/with-1,
						w.Price)
				}
			}
		}
	})
}

// By hand: of ten queries the cheap model errs on five at a cost of 1, the dear one on none at a cost of 10. Without a
// confidence the two points are the envelope, an error's price between them (10 − 1)/.5 = 18. There the pool costs 10;
// without the cheap model too, so that most is lost of it where errors cost nothing: 10 in place of 1. Without the dear
// one most is lost above 18: at the price 20, where the cheap model's errors cost 10, the others
// cost 11 in place of 10.
func TestWithoutByHand(t *testing.T) {
	const n = 10
	column := func(v float64, wrong int) Model {
		m := Model{Error: make([]float64, n), Cost: slices.Repeat([]float64{v}, n)}
		for i := range wrong {
			m.Error[i] = 1
		}
		return m
	}
	rs := resampled(t, rand.New(rand.NewPCG(1, 2)), n, 200)
	for _, tt := range []struct {
		name string
		r    Records
		want []float64 // lost, by model
	}{
		{name: "never errs", r: Records{column(1, 5), column(10, 0)}, want: []float64{9, 0.1}},
		// the envelope ends at an error of .1 and a cost of 10: errors cost as much as answers at the price 100, where the
		// pool costs 20, and without the dear model 1 + 100·.5 = 51
		{name: "errs once", r: Records{column(1, 5), column(10, 1)}, want: []float64{9, 51./20 - 1}},
		{name: "one is of no use", r: Records{column(1, 5), column(10, 5)}, want: []float64{9, 0}},
		{name: "all is free", r: Records{column(0, 5), column(0, 0)}, want: []float64{0, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Search(tt.r, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var list []Without
			for m := range tt.r {
				w, err := f.Without(tt.r, m)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, w)
			}
			got, err := Losses(rs, tt.r, list)
			if err != nil {
				t.Fatal(err)
			}
			for m, want := range tt.want {
				if got[m] == nil || math.Abs(got[m].Value-want) > 1e-9 {
					t.Errorf("without model %d: %+v, want %v", m, got[m], want)
				}
			}
		})
	}
}
