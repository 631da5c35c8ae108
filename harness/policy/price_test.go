package policy

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// priced adds integer costs to a drawn instance.
func priced(t *rapid.T) instance {
	in := drawInstance(t)
	in.Options.Objective, in.Records.MasterCost = Cost, nil
	for range in.Records.Beta {
		in.Records.MasterCost = append(in.Records.MasterCost, float64(rapid.IntRange(1, 5).Draw(t, "cost")))
	}
	return in
}

// At any price no combination of thresholds loses less, and the shadow prices of the whole frontier on both sides of
// the point hold the price between them.
func TestPricedIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := priced(t)
		single := rapid.Bool().Draw(t, "single")
		price := float64(rapid.IntRange(1, 40).Draw(t, "price")) / 4
		p, err := FitPriced(in.Records, in.Options, price, single)
		if err != nil {
			t.Fatal(err)
		}
		b := newBrute(in.Records, in.Options, single)
		unit := in.Records.Unit(Cost) // the product's costs are millionths of the largest
		loss := func(theta []float64) float64 {
			d, e := b.outcome(theta)
			return d*unit + price*e/b.scale
		}
		least := math.Inf(1)
		b.each(func(theta []float64) { least = min(least, loss(theta)) })
		if got := loss(p.Thresholds); got > least+1e-9 {
			t.Fatalf("%+v at %v: %v loses %v, the least is %v", in, price, p.Thresholds, got, least)
		}
		if p.FitError.Units <= p.Budget.Errors.Units != p.Feasible || p.Certificate.Method != Priced {
			t.Fatalf("%+v: %+v", in, p)
		}
		f, err := newFrontier(in.Records, in.Options, single)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Len() {
			at := f.Point(i)
			right := at.Price * unit
			switch {
			case at.Error.Units < p.FitError.Units && right < price-1e-9, at.Error == p.FitError && right > price+1e-9:
				t.Fatalf("%+v at %v: %d errors, where the frontier's price at %s is %v", in, price, p.FitError.Units,
					at.Error, right)
			}
		}
	})
}

// By hand: one student error at β = .2 and one at .6, the master always right for 4 a query. An error saved costs 4 at
// first (defer .2), then 8 (defer .4 for nothing, and .6).
func TestPricesByHand(t *testing.T) {
	r := Records{Beta: []float64{.2, .4, .6, .8}, Student: []float64{1, 0, 1, 0}, Master: make([]float64, 4),
		MasterCost: []float64{4, 4, 4, 4}}
	for _, tc := range []struct{ price, theta float64 }{{3.9, 0}, {4, .4}, {4.1, .4}, {7.9, .4}, {8.1, .8}, {1e9, .8}} {
		if p, err := FitPriced(r, Options{}, tc.price, true); err != nil || p.Thresholds[0] != tc.theta {
			t.Errorf("at %v: %v (%v), want %v", tc.price, p.Thresholds, err, tc.theta)
		}
	}
	for _, bad := range []float64{0, -1, math.Inf(1), math.NaN()} {
		if _, err := FitPriced(r, Options{}, bad, true); err == nil {
			t.Errorf("a price of %v is no error", bad)
		}
	}
}
