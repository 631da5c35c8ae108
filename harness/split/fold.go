package split

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// FoldOptions say how records are divided for cross-fitting.
type FoldOptions struct {
	Seed     uint64 // of the study
	Name     string // of the dataset and of what is fitted: each has its own draws
	K        int    // folds, ≥ 2
	Stratify bool   // spread every class over the folds
}

// Folds says in which fold each record is, 0 to K−1.
type Folds struct {
	K  int
	Of []int // fold of each record, in input order
}

// KFold divides records into K folds, by the seed and their ids alone. Without groups the sizes differ by at most one,
// and with Stratify so do those of every class. With groups a group is whole in one fold: larger groups first, each
// goes to the fold with the fewest records (with Stratify: the fewest of the group's commonest class, then the fewest
// records; ties: the lowest fold). It fails where there are fewer groups or single records than folds.
func KFold(o FoldOptions, items []Item) (Folds, error) {
	if o.K < 2 {
		return Folds{}, fmt.Errorf("folds of %s: %d folds: want 2 or more", o.Name, o.K)
	}
	if err := uniqueIDs("folds", o.Name, items); err != nil {
		return Folds{}, err
	}
	clusters := clustersOf(items)
	if len(clusters) < o.K {
		return Folds{}, fmt.Errorf("folds of %s: %d records or groups for %d folds: want at least as many", o.Name,
			len(clusters), o.K)
	}
	shuffle(clusters, o.Seed, "fold", o.Name, strconv.Itoa(o.K))
	f := Folds{K: o.K, Of: make([]int, len(items))}
	if slices.ContainsFunc(clusters, func(c *cluster) bool { return c.grouped }) {
		f.fill(clusters, items, o.Stratify)
		return f, nil
	}
	if o.Stratify {
		slices.SortStableFunc(clusters, func(a, b *cluster) int { return cmp.Compare(a.class, b.class) })
	}
	for i, c := range clusters {
		f.Of[c.members[0]] = i % o.K
	}
	return f, nil
}

func (f Folds) fill(clusters []*cluster, items []Item, stratify bool) {
	slices.SortStableFunc(clusters, func(a, b *cluster) int { return cmp.Compare(len(b.members), len(a.members)) })
	size := make([]int, f.K)
	class := make([]map[int]int, f.K)
	for k := range class {
		class[k] = map[int]int{}
	}
	for _, c := range clusters {
		best := 0
		for k := 1; k < f.K; k++ {
			order := cmp.Compare(size[k], size[best])
			if stratify {
				order = cmp.Or(cmp.Compare(class[k][c.class], class[best][c.class]), order)
			}
			if order < 0 {
				best = k
			}
		}
		for _, i := range c.members {
			f.Of[i] = best
			size[best]++
			class[best][items[i].Class]++
		}
	}
}

// In returns the positions in fold k, ascending.
func (f Folds) In(k int) []int { return where(f.Of, func(fold int) bool { return fold == k }) }

// Out returns the positions outside fold k, ascending.
func (f Folds) Out(k int) []int { return where(f.Of, func(fold int) bool { return fold != k }) }

// Roles names the folds for a Graph: what/fold-1 and so on. items are those that were divided.
func (f Folds) Roles(what string, items []Item) []Role {
	out := make([]Role, f.K)
	for k := range out {
		out[k] = Role{Name: fmt.Sprintf("%s/fold-%d", what, k+1), IDs: ids(items, f.In(k))}
	}
	return out
}
