package pool

import (
	"slices"
	"testing"
)

// By hand, at a price of 10 for an error: record 0 costs 1 + 10·½ = 6 or 5 + 10·0.2 = 7; record 1 costs 1 + 10·½ = 6 or
// 2 + 10·0.2 = 4, since this router estimates a cost of its own for it. A router without costs has the mean, 5.
func TestRoutersByName(t *testing.T) {
	r := Records{
		{Error: []float64{1, 1}, Cost: []float64{1, 1}, Guess: []float64{0.9, 0.9},
			By: map[string]Guess{"carrot": {[]float64{0.5, 0.5}, []float64{1, 1}}, "knn": {Right: []float64{0.5, 0.5}}}},
		{Error: []float64{0, 0}, Cost: []float64{8, 2}, Guess: []float64{0.1, 0.1},
			By: map[string]Guess{"carrot": {[]float64{0.8, 0.8}, []float64{5, 2}}, "knn": {Right: []float64{0.8, 0.95}}}},
	}
	for by, want := range map[string][]float64{"": {1, 1}, "carrot": {1, 2}, "knn": {1, 2}} { // knn: 6 or 5.5 of record 1
		got, err := Policy{Kind: Router, Models: []int{0, 1}, Price: 10, Costs: []float64{1, 5}, By: by}.Play(r)
		if err != nil || !slices.Equal(got.Cost, want) {
			t.Errorf("by %q: costs %v, want %v, %v", by, got.Cost, want, err)
		}
	}
	f, err := Search(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range f.Families {
		if x.Kind == Router {
			names = append(names, x.By)
		}
	}
	if !slices.Equal(names, []string{"", "carrot", "knn"}) {
		t.Errorf("routers %q", names)
	}
	for _, c := range f.Envelope { // the cheapest way to be always right is the second model alone
		if c.Error == 0 && c.Cost != 5 {
			t.Errorf("%+v", c)
		}
	}
}
