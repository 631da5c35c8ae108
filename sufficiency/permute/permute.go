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
)

// Kind is the dependence that a permutation preserves.
type Kind int

// The kinds.
const (
	Conditional Kind = iota // of J on β: rows move among near neighbours in β only
	Plain                   // none: rows move anywhere
)

// String returns "conditional" or "plain".
func (k Kind) String() string {
	if k == Plain {
		return "plain"
	}
	return "conditional"
}

// UnmarshalText reads what String writes.
func (k *Kind) UnmarshalText(text []byte) error {
	switch string(text) {
	case "conditional":
		*k = Conditional
	case "plain":
		*k = Plain
	default:
		return fmt.Errorf("unknown permutation %q; valid: conditional, plain", text)
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// DefaultStratum is the number of neighbours in β among which rows move.
const DefaultStratum = 8

// Design describes the records to permute.
type Design struct {
	Kind    Kind
	Beta    []float64 // confidence of each record, finite
	Class   []int     // rows move within a class only; nil = no classes
	Groups  []string  // records of one group move together; "" or nil = alone
	Stratum int       // neighbours in a stratum, ≥ 2, for Conditional; 0 = 8

	// Width is the largest difference in β between records that may be exchanged,
	// for Conditional, > 0; 0 = 1/(2√n). A record with no other so near stays put.
	Width float64
}

// Plan is a partition of the records into strata of exchangeable units. A unit is
// a group, or a single record. The units of a stratum have the same size and the
// same classes, and are permuted as wholes. The records of two groups are matched
// by class, then by β.
type Plan struct {
	n      int
	strata [][][]int32 // stratum, unit, record
	fixed  int
	width  float64
}

// NewPlan builds the plan of a design. In a conditional design the units of each
// kind are sorted by mean β and cut into strata as close to the wanted size as
// possible. Units with equal β are never separated, so a stratum can be larger.
// It fails on an empty design, unequal lengths and β that are not finite.
//
// Strata have a maximum width, and a record alone in its stratum stays in place:
// records of a stratum come from nearly the same distribution only where the
// stratum is narrow, and the errors of n records add up (I. Kim, M. Neykov,
// S. Balakrishnan and L. Wasserman, Local permutation tests for conditional
// independence, Annals of Statistics 50, 2022).
func NewPlan(d Design) (*Plan, error) {
	n := len(d.Beta)
	switch {
	case n == 0:
		return nil, errors.New("permute: no records")
	case d.Class != nil && len(d.Class) != n || d.Groups != nil && len(d.Groups) != n:
		return nil, fmt.Errorf("permute: %d β, %d classes, %d groups; lengths must be equal", n, len(d.Class), len(d.Groups))
	case !(d.Width >= 0):
		return nil, fmt.Errorf("permute: strata %g wide; must be above 0", d.Width)
	case d.Stratum < 0 || d.Stratum == 1:
		return nil, fmt.Errorf("permute: strata of %d; must be at least 2", d.Stratum)
	}
	for i, b := range d.Beta {
		if math.IsNaN(b) || math.IsInf(b, 0) {
			return nil, fmt.Errorf("permute: β of record %d is %g", i, b)
		}
	}
	if d.Stratum == 0 {
		d.Stratum = DefaultStratum
	}
	if d.Width == 0 {
		d.Width = 0.5 / math.Sqrt(float64(n))
	}
	p := &Plan{n: n}
	if d.Kind == Conditional {
		p.width = d.Width
	}
	for _, alike := range exchangeable(unitsOf(d)) {
		cuts := []int{0, len(alike)}
		if d.Kind == Conditional {
			cuts = narrow(alike, cut(alike, d.Stratum), d)
		}
		for i := 1; i < len(cuts); i++ {
			var stratum [][]int32
			for _, u := range alike[cuts[i-1]:cuts[i]] {
				stratum = append(stratum, u.records)
			}
			p.strata = append(p.strata, stratum)
			if len(stratum) == 1 {
				p.fixed += len(stratum[0])
			}
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
	var units []unit
	at := map[string]int{}
	for i := range d.Beta {
		if d.Groups == nil || d.Groups[i] == "" {
			units = append(units, unit{records: []int32{int32(i)}})
			continue
		}
		k, ok := at[d.Groups[i]]
		if !ok {
			k = len(units)
			at[d.Groups[i]] = k
			units = append(units, unit{})
		}
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

// cut returns the boundaries of strata of about the wanted size: those of equal
// parts, each moved up past units of the same β.
func cut(units []unit, size int) []int {
	parts := max(1, (len(units)+size/2)/size)
	cuts := []int{0}
	for k := 1; k < parts; k++ {
		c := k * len(units) / parts
		for c < len(units) && units[c].beta == units[c-1].beta {
			c++
		}
		if c > cuts[len(cuts)-1] && c < len(units) {
			cuts = append(cuts, c)
		}
	}
	return append(cuts, len(units))
}

// narrow adds boundaries where records of a stratum differ in β by more than the
// width.
func narrow(units []unit, cuts []int, d Design) []int {
	out := []int{0}
	for k := 1; k < len(cuts); k++ {
		low, high := matched(units[cuts[k-1]], d), matched(units[cuts[k-1]], d)
		for c := cuts[k-1] + 1; c < cuts[k]; c++ {
			wide := false
			for j, b := range matched(units[c], d) {
				low[j], high[j] = min(low[j], b), max(high[j], b)
				wide = wide || high[j]-low[j] > d.Width
			}
			if wide {
				out = append(out, c)
				low, high = matched(units[c], d), matched(units[c], d)
			}
		}
		out = append(out, cuts[k])
	}
	return out
}

// matched returns the β of a unit's records in the order in which they are
// matched.
func matched(u unit, d Design) []float64 {
	out := make([]float64, len(u.records))
	for j, i := range u.records {
		out[j] = d.Beta[i]
	}
	return out
}

// Strata returns the number of strata.
func (p *Plan) Strata() int { return len(p.strata) }

// Width returns the largest difference in β between records that may be
// exchanged; 0 where there is no limit.
func (p *Plan) Width() float64 { return p.width }

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

// Each calls f with the records of every stratum, in the order of strata.
func (p *Plan) Each(f func(records []int32)) {
	var records []int32
	for _, stratum := range p.strata {
		records = records[:0]
		for _, unit := range stratum {
			records = append(records, unit...)
		}
		f(records)
	}
}
