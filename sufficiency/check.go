package sufficiency

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"infnet/harness/split"
	"infnet/metrics/infer"
)

// checked is a validated input with its defaults filled in.
type checked struct {
	Input
	n     int
	delta []float64
	folds split.Folds
}

// check fills in defaults and refuses what cannot be tested.
func check(in Input, o Options) (*checked, error) {
	c := &checked{Input: in, n: len(in.Beta)}
	if c.n == 0 {
		return nil, errors.New("no records")
	}
	if len(in.Sets) == 0 {
		return nil, errors.New("no set of extra information J to test")
	}
	if err := c.checkColumns(); err != nil {
		return nil, err
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
	var err error
	c.folds, err = Divide(c.items(), o)
	return c, err
}

// checkColumns holds each column to one finite number per record.
func (c *checked) checkColumns() error {
	for k, n := range []int{len(c.IDs), len(c.Groups), len(c.Class)} {
		if what := []string{"ids", "groups", "classes"}[k]; n != c.n && n != 0 {
			return fmt.Errorf("%d β and %d %s; there must be one of each per record", c.n, n, what)
		}
	}
	for _, x := range []struct {
		what     string
		values   []float64
		required bool
	}{{"β", c.Beta, true}, {"student error", c.StudentErr, c.Delta == nil}, {"master error", c.MasterErr, c.Delta == nil},
		{"Δ", c.Delta, false}, {"student cost", c.StudentCost, false}, {"master cost", c.MasterCost, false}} {
		if n := len(x.values); n != c.n && (n != 0 || x.required) {
			return fmt.Errorf("%d β and %d of %s; there must be one of each per record", c.n, n, x.what)
		}
		for i, v := range x.values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%s of record %d is %g", x.what, i, v)
			}
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
					return fmt.Errorf("set %q, column %q, record %d: %g is no finite 32-bit number; fill it or drop the record",
						s.Name, column.Name, i, v)
				}
			}
		}
	}
	return nil
}

// TooFewError is wrapped by the error of Run and Divide where there are fewer
// records, or groups of records, than folds.
type TooFewError struct{ Units, Folds int }

func (e *TooFewError) Error() string {
	return fmt.Sprintf("too few to divide: %d records or groups of records, fewer than the %d folds", e.Units, e.Folds)
}

// Divide returns the folds over which Run cross-fits these records, for callers
// that keep a log of every record's role.
func Divide(items []split.Item, o Options) (split.Folds, error) {
	o.Folds = cmp.Or(o.Folds, Folds)
	var groups []string
	for _, x := range items {
		groups = append(groups, x.Group)
	}
	_, units := infer.Units(groups, len(items))
	if units < o.Folds {
		return split.Folds{}, &TooFewError{Units: units, Folds: o.Folds}
	}
	return split.KFold(split.FoldOptions{Seed: o.Seed, Name: o.Name + "/sufficiency", K: o.Folds}, items)
}

// items are the records as folds see them.
func (c *checked) items() []split.Item {
	items := make([]split.Item, c.n)
	for i := range items {
		items[i] = split.Item{ID: strconv.Itoa(i), Class: -1}
		if c.IDs != nil {
			items[i].ID = c.IDs[i]
		}
		if c.Groups != nil {
			items[i].Group = c.Groups[i]
		}
	}
	return items
}

// withDefaults fills in what is zero.
func (o Options) withDefaults(in Input) (Options, error) {
	o.Folds, o.Splits = cmp.Or(o.Folds, Folds), cmp.Or(o.Splits, Splits)
	o.Permutations = cmp.Or(o.Permutations, 199)
	o.Alpha, o.Level, o.Threads = cmp.Or(o.Alpha, Alpha), cmp.Or(o.Level, 0.95), cmp.Or(o.Threads, 1)
	if o.Nulls == nil {
		o.Nulls = []Null{Beta}
		if len(distinct(in.Class)) > 1 {
			o.Nulls = append(o.Nulls, BetaAndClass)
		}
	}
	if slices.Contains(o.Nulls, BetaAndClass) && in.Class == nil {
		return o, errors.New("the null beta+class needs classes, and there are none")
	}
	return o, nil
}

func distinct(class []int) []int {
	out := slices.Clone(class)
	slices.Sort(out)
	return slices.Compact(out)
}
