package gbdt

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

// sample draws n records of d columns, some with few values, and a target that
// depends on two of them.
func sample(n, d int, s uint64) (columns [][]float64, y []float64) {
	r := rand.New(rand.NewPCG(s, 5))
	columns, y = make([][]float64, d), make([]float64, n)
	for c := range columns {
		columns[c] = make([]float64, n)
		for i := range n {
			columns[c][i] = r.NormFloat64()
			if c%3 == 2 {
				columns[c][i] = math.Round(2 * columns[c][i])
			}
		}
	}
	for i := range n {
		y[i] = columns[0][i] + math.Abs(columns[d-1][i]) + 0.3*r.NormFloat64()
	}
	return columns, y
}

func fit(t testing.TB, v View, y []float64, rows []int32, o Options) *Model {
	t.Helper()
	m, err := Fit(v, y, rows, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A view in another order is what a table in that order is.
func TestReorderedViews(t *testing.T) {
	columns, y := sample(300, 4, 2)
	r := rand.New(rand.NewPCG(1, 1))
	order := make([]uint32, 300)
	for i, j := range r.Perm(300) {
		order[i] = uint32(j)
	}
	copied := slices.Clone(columns)
	for c := 1; c < 4; c++ {
		copied[c] = make([]float64, 300)
		for i, j := range order {
			copied[c][i] = columns[c][j]
		}
	}
	first, err := NewFeatures(300, columns[:1])
	if err != nil {
		t.Fatal(err)
	}
	rest, err := NewFeatures(300, columns[1:])
	if err != nil {
		t.Fatal(err)
	}
	seen := Join(first.View(), rest.Reordered(order))
	rows := upTo(200)
	want, got := fit(t, view(t, copied...), y, rows, Options{Trees: 15}), fit(t, seen, y, rows, Options{Trees: 15})
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Model{})); diff != "" {
		t.Error(diff)
	}
	a, b := make([]float64, 300), make([]float64, 300)
	want.Predict(a, view(t, copied...), nil)
	got.Predict(b, seen, nil)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("predictions: %s", diff)
	}
}

// naive is the best split by looking at every one in exact arithmetic on whole
// targets: the largest (n·S_l − n_l·S)²/(n_l·n_r) as a fraction, the lowest
// column and threshold of equals.
func naive(columns [][]float64, y []int, minLeaf int) (column int, threshold float64) {
	n := len(y)
	column = -1
	bestNum, bestDen := 0, 1
	for c, x := range columns {
		values := slices.Clone(x)
		slices.Sort(values)
		values = slices.Compact(values)
		for k := 1; k < len(values); k++ {
			nl, sl, s := 0, 0, 0
			for i, v := range x {
				s += y[i]
				if v < values[k] {
					nl++
					sl += y[i]
				}
			}
			if nl < minLeaf || n-nl < minLeaf {
				continue
			}
			d := n*sl - nl*s
			num, den := d*d, nl*(n-nl)
			if column < 0 || num*bestDen > bestNum*den {
				column, threshold, bestNum, bestDen = c, (values[k-1]+values[k])/2, num, den
			}
		}
	}
	return column, threshold
}

func TestSplitsAgainstBruteForce(t *testing.T) {
	var f Fitter
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		d := rapid.IntRange(1, 10).Draw(t, "d")
		columns := make([][]float64, d)
		for c := range columns {
			for range n {
				columns[c] = append(columns[c], float64(rapid.IntRange(0, 6).Draw(t, "x")))
			}
		}
		whole, y := make([]int, n), make([]float64, n)
		for i := range y { // whole residuals: the mean is 0
			if i+1 < n || n%2 == 0 {
				whole[i] = rapid.IntRange(-3, 3).Draw(t, "y")
			}
			if i%2 == 1 {
				whole[i] = -whole[i-1]
			}
			y[i] = float64(whole[i])
		}
		minLeaf := rapid.IntRange(1, 4).Draw(t, "leaf")
		table, err := NewFeatures(n, columns)
		if err != nil {
			t.Fatal(err)
		}
		column, threshold := naive(columns, whole, minLeaf)
		if !slices.ContainsFunc(whole, func(v int) bool { return v != 0 }) {
			column = -1 // nothing to split for
		}
		var m Model
		if err := f.Fit(&m, table.View(), y, nil, Options{Trees: 1, Depth: 1, MinLeaf: minLeaf}); err != nil {
			t.Fatal(err)
		}
		if root := m.Tree(0)[0]; int(root.Feature) != column || column >= 0 && root.Threshold != threshold {
			t.Fatalf("splits %d at %g; want %d at %g", root.Feature, root.Threshold, column, threshold)
		}
	})
}

