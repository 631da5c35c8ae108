// Package pool says whether asking several models is worth it. It owns the claim that
// a policy is worth it, its rivals among single models and coins between two, the
// verdict, and the price ratio at which the comparison changes; and for a pool of models the search through all single
// models, pairs, chains of three, ensembles and routers, their convex hull, and the
// loss against an oracle. It refuses to read files, to grade and to print: it works
// on columns of errors, confidences and costs.
//
// Its opinion: the rival of a cascade is not the most expensive model but the
// cheapest way to err as rarely without one. It is found anew on every resample of records
// that had no part in the choice of the policy.
package pool

import (
	"fmt"
	"math"
	"slices"

	"infnet/metrics/infer"
)

// Model is one model of a pool on some records, column by column.
type Model struct {
	Error []float64        // ∈ [0,1]
	Cost  []float64        // of each record's own answer, ≥ 0
	Beta  []float64        // confidence; nil = none: the model can only end a cascade
	Class []int            // equal numbers for equal answers; nil = it has no part in ensembles
	Guess []float64        // chance of being right, guessed from the query alone; nil = no router asks it
	By    map[string]Guess // what other routers guess, by their names
}

// Guess is what a router makes of each query before any model answers: the chance of being right, and the cost; a Cost
// of nil is the mean of the fit part.
type Guess struct{ Right, Cost []float64 }

// Records are the models of a pool on the same records.
type Records []Model

// Check refuses columns of different lengths and numbers that are none.
func (r Records) Check() error {
	if len(r) < 2 || len(r[0].Error) == 0 {
		return fmt.Errorf("a pool of %d models: want two or more, and a record", len(r))
	}
	n := r.Len()
	for m, x := range r {
		for _, column := range [][]float64{x.Error, x.Cost, x.Beta, x.Guess} {
			if column != nil && len(column) != n {
				return fmt.Errorf("model %d of the pool: a column of %d values for %d records", m, len(column), n)
			}
			for i, v := range column {
				if !(v >= 0) || math.IsInf(v, 1) {
					return fmt.Errorf("model %d of the pool, record %d: %v is no number of 0 or more", m, i, v)
				}
			}
		}
		if len(x.Cost) != n || x.Class != nil && len(x.Class) != n {
			return fmt.Errorf("model %d of the pool: its columns do not have %d records", m, n)
		}
	}
	return nil
}

func (r Records) Len() int { return len(r[0].Error) }

// Alone measures a model that is always asked.
func (r Records) Alone(model int) Measured {
	return Measured{Cost: r[model].Cost, Error: r[model].Error}
}

// Means are the models' mean errors and costs.
func (r Records) Means() (errs, costs []float64) {
	for m := range r {
		p := r.Alone(m).Mean()
		errs, costs = append(errs, p.Error), append(costs, p.Cost)
	}
	return errs, costs
}

// Mean is a policy's mean cost and error.
func (m Measured) Mean() Point {
	n := float64(len(m.Cost))
	return Point{Cost: sum(m.Cost) / n, Error: sum(m.Error) / n}
}

// Point is what a policy costs and how often it errs, per query.
type Point struct{ Cost, Error float64 }

// Measured are costs and errors of one policy or model, by measured record.
type Measured struct{ Cost, Error []float64 }

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// Turn is the price ratio at which the comparison of a cascade of two models with
// its rivals changes.
type Turn struct {
	Ratio     float64        // of the student's cost to the master's, as measured
	BreakEven infer.Interval // the cascade is cheaper below it; 0 = at no price
}

// TurnOf finds the price ratio for a cascade that pays the master on the deferred queries; ours is what it errs, and
// what it pays the master. On every resample the coin is found anew that errs at most the margin more:
//
//	1 − deferred / p
//
// with the least probability p of asking the master; 1 where even the master errs more. Nothing is cheaper than a free
// master, or than a student that errs so rarely.
func TurnOf(rs *infer.Resamples, ours, student, master Measured, margin float64) (Turn, error) {
	out := Turn{Ratio: priceRatio(sum(student.Cost), sum(master.Cost))}
	columns := [][]float64{slices.Repeat([]float64{1}, rs.Records()), ours.Cost, ours.Error, student.Error, master.Cost,
		master.Error}
	never := true
	turned := func(sums []float64) float64 {
		p := MasterShare(sums[3], sums[5], sums[2]+float64((margin+slack)*sums[0]))
		if math.IsNaN(p) {
			p = 1
		}
		if p == 0 || sums[4] == 0 {
			return 0
		}
		never = false
		if even := 1 - sums[1]/sums[4]/p; even > rounding {
			return even
		}
		return 0
	}
	at := make([]float64, len(columns))
	for k, x := range columns {
		at[k] = sum(x)
	}
	value, sums := turned(at), rs.SumsOf(columns...)
	each := make([]float64, len(sums[0]))
	for b := range each {
		for k := range at {
			at[k] = sums[k][b]
		}
		each[b] = turned(at)
	}
	var err error
	if out.BreakEven, err = rs.Interval(value, each); never {
		out.BreakEven.Method = "by definition"
	}
	return out, err
}
