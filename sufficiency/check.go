package sufficiency

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"infnet/harness/seed"
)

// checked is an input with its gaps filled.
type checked struct {
	Input
	n     int
	delta []float64
	folds seed.Folds
}

// check fills in what may be left out and refuses what cannot be tested.
func check(in Input, o Options) (*checked, error) {
	c := &checked{Input: in, n: len(in.Beta)}
	if c.n == 0 {
		return nil, errors.New("no records")
	}
	if len(in.Sets) == 0 {
		return nil, errors.New("no set of extra information J to test")
	}
	if err := c.checkLengths(); err != nil {
		return nil, err
	}
	for _, x := range []struct {
		what   string
		values []float64
	}{{"β", in.Beta}, {"student error", in.StudentErr}, {"master error", in.MasterErr}, {"Δ", in.Delta}, {"student cost", in.StudentCost}, {"master cost", in.MasterCost}} {
		for i, v := range x.values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("%s of record %d is %g", x.what, i, v)
			}
		}
	}
	for i := range in.StudentErr {
		if e, m := in.StudentErr[i], in.MasterErr[i]; e < 0 || e > 1 || m < 0 || m > 1 {
			return nil, fmt.Errorf("errors of record %d are %g and %g; must be in [0,1]", i, e, m)
		}
	}
	c.delta = in.Delta
	if c.delta == nil {
		c.delta = make([]float64, c.n)
		for i := range c.delta {
			c.delta[i] = in.StudentErr[i] - in.MasterErr[i]
		}
	}
	if err := c.checkSets(); err != nil {
		return nil, err
	}
	return c, c.fold(o)
}

func (c *checked) checkLengths() error {
	for _, x := range []struct {
		what     string
		len      int
		required bool
	}{
		{"ids", len(c.IDs), false}, {"groups", len(c.Groups), false}, {"classes", len(c.Class), false},
		{"student errors", len(c.StudentErr), c.Delta == nil}, {"master errors", len(c.MasterErr), c.Delta == nil},
		{"Δ", len(c.Delta), false}, {"student costs", len(c.StudentCost), false}, {"master costs", len(c.MasterCost), false},
	} {
		if x.len != c.n && (x.len != 0 || x.required) {
			return fmt.Errorf("%d β and %d %s; there must be one of each per record", c.n, x.len, x.what)
		}
	}
	if c.Delta != nil && c.StudentErr != nil {
		return errors.New("both Δ and errors are given; give one of them")
	}
	return nil
}

func (c *checked) checkSets() error {
	names := map[string]bool{}
	for _, s := range c.Sets {
		if names[s.Name] {
			return fmt.Errorf("two sets of extra information are called %q", s.Name)
		}
		names[s.Name] = true
		if len(s.Columns) == 0 {
			return fmt.Errorf("set %q has no columns", s.Name)
		}
		for _, column := range s.Columns {
			if len(column.Values) != c.n {
				return fmt.Errorf("set %q, column %q: %d values for %d records", s.Name, column.Name, len(column.Values), c.n)
			}
			for i, v := range column.Values {
				if math.IsNaN(v) || math.Abs(v) > math.MaxFloat32 {
					return fmt.Errorf("set %q, column %q, record %d: %g is no finite 32-bit number; fill it or drop the record", s.Name, column.Name, i, v)
				}
			}
		}
	}
	return nil
}

// fold divides the records for cross-fitting.
func (c *checked) fold(o Options) error {
	items := make([]seed.Item, c.n)
	for i := range items {
		items[i] = seed.Item{ID: strconv.Itoa(i), Class: -1}
		if c.IDs != nil {
			items[i].ID = c.IDs[i]
		}
		if c.Groups != nil {
			items[i].Group = c.Groups[i]
		}
	}
	folds, err := seed.KFold(seed.FoldOptions{Seed: o.Seed, Name: o.Name + "/sufficiency", K: o.Folds}, items)
	if err != nil {
		return err
	}
	c.folds = folds
	return nil
}

// withDefaults fills in what is zero and checks the rest.
func (o Options) withDefaults(in Input) (Options, error) {
	if o.Folds == 0 {
		o.Folds = 5
	}
	if o.Stratum == 0 {
		o.Stratum = 8
	}
	if o.Permutations == 0 {
		o.Permutations = 199
	}
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Threads == 0 {
		o.Threads = 1
	}
	if o.Nulls == nil {
		o.Nulls = []Null{Beta}
		if classes(in.Class) > 1 {
			o.Nulls = append(o.Nulls, BetaAndClass)
		}
	}
	switch {
	case o.Folds < 2:
		return o, fmt.Errorf("%d folds; must be at least 2", o.Folds)
	case o.Stratum < 2:
		return o, fmt.Errorf("strata of %d; must be at least 2", o.Stratum)
	case o.Permutations < 1 || o.Stop < 0 || o.Power < 0 || o.Threads < 1:
		return o, fmt.Errorf("permutations %d, stop %d, power %d, threads %d; must be ≥ 1, 0, 0, 1", o.Permutations, o.Stop, o.Power, o.Threads)
	case !(o.Alpha > 0 && o.Alpha < 1) || !(o.Level > 0 && o.Level < 1):
		return o, fmt.Errorf("α %g, level %g; must be in (0,1)", o.Alpha, o.Level)
	case o.Budget != nil && !(*o.Budget >= 0 && *o.Budget <= 1):
		return o, fmt.Errorf("budget %g; must be in [0,1]", *o.Budget)
	case slices.Contains(o.Nulls, BetaAndClass) && in.Class == nil:
		return o, errors.New("the null beta+class needs classes, and there are none")
	}
	return o, nil
}

// classes returns the number of different classes.
func classes(class []int) int {
	return len(distinct(class))
}

func distinct(class []int) []int {
	out := slices.Clone(class)
	slices.Sort(out)
	return slices.Compact(out)
}
