package sufficiency

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"infnet/metrics/infer"
)

// plan is a partition of the records into strata of exchangeable units. A unit is
// a group, or a single record. The units of a stratum have the same size and the
// same classes, and are permuted as wholes. The records of two groups are matched
// by class, then by β.
type plan struct {
	strata [][][]int32 // stratum, unit, record
	fixed  int         // records that cannot move because they are alone in their stratum: the more, the less power
}

// newPlan lets rows move anywhere, whatever their β, or within a class only where there are classes.
func newPlan(beta []float64, class []int, groups []string) *plan {
	p := &plan{}
	for _, alike := range exchangeable(unitsOf(beta, class, groups)) {
		var stratum [][]int32
		for _, u := range alike {
			stratum = append(stratum, u.records)
		}
		p.strata = append(p.strata, stratum)
		if len(stratum) == 1 {
			p.fixed += len(stratum[0])
		}
	}
	return p
}

// unit is a set of records that are permuted together.
type unit struct {
	records []int32 // by class, then β, then position
	classes []int   // of those
	beta    float64 // mean
}

func unitsOf(beta []float64, class []int, groups []string) []unit {
	of, count := infer.Units(groups, len(beta))
	units := make([]unit, count)
	for i, k := range of {
		units[k].records = append(units[k].records, int32(i))
	}
	classOf := func(i int32) int {
		if class == nil {
			return 0
		}
		return class[i]
	}
	for k := range units {
		u := &units[k]
		slices.SortStableFunc(u.records, func(a, b int32) int {
			return cmp.Or(cmp.Compare(classOf(a), classOf(b)), cmp.Compare(beta[a], beta[b]))
		})
		for _, i := range u.records {
			u.classes = append(u.classes, classOf(i))
			u.beta += beta[i]
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

// draw writes one permutation into dst: record i gets the row of record dst[i].
func (p *plan) draw(r *rand.Rand, dst []uint32) {
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
