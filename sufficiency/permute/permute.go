// Package permute permutes rows in a way that leaves a null hypothesis true, and
// turns the statistics of the permutations into a p-value.
//
// It owns the exchangeability plan ([Plan]) and the stopping rule ([Test]). The
// caller passes in the statistic. The package refuses to make randomness of its
// own: permutation p is drawn from the stream that the caller gives for p.
//
// Its opinion: a p-value comes with its Monte Carlo error, and a test that
// cannot reach its level says so before it runs.
package permute

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"infnet/metrics/infer"
)

// Design describes the records to permute.
type Design struct {
	Beta   []float64 // confidence of each record, finite
	Class  []int     // rows move within a class only; nil = no classes
	Groups []string  // records of one group move together; "" or nil = alone
}

// Plan is a partition of the records into strata of exchangeable units. A unit is
// a group, or a single record. The units of a stratum have the same size and the
// same classes, and are permuted as wholes. The records of two groups are matched
// by class, then by β.
type Plan struct {
	strata [][][]int32 // stratum, unit, record
	fixed  int
}

// NewPlan builds the plan of a design: rows move anywhere, whatever their β. It
// fails on an empty design, unequal lengths and β that are not finite.
func NewPlan(d Design) (*Plan, error) {
	n := len(d.Beta)
	switch {
	case n == 0:
		return nil, errors.New("permute: no records")
	case d.Class != nil && len(d.Class) != n || d.Groups != nil && len(d.Groups) != n:
		return nil, fmt.Errorf("permute: %d β, %d classes, %d groups; lengths must be equal", n, len(d.Class), len(d.Groups))
	}
	for i, b := range d.Beta {
		if math.IsNaN(b) || math.IsInf(b, 0) {
			return nil, fmt.Errorf("permute: β of record %d is %g", i, b)
		}
	}
	p := &Plan{}
	for _, alike := range exchangeable(unitsOf(d)) {
		var stratum [][]int32
		for _, u := range alike {
			stratum = append(stratum, u.records)
		}
		p.strata = append(p.strata, stratum)
		if len(stratum) == 1 {
			p.fixed += len(stratum[0])
		}
	}
	return p, nil
}

// unit is a set of records that are permuted together.
type unit struct {
	records []int32 // by class, then β, then position
	classes []int   // of those
	beta    float64 // mean
}

func unitsOf(d Design) []unit {
	of, count := infer.Units(d.Groups, len(d.Beta))
	units := make([]unit, count)
	for i, k := range of {
		units[k].records = append(units[k].records, int32(i))
	}
	class := func(i int32) int {
		if d.Class == nil {
			return 0
		}
		return d.Class[i]
	}
	for k := range units {
		u := &units[k]
		slices.SortStableFunc(u.records, func(a, b int32) int {
			return cmp.Or(cmp.Compare(class(a), class(b)), cmp.Compare(d.Beta[a], d.Beta[b]))
		})
		for _, i := range u.records {
			u.classes = append(u.classes, class(i))
			u.beta += d.Beta[i]
		}
		u.beta /= float64(len(u.records))
	}
	return units
}

// exchangeable partitions units by size and classes. Each part is sorted by β.
func exchangeable(units []unit) [][]unit {
	slices.SortStableFunc(units, func(a, b unit) int {
		return cmp.Or(cmp.Compare(len(a.records), len(b.records)), slices.Compare(a.classes, b.classes),
			cmp.Compare(a.beta, b.beta))
	})
	var parts [][]unit
	start := 0
	for i := 1; i <= len(units); i++ {
		if i == len(units) || !slices.Equal(units[i].classes, units[start].classes) {
			parts = append(parts, units[start:i])
			start = i
		}
	}
	return parts
}

// Strata returns the number of strata.
func (p *Plan) Strata() int { return len(p.strata) }

// Fixed returns the number of records that cannot move because they are alone in
// their stratum. The more there are, the less power the test has.
func (p *Plan) Fixed() int { return p.fixed }

// Draw writes one permutation into dst: record i gets the row of record dst[i].
func (p *Plan) Draw(r *rand.Rand, dst []uint32) {
	var order []int
	for _, stratum := range p.strata {
		order = order[:0]
		for k := range stratum {
			order = append(order, k)
		}
		r.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		for k, unit := range stratum {
			for j, i := range unit {
				dst[i] = uint32(stratum[order[k]][j])
			}
		}
	}
}
