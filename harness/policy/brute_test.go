package policy

import (
	"math"
	"slices"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

// brute finds the optimal thresholds by trying every combination of them,
// from the definition: it shares no code with the product but rounding.
type brute struct {
	rec     Records
	scale   float64
	student []float64
	master  []float64
	weight  []float64
	classes int
	pooled  bool
}

func newBrute(r Records, o Options, pooled bool) *brute {
	b := &brute{rec: r, scale: 1, classes: max(r.Classes, 1), pooled: pooled}
	if pooled {
		b.classes = 1
	}
	for _, col := range [][]float64{r.Student, r.Master} {
		for _, v := range col {
			if v != 0 && v != 1 {
				b.scale = 1 << 32
			}
		}
	}
	top := 0.0
	if o.Objective == Cost {
		top = slices.Max(r.MasterCost)
	}
	for i := range r.Beta {
		b.student = append(b.student, math.RoundToEven(r.Student[i]*b.scale))
		m := 0.0
		if r.Master != nil {
			m = math.RoundToEven(r.Master[i] * b.scale)
		}
		b.master = append(b.master, m)
		w := 1.0
		if o.Objective == Cost {
			if top > 0 {
				w = max(1, math.RoundToEven(r.MasterCost[i]/top*1e6))
			}
		}
		b.weight = append(b.weight, w)
	}
	return b
}

func (b *brute) class(i int) int {
	if b.pooled || b.rec.Class == nil {
		return 0
	}
	return b.rec.Class[i]
}

// candidates are the thresholds worth trying for a class: 0, its confidences
// but the least, +Inf. A class without records has +Inf alone.
func (b *brute) candidates(k int) []float64 {
	var us []float64
	for i, beta := range b.rec.Beta {
		if b.class(i) == k {
			us = append(us, beta)
		}
	}
	if len(us) == 0 {
		return []float64{math.Inf(1)}
	}
	slices.Sort(us)
	us = slices.Compact(us)
	us[0] = 0
	return append(us, math.Inf(1))
}

// outcome returns deferral weight and errors of thresholds.
func (b *brute) outcome(theta []float64) (d, e float64) {
	for i, beta := range b.rec.Beta {
		if beta >= theta[b.class(i)] {
			e += b.student[i]
		} else {
			e += b.master[i]
			d += b.weight[i]
		}
	}
	return d, e
}

// each calls f with every combination of thresholds, in lexicographic order.
func (b *brute) each(f func(theta []float64)) {
	lists := make([][]float64, b.classes)
	for k := range lists {
		lists[k] = b.candidates(k)
	}
	theta := make([]float64, b.classes)
	var rec func(k int)
	rec = func(k int) {
		if k == b.classes {
			f(theta)
			return
		}
		for _, u := range lists[k] {
			theta[k] = u
			rec(k + 1)
		}
	}
	rec(0)
}

// best returns the optimal thresholds under the fixed tie-break: fewest
// deferrals, fewest errors, lexicographically least. If nothing is within the
// budget: fewest errors, then fewest deferrals, then lexicographically least.
func (b *brute) best(budget func(least float64) float64) (theta []float64, d, e, least float64, feasible bool) {
	least = math.Inf(1)
	b.each(func(t []float64) { _, te := b.outcome(t); least = min(least, te) })
	limit := budget(least)
	d, e = math.Inf(1), math.Inf(1)
	feasible = least <= limit
	b.each(func(t []float64) {
		td, te := b.outcome(t)
		better := te <= limit && (td < d || td == d && te < e)
		if !feasible {
			better = te < e || te == e && td < d
		}
		if better {
			theta, d, e = slices.Clone(t), td, te
		}
	})
	return theta, d, e, least, feasible
}

// instance draws a small problem. The draws favour ties in β, empty classes,
// one class, and models that are always right or always wrong.
type instance struct {
	Records Records
	Options Options
}

func drawInstance(t *rapid.T) instance {
	n := rapid.IntRange(1, 14).Draw(t, "n")
	k := rapid.IntRange(1, 4).Draw(t, "classes")
	soft := rapid.Bool().Draw(t, "soft")
	oracle := rapid.Bool().Draw(t, "oracle")
	levels := rapid.IntRange(1, 12).Draw(t, "levels")
	errorOf := func(kind int, label string) float64 {
		switch {
		case kind == 0:
			return 0
		case kind == 1:
			return 1
		case soft:
			return float64(rapid.IntRange(0, 7).Draw(t, label)) / 7
		}
		return float64(rapid.IntRange(0, 1).Draw(t, label))
	}
	studentKind := rapid.IntRange(0, 9).Draw(t, "student kind")
	masterKind := rapid.IntRange(0, 9).Draw(t, "master kind")
	in := instance{Records: Records{Classes: k}}
	r := &in.Records
	for range n {
		r.Class = append(r.Class, rapid.IntRange(0, k-1).Draw(t, "class"))
		r.Beta = append(r.Beta, float64(rapid.IntRange(0, levels).Draw(t, "beta"))/float64(levels))
		r.Student = append(r.Student, errorOf(studentKind, "student"))
		r.Master = append(r.Master, errorOf(masterKind, "master"))
	}
	o := &in.Options
	if oracle {
		o.Setting, r.Master = Oracle, nil
	}
	if rapid.Bool().Draw(t, "by cost") {
		o.Objective = Cost
		for range n {
			r.MasterCost = append(r.MasterCost, float64(rapid.IntRange(0, 5).Draw(t, "cost")))
		}
	}
	targets := []string{"0", "1", "0.9", "0.5", "0.123", "0.75", "0.95", "0.666"}
	if !oracle {
		targets = append(targets, "master", "student", "best", "min")
	}
	o.Target, _ = ParseTarget(rapid.SampledFrom(targets).Draw(t, "target"))
	return in
}

// limit is the budget in units, from the definition.
func (b *brute) limit(target Target, least float64) float64 {
	var s, m float64
	for i := range b.student {
		s += b.student[i]
		m += b.master[i]
	}
	switch target.String() {
	case "master":
		return m
	case "student":
		return s
	case "best":
		return min(s, m)
	case "min":
		return least
	}
	// Thousandths are exact in float64 as integers, and so is the product.
	xi, _ := target.Numeric()
	thousandths, _ := xi.Float64()
	return math.Floor(float64(1000-int64(math.Round(thousandths*1000))) * float64(len(b.student)) * b.scale / 1000)
}