// The root's histogram carried from tree to tree is the one built anew.
func TestRootHistogramIsCarriedExactly(t *testing.T) {
	for _, n := range []int{2, 700, 5000} {
		columns, y := sample(n, 19, 6)
		v := view(t, columns...)
		for _, o := range []Options{{Trees: 1}, {Trees: 2}, {Trees: 40}, {Trees: 7, Depth: 1},
			{Trees: 30, Depth: 6, MinLeaf: 20}, {Trees: 9, MinLeaf: 300}} {
			o.LearningRate = 1
			var f Fitter
			var m Model
			if err := f.Fit(&m, v, y, nil, o); err != nil {
				t.Fatal(err)
			}
			h := &f.hist
			if !h.fresh {
				if h.rooted {
					t.Fatalf("%d records, %+v: nothing was carried", n, o)
				}
				continue // nothing was searched
			}
			h.target(&f)
			got := slices.Clone(h.slots[0])
			root := []node{{end: int32(n), search: true}}
			f.rows, h.fresh = upTo(n), false
			h.search(&f, root, 0)
			for g := range h.groups {
				most := h.most[g] * lanes
				if diff := cmp.Diff(h.slots[0][g][:most], got[g][:most]); diff != "" {
					t.Fatalf("%d records, %+v, group %d: carried and new histograms differ: %s", n, o, g, diff)
				}
			}
		}
	}
}

// The predictions that a fit keeps are those of the model, to the bit.
func TestFittedIsPredicted(t *testing.T) {
	columns, y := sample(900, 9, 16)
	for i := range y {
		y[i] = math.Abs(math.Round(y[i])) - 2*math.Floor(math.Abs(math.Round(y[i]))/2)
	}
	v := view(t, columns...)
	rows := upTo(700)
	for _, o := range []Options{{}, {Depth: 5}} {
		var f Fitter
		var m Model
		if err := f.Fit(&m, v, y, rows, o); err != nil {
			t.Fatal(err)
		}
		want := make([]float64, len(rows))
		m.Predict(want, v, rows)
		if diff := cmp.Diff(want, f.Fitted()); diff != "" {
			t.Errorf("%+v: %s", o, diff)
		}
	}
}

func TestLossFallsWithEveryTree(t *testing.T) {
	columns, y := sample(300, 3, 8)
	v := view(t, columns...)
	pred, last := make([]float64, 300), math.Inf(1)
	for k := 1; k <= 50; k++ {
		fit(t, v, y, nil, Options{Trees: k}).Predict(pred, v, nil)
		sum := 0.0
		for i, p := range pred {
			sum += (y[i] - p) * (y[i] - p)
		}
		if sum > last*(1+1e-9) {
			t.Fatalf("%d trees have loss %g after %g", k, sum, last)
		}
		last = sum
	}
}

func TestRefuses(t *testing.T) {
	v := view(t, []float64{1, 2, 3})
	for _, tt := range []struct {
		name string
		view View
		y    []float64
		rows []int32
		o    Options
		want string
	}{
		{"no columns", View{}, nil, nil, Options{}, "no columns"},
		{"targets", v, []float64{1}, nil, Options{}, "1 targets for 3"},
		{"no rows", v, []float64{1, 2, 3}, []int32{}, Options{}, "no rows"},
		{"depth", v, []float64{1, 2, 3}, nil, Options{Depth: 12}, "depth"},
	} {
		if _, err := Fit(tt.view, tt.y, tt.rows, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v; want one with %q", tt.name, err, tt.want)
		}
	}
	if _, err := Fit(view(t, make([]float64, maxRecords+1)), make([]float64, maxRecords+1), nil,
		Options{}); err == nil || !strings.Contains(err.Error(), "give it a sample") {
		t.Errorf("error %v of too many records", err)
	}
	if _, err := NewFeatures(2, [][]float64{{1, math.NaN()}}); err == nil {
		t.Error("a NaN passes")
	}
	if _, err := NewFeatures(2, [][]float64{{1, 1e300}}); err == nil {
		t.Error("a number too large for 32 bits passes")
	}
}

// One record, equal targets, constant columns: a model of the mean.
func TestNothingToSplit(t *testing.T) {
	for name, c := range map[string]struct{ x, y []float64 }{
		"one record":      {[]float64{1}, []float64{4}},
		"equal targets":   {[]float64{1, 2, 3}, []float64{4, 4, 4}},
		"constant column": {[]float64{1, 1, 1}, []float64{3, 4, 5}},
	} {
		v := view(t, c.x)
		m := fit(t, v, c.y, nil, Options{Trees: 3})
		pred := make([]float64, len(c.x))
		m.Predict(pred, v, nil)
		if len(m.Tree(2)) != 1 || math.Abs(pred[0]-4) > 1e-12 {
			t.Errorf("%s: %d nodes, prediction %g", name, len(m.Tree(2)), pred[0])
		}
	}
}
