package split

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestKFoldProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grouped := rapid.Bool().Draw(t, "grouped")
		items := drawItems(t, grouped)
		o := FoldOptions{Seed: rapid.Uint64().Draw(t, "seed"), Name: "d", K: rapid.IntRange(2, 6).Draw(t, "k"),
			Stratify: rapid.Bool().Draw(t, "stratify")}
		f, err := KFold(o, items)
		if err != nil {
			if len(clustersOf(items)) >= o.K {
				t.Fatal(err)
			}
			return
		}
		again, _ := KFold(o, items)
		if d := cmp.Diff(f, again); d != "" {
			t.Fatal(d)
		}
		total := 0
		size := make([]int, o.K)
		class := map[int][]int{}
		foldOf := map[string]int{}
		for k := range o.K {
			in, out := f.In(k), f.Out(k)
			if len(in)+len(out) != len(items) || len(in) == 0 {
				t.Fatalf("fold %d: %d in, %d out of %d", k, len(in), len(out), len(items))
			}
			total += len(in)
			size[k] = len(in)
			for _, i := range in {
				c := items[i].Class
				if class[c] == nil {
					class[c] = make([]int, o.K)
				}
				class[c][k]++
				if g := items[i].Group; g != "" {
					if was, ok := foldOf[g]; ok && was != k {
						t.Fatalf("group %s is in folds %d and %d", g, was, k)
					}
					foldOf[g] = k
				}
			}
		}
		if total != len(items) {
			t.Fatalf("folds hold %d of %d records", total, len(items))
		}
		if len(foldOf) > 0 {
			return // sizes follow from the groups
		}
		if slices.Max(size)-slices.Min(size) > 1 {
			t.Fatalf("sizes %v", size)
		}
		for c, n := range class {
			if o.Stratify && slices.Max(n)-slices.Min(n) > 1 {
				t.Fatalf("class %d is spread %v", c, n)
			}
		}
	})
}

func TestKFoldRefuses(t *testing.T) {
	items := []Item{{ID: "1", Group: "a"}, {ID: "2", Group: "a"}, {ID: "3"}}
	for _, k := range []int{1, 3} {
		if _, err := KFold(FoldOptions{Name: "d", K: k}, items); err == nil {
			t.Errorf("%d folds of two clusters gave no error", k)
		}
	}
}

func TestFoldRolesAndGraph(t *testing.T) {
	items := records(10)
	f, err := KFold(FoldOptions{Name: "d", K: 2}, items)
	if err != nil {
		t.Fatal(err)
	}
	g := NewGraph(Role{"fit", ids(items, []int{0, 1})})
	h := NewGraph(append(g.Roles, f.Roles("calibration", items)...)...)
	if len(h.Roles) != 3 || h.Roles[2].Name != "calibration/fold-2" {
		t.Errorf("roles %v", h.Roles)
	}
	if g.Hash == h.Hash {
		t.Error("more roles, same hash")
	}
	// Python 3: struct and hashlib over version 1, count, lengths and bytes.
	if want := "cfdd321702c7f515c1db2a95552a09303a1b2be4048003330ad58155cf6ea7a8"; g.Hash != want {
		t.Errorf("hash %s, want %s", g.Hash, want)
	}
	// Where one list ends matters.
	if NewGraph(Role{"a", []string{"b"}}, Role{"c", nil}).Hash == NewGraph(Role{"a", nil}, Role{"c", []string{"b"}}).Hash {
		t.Error("a record that moved to another role kept the hash")
	}
}
