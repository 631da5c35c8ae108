package split

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func records(n int) []Item {
	items := make([]Item, n)
	for i := range items {
		items[i] = Item{ID: fmt.Sprint("r", i), Class: i % 3}
	}
	return items
}

// drawItems draws records with classes, and groups where grouped.
func drawItems(t *rapid.T, grouped bool) []Item {
	n := rapid.IntRange(2, 60).Draw(t, "n")
	items := make([]Item, n)
	for i := range items {
		items[i] = Item{ID: fmt.Sprint("id-", i), Class: rapid.IntRange(-1, 3).Draw(t, "class")}
		if grouped && rapid.Bool().Draw(t, "in a group") {
			items[i].Group = rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "group")
		}
	}
	return items
}

func TestSplitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grouped := rapid.Bool().Draw(t, "grouped")
		items := drawItems(t, grouped)
		percent := rapid.IntRange(1, 99).Draw(t, "percent")
		o := Options{
			Seed: rapid.Uint64().Draw(t, "seed"), Name: "d", Fit: float64(percent) / 100,
			Order:    rapid.SampledFrom([]Order{Shuffled, InFile}).Draw(t, "order"),
			Stratify: rapid.Bool().Draw(t, "stratify"),
		}
		p, err := Split(o, items)
		if err != nil {
			if !strings.Contains(err.Error(), "each part needs at least one") {
				t.Fatal(err)
			}
			return
		}
		again, _ := Split(o, items)
		if d := cmp.Diff(p, again); d != "" {
			t.Fatalf("two splits of the same records differ: %s", d)
		}
		all := slices.Sorted(slices.Values(slices.Concat(p.Fit, p.Test)))
		for i, x := range all {
			if i != x {
				t.Fatalf("fit %v and test %v are not all %d records once", p.Fit, p.Test, len(items))
			}
		}
		if len(all) != len(items) || !slices.IsSorted(p.Fit) || !slices.IsSorted(p.Test) {
			t.Fatalf("fit %v, test %v of %d", p.Fit, p.Test, len(items))
		}
		if d := cmp.Diff([]Role{{"fit", ids(items, p.Fit)}, {"test", ids(items, p.Test)}}, p.Graph.Roles); d != "" {
			t.Fatal(d)
		}
		if !grouped {
			checkSizes(t, items, p, percent, o.Stratify)
		}
		checkGroups(t, items, p)
	})
}

// checkSizes holds the sizes to integer arithmetic.
func checkSizes(t *rapid.T, items []Item, p Parts, percent int, stratified bool) {
	if want := len(items) * percent / 100; len(p.Fit) != want {
		t.Fatalf("%d of %d records fit at %d %%, want %d", len(p.Fit), len(items), percent, want)
	}
	if !stratified {
		return
	}
	n, fit := map[int]int{}, map[int]int{}
	for _, x := range items {
		n[x.Class]++
	}
	for _, i := range p.Fit {
		fit[items[i].Class]++
	}
	for class := range n {
		if low := n[class] * percent / 100; fit[class] < low || fit[class] > low+1 {
			t.Fatalf("class %d: %d of %d fit at %d %%", class, fit[class], n[class], percent)
		}
	}
}

func checkGroups(t *rapid.T, items []Item, p Parts) {
	side := map[string]string{}
	for _, part := range p.Graph.Roles {
		for _, id := range part.IDs {
			g := items[slices.IndexFunc(items, func(x Item) bool { return x.ID == id })].Group
			if g == "" {
				continue
			}
			if was, ok := side[g]; ok && was != part.Name {
				t.Fatalf("group %s is on both sides", g)
			}
			side[g] = part.Name
		}
	}
}

func TestSplitErrors(t *testing.T) {
	twice := append(records(5), Item{ID: "r0"})
	tests := []struct {
		name  string
		o     Options
		items []Item
		want  string
	}{
		{"share 0", Options{Name: "d", Fit: 0}, records(5), "between 0 and 1"},
		{"share 1", Options{Name: "d", Fit: 1}, records(5), "between 0 and 1"},
		{"share is not a number", Options{Name: "d", Fit: math.NaN()}, records(5), "between 0 and 1"},
		{"order", Options{Name: "d", Fit: .5, Order: "random"}, records(5), "want shuffle or file"},
		{"repeat in file order", Options{Name: "d", Fit: .5, Order: InFile, Repeat: 1}, records(5), "use order shuffle"},
		{"id twice", Options{Name: "d", Fit: .5}, twice, `the id "r0" occurs twice`},
		{"no record", Options{Name: "d", Fit: .5}, nil, "0 records fit and 0 test"},
		{"one record", Options{Name: "d", Fit: .5}, records(1), "each part needs at least one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Split(tt.o, tt.items); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestLargestRemainder(t *testing.T) {
	// By hand: 7 records of classes 0,0,0,1,1,1,2 at 1/2: floor(3.5) = 3 fit;
	// floors 1, 1, 0 with remainders ½, ½, ½: the lowest class gets the third.
	items := make([]Item, 7)
	for i := range items {
		items[i] = Item{ID: fmt.Sprint(i), Class: int("0001112"[i] - '0')}
	}
	p, err := Split(Options{Name: "d", Fit: 0.5, Order: InFile, Stratify: true}, items)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int{0, 1, 3}, p.Fit); d != "" {
		t.Error(d)
	}
}
