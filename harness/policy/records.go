package policy

import (
	"fmt"
	"math"
)

// Records are the columns a policy is fitted on: one entry per record, all of
// one length N ≥ 1. They are read, never modified or kept.
type Records struct {
	Classes    int       // number of classes; 0 or 1 = the task has none
	Class      []int     // the student's class, 0 … Classes−1; nil where the task has none
	Beta       []float64 // the student's confidence β ∈ [0,1]
	Student    []float64 // the student's error ∈ [0,1]; all 0 or 1 unless errors are soft
	Master     []float64 // the master's error ∈ [0,1]; nil = never errs (the oracle setting)
	MasterCost []float64 // the master's cost on the record ≥ 0, any unit; of objective Cost; else nil
}

func (r Records) Len() int { return len(r.Beta) }

// Validate reports the first thing wrong with the columns: lengths that
// differ, NaN, a number outside its range, a class outside the classes. The
// error names the record by its index.
func (r Records) Validate() error {
	n := len(r.Beta)
	if n == 0 {
		return fmt.Errorf("no records: thresholds need at least one")
	}
	if n > maxRecords {
		return fmt.Errorf("%d records: at most %d fit in one problem", n, maxRecords)
	}
	columns := []struct {
		name     string
		values   []float64
		most     float64
		optional bool
	}{
		{"confidence", r.Beta, 1, false}, {"student error", r.Student, 1, false}, {"master error", r.Master, 1, true},
		{"master cost", r.MasterCost, math.MaxFloat64, true},
	}
	for _, c := range columns {
		if len(c.values) != n && !(c.optional && c.values == nil) {
			return fmt.Errorf("%d %ss for %d confidences: every column needs one entry per record", len(c.values), c.name, n)
		}
	}
	switch {
	case r.Class != nil && len(r.Class) != n:
		return fmt.Errorf("%d classes for %d confidences: every column needs one entry per record", len(r.Class), n)
	case r.Classes < 0:
		return fmt.Errorf("%d classes: want 0 (a task without classes) or more", r.Classes)
	case r.Classes > 1 && r.Class == nil:
		return fmt.Errorf("%d classes but no class column", r.Classes)
	}
	for i, k := range r.Class {
		if k < 0 || k >= max(r.Classes, 1) {
			return fmt.Errorf("record %d: class %d is outside 0 … %d", i, k, max(r.Classes, 1)-1)
		}
	}
	for _, c := range columns {
		for i, v := range c.values {
			switch {
			case v >= 0 && v <= c.most:
			case c.most > 1:
				return fmt.Errorf("record %d: %s %v: want a finite number ≥ 0", i, c.name, v)
			default:
				return fmt.Errorf("record %d: %s %v is outside [0,1]", i, c.name, v)
			}
		}
	}
	return nil
}

// ClassOf returns the class of record i; 0 where the task has none.
func (r Records) ClassOf(i int) int {
	if r.Class == nil {
		return 0
	}
	return r.Class[i]
}

func (r Records) MasterError(i int) float64 {
	if r.Master == nil {
		return 0
	}
	return r.Master[i]
}

func (r Records) Pick(indices []int) Records {
	return Records{Classes: r.Classes, Class: pick(r.Class, indices), Beta: pick(r.Beta, indices),
		Student: pick(r.Student, indices), Master: pick(r.Master, indices), MasterCost: pick(r.MasterCost, indices)}
}

func pick[T any](column []T, indices []int) []T {
	if column == nil {
		return nil
	}
	out := make([]T, len(indices))
	for j, i := range indices {
		out[j] = column[i]
	}
	return out
}

// maxRecords keeps sums of soft errors within 63 bits.
const maxRecords = 1 << 30

// softScale is the number of units an error is divided into when errors are
// soft: sums and budgets stay integers and need no tolerance.
const softScale = 1 << 32

// CostScale is the number of units the most expensive query's master cost is
// divided into under objective Cost.
const CostScale = 1_000_000

// columns are validated records, read as integers.
type columns struct {
	r          Records
	o          Options // defaults filled in
	n, classes int
	scale      int64 // units per error: 1 or softScale
	topCost    float64
	byCost     bool
	sumStudent int64 // errors, in units
	sumMaster  int64
}

// newColumns validates records and options together.
func newColumns(r Records, o Options) (*columns, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	o, err := o.Resolve(r)
	if err != nil {
		return nil, err
	}
	if o.Setting == Oracle {
		r.Master = nil // all zeros
	}
	c := &columns{r: r, o: o, n: r.Len(), classes: max(r.Classes, 1), scale: Scale(r.Student, r.Master),
		byCost: o.Objective == Cost, topCost: r.topCost()}
	c.sumStudent, c.sumMaster = sumUnits(r.Student, c.scale), sumUnits(r.Master, c.scale)
	return c, nil
}

// Scale returns the units of an error: 1 if every error is 0 or 1, else 2³².
func Scale(columns ...[]float64) int64 {
	for _, column := range columns {
		for _, v := range column {
			if v != 0 && v != 1 {
				return softScale
			}
		}
	}
	return 1
}

// Units rounds an error to whole units, half to even. Errors are rounded nowhere
// else.
func Units(v float64, scale int64) int64 {
	if scale == 1 {
		return int64(v)
	}
	return int64(math.RoundToEven(v * float64(scale)))
}

func sumUnits(errs []float64, scale int64) int64 {
	sum := int64(0)
	for _, v := range errs {
		sum += Units(v, scale)
	}
	return sum
}

// gain returns the errors saved by deferring record i, in units; negative
// where the master is worse.
func (c *columns) gain(i int) int64 {
	return Units(c.r.Student[i], c.scale) - Units(c.r.MasterError(i), c.scale)
}

// Value returns the value of decisions under an objective, in its units: the
// number of deferred records, or what the master costs on them in multiples of
// Unit. Cost needs MasterCost.
func (r Records) Value(d Decisions, o Objective) int64 {
	c := &columns{r: r, byCost: o == Cost, topCost: r.topCost()}
	sum := int64(0)
	for i, deferred := range d {
		if deferred {
			sum += c.weight(i)
		}
	}
	return sum
}

// Unit returns the size of one unit of an objective: 1 record, or an amount in the
// records' own unit of cost.
func (r Records) Unit(o Objective) float64 {
	if top := r.topCost(); o == Cost && top > 0 {
		return top / CostScale
	}
	return 1
}

func (r Records) topCost() float64 {
	top := 0.0
	for _, v := range r.MasterCost {
		top = max(top, v)
	}
	return top
}

// weight returns the weight of deferring record i: 1, or its cost in millionths of
// the largest, rounded, and at least one. A deferral is never free, so that fewer
// are better at equal cost.
func (c *columns) weight(i int) int64 {
	if !c.byCost {
		return 1
	}
	return CostUnits(c.r.MasterCost[i], c.topCost)
}

// CostUnits returns a cost in millionths of the largest, rounded, and at least one.
func CostUnits(cost, largest float64) int64 {
	if largest == 0 {
		return 1
	}
	return max(1, int64(math.RoundToEven(cost/largest*CostScale)))
}
