package split

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// Item is one record to split.
type Item struct {
	ID    string // unique
	Class int    // stratum; -1 where the task has none
	Group string // records of one group stay together; "" = alone
}

// Order is the order of the records before the first share of them becomes the fit part.
type Order string

const (
	Shuffled Order = "shuffle" // by the seed and the record's id: its position in the file does not matter
	InFile   Order = "file"    // as they come, as in the paper; then fit and test are not exchangeable
)

// Options say how records are split into fit and test part.
type Options struct {
	Seed  uint64  // of the study
	Name  string  // of the dataset: each has its own draws
	Fit   float64 // share that fits, in (0,1); read as the shortest decimal that prints as it
	Order Order   // "" = shuffle

	// Stratify keeps the share of every class: of each class, the first share
	// of its records fits. Off: the first share of all records.
	Stratify bool

	Repeat int // which of the repeated splits, from 0
}

// Parts is a split into fit and test part.
type Parts struct {
	Repeat int   `json:"repeat"`
	Fit    []int `json:"-"` // positions of the fit part, ascending
	Test   []int `json:"-"` // positions of the test part, ascending
	Graph  Graph `json:"graph"`
}

// Given is a split that the data give: fit says which records fit.
func Given(name string, items []Item, fit []bool) (Parts, error) {
	if err := uniqueIDs("split", name, items); err != nil {
		return Parts{}, err
	}
	return parts(Options{Name: name}, items, fit, "the column that gives the split must have rows of both")
}

// parts numbers the records of the two parts.
func parts(o Options, items []Item, fit []bool, fix string) (Parts, error) {
	p, err := o.positions(fit, fix)
	if err != nil {
		return p, err
	}
	p.Graph = NewGraph(Role{"fit", ids(items, p.Fit)}, Role{"test", ids(items, p.Test)})
	return p, nil
}

// positions are parts without their graph.
func (o Options) positions(fit []bool, fix string) (Parts, error) {
	p := Parts{Repeat: o.Repeat, Fit: where(fit, func(f bool) bool { return f }),
		Test: where(fit, func(f bool) bool { return !f })}
	if len(p.Fit) == 0 || len(p.Test) == 0 {
		return Parts{}, fmt.Errorf("split of %s: %d records fit and %d test: each part needs at least one; %s", o.Name,
			len(p.Fit), len(p.Test), fix)
	}
	return p, nil
}

// where are the positions of the values that fit, ascending.
func where[T any](of []T, fits func(T) bool) (at []int) {
	for i, x := range of {
		if fits(x) {
			at = append(at, i)
		}
	}
	return at
}

const splitFix = "use more records, smaller groups or another share"

// Split divides records into the part that fits and the part that tests.
//
// Without groups the fit part has exactly floor(Fit·n) records, computed from the decimal. With Stratify each class
// gives floor(Fit·n_c), and what is then missing to floor(Fit·n) comes, one record each, from the classes of largest
// remainder (ties: lowest class). With groups, all records of a group are on the same side: whole groups join the fit
// part, in order, while they fit into it. The group that crosses the wanted size goes to the side that leaves the size
// closer to it (tie: fit), and all later groups test. A group belongs to the stratum of most of its records (tie:
// lowest class).
//
// In order "shuffle" a record's position depends only on the seed, the name, the repeat and its id (or its group):
// adding a record does not reorder the others, and the order of the file does not matter.
//
// It fails if a part would be empty, if an id occurs twice, and for a repeat other than 0 in file order.
func Split(o Options, items []Item) (Parts, error) {
	if err := o.checkOptions(); err != nil {
		return Parts{}, err
	}
	if err := uniqueIDs("split", o.Name, items); err != nil {
		return Parts{}, err
	}
	clusters := clustersOf(items)
	if o.Order != InFile {
		shuffle(clusters, o.Seed, "split", o.Name, strconv.Itoa(o.Repeat))
	}
	fit := make([]bool, len(items))
	for _, s := range strata(clusters, o.Stratify, o.Fit, len(items)) {
		for _, c := range s.first() {
			for _, i := range c.members {
				fit[i] = true
			}
		}
	}
	return parts(o, items, fit, splitFix)
}

func (o Options) checkOptions() error {
	switch {
	case !(o.Fit > 0 && o.Fit < 1):
		return fmt.Errorf("split of %s: share %v that fits: want a number between 0 and 1", o.Name, o.Fit)
	case o.Order != "" && o.Order != Shuffled && o.Order != InFile:
		return fmt.Errorf("split of %s: unknown order %q: want shuffle or file", o.Name, o.Order)
	case o.Repeat < 0:
		return fmt.Errorf("split of %s: repeat %d is negative", o.Name, o.Repeat)
	case o.Repeat > 0 && o.Order == InFile:
		return fmt.Errorf("split of %s: in file order every repeat is the same split: use order shuffle", o.Name)
	}
	return nil
}

func uniqueIDs(what, name string, items []Item) error {
	seen := make(map[string]bool, len(items))
	for _, x := range items {
		if seen[x.ID] {
			return fmt.Errorf("%s of %s: the id %q occurs twice", what, name, x.ID)
		}
		seen[x.ID] = true
	}
	return nil
}

// Floor returns floor(share·n), with share read as the shortest decimal that prints as it: 0.29 of 100 is 29, where
// floating point arithmetic says 28. It panics unless share is finite and not negative.
func Floor(share float64, n int) int {
	if math.IsNaN(share) || math.IsInf(share, 0) || share < 0 {
		panic(fmt.Sprintf("split: share %v of %d records", share, n))
	}
	num, den := exact(share, n)
	return int(new(big.Int).Quo(num, den).Int64())
}

// exact returns share·n as a fraction.
func exact(share float64, n int) (num, den *big.Int) {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(share, 'g', -1, 64)) // a finite float prints as a number
	r.Mul(r, new(big.Rat).SetInt64(int64(n)))
	return r.Num(), r.Denom()
}

// stratum is clusters in line, and how many of their records are to fit.
type stratum struct {
	line []*cluster
	want int
}

// first returns the clusters that fit.
func (s stratum) first() []*cluster {
	n := 0
	for i, c := range s.line {
		next := n + len(c.members)
		if next > s.want {
			if next-s.want <= s.want-n {
				i++
			}
			return s.line[:i]
		}
		n = next
	}
	return s.line
}

// strata divides clusters by class, and the fit part among the classes.
func strata(clusters []*cluster, byClass bool, share float64, n int) []stratum {
	left := Floor(share, n)
	if !byClass {
		return []stratum{{clusters, left}}
	}
	lines, size := map[int][]*cluster{}, map[int]int{}
	for _, c := range clusters {
		lines[c.class] = append(lines[c.class], c)
		size[c.class] += len(c.members)
	}
	classes := slices.Sorted(maps.Keys(size))
	want, rest := map[int]int{}, map[int]*big.Rat{}
	for _, k := range classes {
		num, den := exact(share, size[k])
		q, r := new(big.Int).QuoRem(num, den, new(big.Int))
		want[k] = int(q.Int64())
		rest[k] = new(big.Rat).SetFrac(r, den)
		left -= want[k]
	}
	byRest := slices.Clone(classes)
	slices.SortStableFunc(byRest, func(a, b int) int { return rest[b].Cmp(rest[a]) })
	for _, k := range byRest[:left] {
		want[k]++
	}
	out := make([]stratum, len(classes))
	for i, k := range classes {
		out[i] = stratum{lines[k], want[k]}
	}
	return out
}

func ids(items []Item, at []int) []string {
	out := make([]string, len(at))
	for i, j := range at {
		out[i] = items[j].ID
	}
	return out
}
