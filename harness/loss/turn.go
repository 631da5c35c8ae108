package loss

import (
	"cmp"
	"math"
	"slices"

	"infnet/harness/policy"
	"infnet/metrics/infer"
)

// Path is what the policies of a price path do on records that they were not fitted
// to. Policy j is taken at prices of an error from From[j] on, up to From[j−1]; what it
// accepts, all later ones accept.
type Path struct {
	From    []float64 // falling strictly, the last 0
	Accepts []int     // by record: the first policy that accepts it; len(From) = none
	Student []float64 // what the record costs at the student,
	Master  []float64 // and at the master
	More    []float64 // the student's error less the master's
}

// pathSteps is the largest number of policies of a price path that are measured.
const pathSteps = 200

// NewPath applies a price path to records: what each costs at the two models, and how
// many errors more the student makes.
func NewPath(path *policy.PricePath, r policy.Records, student, master, more []float64) Path {
	p := Path{Student: student, Master: master, More: more, Accepts: slices.Repeat([]int{math.MaxInt}, len(more))}
	n := path.Len()
	steps := min(n, pathSteps+1)
	for step := range steps {
		j := step * (n - 1) / max(1, steps-1)
		p.From = append(p.From, path.From(j))
		accept := path.Thresholds(j)
		for i, beta := range r.Beta {
			if p.Accepts[i] > step && accept.Accept(r.ClassOf(i), beta) {
				p.Accepts[i] = step
			}
		}
	}
	return p
}

// Turn is the price of an error from which on the master alone loses less than the
// path's policy; 0 = at every price, +Inf = at none.
//
//	Value = sup{ E : D(E) < 0 },   D(E) = mean cost of the cascade − master's + E·(its error − master's)
//	Low   = inf{ E : D(E) is not shown to be below 0 }
//	High  = sup{ E : D(E) is not shown to be above 0 }
//
// Each end is a single price at which a single difference is tested, on the records'
// resamples, so that the interval misses the true price no more often than its level
// says, but for how well a percentile interval keeps its own.
type Turn struct{ Value, Low, High float64 }

// TurnOf finds it. M. J. Zellinger and M. Thomson, "Economic Evaluation of LLMs" (2025),
// §3, compare two models at every price of an error; here the cascade changes with it.
func TurnOf(rs *infer.Resamples, p Path) (out Turn, err error) {
	t := turning{rs: rs, Path: p, point: make([]float64, 2*len(p.From))}
	t.each = rs.Several(len(t.point), func() func([]uint8, []float64) { return p.sums })
	p.sums(slices.Repeat([]uint8{1}, len(p.Accepts)), t.point)
	out.Value = t.last(func(point, _, _ float64) bool { return point < 0 })
	out.High = t.last(func(_, low, _ float64) bool { return low <= 0 })
	out.Low = t.first(func(_, _, high float64) bool { return high < 0 })
	return out, t.err
}

// sums fills in, for every policy, the sums over records of what the cascade costs more
// than the master alone, and of its errors more.
func (p Path) sums(counts []uint8, into []float64) {
	clear(into)
	students, masters, steps := 0.0, 0.0, len(p.From)
	for i, n := range counts {
		w := float64(n)
		students += float64(w * p.Student[i])
		masters += float64(w * p.Master[i])
		if at := p.Accepts[i]; at < steps {
			into[2*at] -= float64(w * p.Master[i])
			into[2*at+1] += float64(w * p.More[i])
		}
	}
	for j := 1; j < steps; j++ {
		into[2*j] += into[2*j-2]
		into[2*j+1] += into[2*j-1]
	}
	for j := range steps {
		if into[2*j] += students; math.Abs(into[2*j]) < 1e-9*masters {
			into[2*j] = 0 // rounding, of models that cost the same
		}
	}
}

// turning holds these sums on the records and on every resample.
type turning struct {
	Path
	rs    *infer.Resamples
	point []float64
	each  [][]float64
	err   error
}

// shows is something that the difference at a price shows, by its value and its interval.
type shows func(point, low, high float64) bool

// at reports what is shown of what policy j loses more than the master alone at a price, which may be +Inf.
func (t *turning) at(j int, price float64, is shows) bool {
	of := func(cost, errors float64) float64 {
		switch {
		case !math.IsInf(price, 1):
			return cost + float64(price*errors)
		case errors == 0:
			return cost
		}
		return math.Copysign(price, errors)
	}
	point := of(t.point[2*j], t.point[2*j+1])
	list := make([]float64, len(t.each[2*j]))
	for r := range list {
		list[r] = of(t.each[2*j][r], t.each[2*j+1][r])
	}
	low, high, err := t.rs.Range(list)
	t.err = cmp.Or(t.err, err)
	return is(point, min(low, point), max(high, point))
}

// prices are from where to where policy j is taken.
func (t *turning) prices(j int) (low, high float64) {
	if j == 0 {
		return t.From[0], math.Inf(1)
	}
	return t.From[j], t.From[j-1]
}

// last is the highest price at which something is still shown; 0 = at none, +Inf = at all high ones.
func (t *turning) last(is shows) float64 {
	for j := range t.From {
		switch low, high := t.prices(j); {
		case t.at(j, high, is):
			return high
		case t.at(j, low, is):
			return crossing(low, high, func(price float64) bool { return t.at(j, price, is) })
		}
	}
	return 0
}

// first is the lowest price at which something is no longer shown.
func (t *turning) first(is shows) float64 {
	for j := range slices.Backward(t.From) {
		switch low, high := t.prices(j); {
		case !t.at(j, low, is):
			return low
		case !t.at(j, high, is):
			return crossing(low, high, func(price float64) bool { return t.at(j, price, is) })
		}
	}
	return math.Inf(1)
}

// crossing is the price between low, where something is so, and high, where it is not, at which it ends.
// A billionth of what is between them counts as nothing.
func crossing(low, high float64, is func(float64) bool) float64 {
	start := low
	if math.IsInf(high, 1) {
		for high = max(2*low, 1e-9); is(high) && high < math.MaxFloat64/4; high *= 2 {
			low = high
		}
	}
	least := start + float64(1e-9*(high-start))
	for range 50 {
		middle := low + (high-low)/2
		if is(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	if high <= least {
		return start
	}
	return low + (high-low)/2
}
