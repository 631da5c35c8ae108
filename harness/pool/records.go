package pool

import (
	"fmt"
	"math"
)

// Model is one model of a pool on some records, column by column.
type Model struct {
	Error []float64 // ∈ [0,1]
	Cost  []float64 // of each record's own answer, ≥ 0
	Beta  []float64 // confidence; nil = none: the model can only end a cascade
	Class []int     // equal numbers for equal answers; nil = it has no part in ensembles
	Guess []float64 // chance of being right, guessed from the query alone; nil = no router asks it
}

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

func (r Records) Alone(model int) Measured {
	return Measured{Cost: r[model].Cost, Error: r[model].Error}
}

func (r Records) Means() (errs, costs []float64) {
	for m := range r {
		p := r.Alone(m).Mean()
		errs, costs = append(errs, p.Error), append(costs, p.Cost)
	}
	return errs, costs
}

// Measured are costs and errors of one policy or model, by measured record.
type Measured struct{ Cost, Error []float64 }

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func (m Measured) Mean() Point {
	n := float64(len(m.Cost))
	return Point{Cost: sum(m.Cost) / n, Error: sum(m.Error) / n}
}

// Point is what a policy costs and how often it errs, per query.
type Point struct{ Cost, Error float64 }
