package policy

import (
	"cmp"
	"math/big"
	"slices"
)

// Frontier is everything thresholds can do on a set of records: the
// Pareto-optimal points (errors, deferrals), from which a fit at any budget is
// read off. It keeps none of the caller's columns.
type Frontier struct {
	c      *columns
	ms     []menu
	hull   hullPath
	sums   *sums // several thresholds: the sums that the classes can reach
	points []coordinates
	whole  bool
}

// coordinates of a point: errors, in units, and objective.
type coordinates struct{ e, d int64 }

// Point is one Pareto-optimal outcome: no thresholds make as few errors with
// less deferral.
type Point struct {
	Error      Count
	Value      int64 // objective: deferrals, or millionths of the largest master cost of a query
	Deferred   int   // records
	Thresholds Thresholds
	// Price is the shadow price of the budget here: objective saved per error
	// more, along the convex hull of the frontier; the right derivative at a
	// vertex, and 0 where everything is accepted. It never rises along a
	// frontier.
	Price float64
	Hull  bool // the point lies on the hull's path of policies
}

// FrontierSingle computes the frontier of one threshold for all records, for
// errors of any kind: O(N) after a linear sort. Options.Target and Method are
// not used.
func FrontierSingle(r Records, o Options) (*Frontier, error) { return newFrontier(r, o, true) }

// FrontierMulti computes the frontier of one threshold per class. With errors
// of 0 and 1 it holds every Pareto-optimal point, found in one pass over the
// classes (see sums). With soft errors, or where the pass would exceed
// Options.WorkLimit or its memory, it holds the policies of the Lagrangian
// hull only, and Whole reports false: between them other thresholds may do
// better, and At still finds the best.
func FrontierMulti(r Records, o Options) (*Frontier, error) { return newFrontier(r, o, false) }

func newFrontier(r Records, o Options, single bool) (*Frontier, error) {
	o.Method = Exact
	if o.checkTarget() != nil {
		o.Target = Target{xi: big.NewRat(1, 1), source: "1"} // At takes a target of its own
	}
	c, err := newColumns(r, o)
	if err != nil {
		return nil, err
	}
	f := &Frontier{c: c, ms: c.menus(single), whole: true}
	c.r = Records{}
	f.hull = newHullPath(f.ms)
	if len(f.ms) == 1 {
		for _, x := range slices.Backward(f.ms[0]) {
			f.points = append(f.points, coordinates{x.e, x.d})
		}
		return f, nil
	}
	if c.scale == 1 {
		if f.sums = newSums(f.hull, c.o.WorkLimit); f.sums != nil {
			f.points = f.sums.frontier()
			return f, nil
		}
	}
	f.whole = false
	for i := range f.hull.e {
		f.points = append(f.points, coordinates{f.hull.e[i], f.hull.d[i]})
	}
	return f, nil
}

// Whole reports whether the frontier has every Pareto-optimal point, or else only
// those on the hull's path.
func (f *Frontier) Whole() bool { return f.whole }

func (f *Frontier) Len() int { return len(f.points) }

// Point returns point i, fewest errors first. With several thresholds it walks
// the classes: O(U) for U options.
func (f *Frontier) Point(i int) Point { return f.point(f.points[i], f.choice(i)) }

func (f *Frontier) HullLen() int { return len(f.hull.e) }

// HullPoint returns policy i of the Lagrangian hull frontier, fewest errors
// first. The policies are nested: what one accepts, all later ones accept.
func (f *Frontier) HullPoint(i int) Point {
	return f.point(coordinates{f.hull.e[i], f.hull.d[i]}, f.hull.choice(i))
}

func (f *Frontier) point(at coordinates, choice []int) Point {
	p := Point{
		Error: Count{at.e, f.c.scale}, Value: at.d, Thresholds: thresholds(f.ms, choice),
		Price: f.hull.price(at.e) * float64(f.c.scale),
	}
	_, p.Hull = slices.BinarySearch(f.hull.e, at.e)
	p.Hull = p.Hull && f.hull.d[f.hull.within(at.e)] == at.d
	for k, j := range choice {
		p.Deferred += int(f.ms[k][j].deferred)
	}
	return p
}

// choice returns the options of point i, the lexicographically smallest.
func (f *Frontier) choice(i int) []int {
	switch {
	case len(f.ms) == 1:
		return []int{len(f.points) - 1 - i}
	case f.sums != nil:
		return f.sums.walk(f.points[i])
	}
	return f.hull.choice(i)
}

// At returns the policy FitSingle or FitMulti with method Exact finds for the
// target: a look-up, O(log F + U) for F points. Where the frontier is not
// whole it is a search among the options kept.
func (f *Frontier) At(t Target) (Policy, error) {
	o := f.c.o
	o.Target = t
	if err := o.checkTarget(); err != nil {
		return Policy{}, err
	}
	if !f.whole {
		return f.c.fit(o, f.ms), nil
	}
	p := f.c.start(o, f.ms)
	i := 0 // an infeasible budget takes the fewest errors, which come first
	if p.Feasible {
		i = f.index(p.Budget.Errors.Units)
	}
	p.take(f.ms, f.choice(i), -1)
	return p, nil
}

// index returns the last point within a feasible budget.
func (f *Frontier) index(budget int64) int {
	i, hit := slices.BinarySearchFunc(f.points, budget, func(c coordinates, b int64) int { return cmp.Compare(c.e, b) })
	if !hit {
		i--
	}
	return i
}

// Nested returns policies from the least error towards accepting everything, each of which accepts all that the one
// before accepts: with one threshold the undominated policies; with several, the path of the convex hull. Of more than
// most it keeps so many, evenly spaced, the first and the last among them.
func Nested(r Records, o Options, single bool, most int) ([]Thresholds, error) {
	c, err := newColumns(r, o)
	if err != nil {
		return nil, err
	}
	ms := c.menus(single)
	hull := newHullPath(ms)
	n, choice := len(hull.e), hull.choice
	if len(ms) == 1 {
		n, choice = len(ms[0]), func(i int) []int { return []int{n - 1 - i} }
	}
	out := make([]Thresholds, min(n, most))
	for i := range out {
		out[i] = thresholds(ms, choice(i*(n-1)/max(len(out)-1, 1)))
	}
	return out, nil
}

// Mixture is a randomised policy: each query follows Strict with probability
// Alpha, else Lax, two neighbouring policies on the convex hull of the
// frontier. It meets the budget exactly in expectation, and no policy does
// better in expectation, randomised or not, that mixes thresholds of this form
// (the paper's risk–cost region and its convexity lemma). On one set of
// records the errors vary around the budget: they may exceed it.
type Mixture struct {
	Strict Thresholds // fewer errors, more deferrals
	Lax    Thresholds
	Alpha  float64 // probability of Strict ∈ [0,1]; α·E_strict + (1−α)·E_lax = b

	Budget   Budget
	Feasible bool // else both are the thresholds of least error
	// expected errors on the records fitted to; = the budget, or less if accepting all is within it
	Error    float64
	Value    float64 // expected objective
	Deferred float64 // expected deferred records
	// Best is the optimal deterministic policy within the same budget; what the
	// coin saves is its Certificate.Value − Value.
	Best Policy
}

// Mix returns the mixture that meets a target. O(log F + U).
func (f *Frontier) Mix(t Target) (Mixture, error) {
	best, err := f.At(t)
	if err != nil {
		return Mixture{}, err
	}
	m := Mixture{Budget: best.Budget, Feasible: best.Feasible, Best: best, Alpha: 1}
	i := 0
	if m.Feasible {
		i = f.hull.within(best.Budget.Errors.Units)
	}
	strict := f.HullPoint(i)
	lax := strict
	if m.Feasible && i+1 < f.HullLen() {
		lax = f.HullPoint(i + 1)
		m.Alpha = float64(lax.Error.Units-best.Budget.Errors.Units) / float64(lax.Error.Units-strict.Error.Units)
	}
	mean := func(a, b float64) float64 { return float64(m.Alpha*a) + float64((1-m.Alpha)*b) }
	m.Strict, m.Lax = strict.Thresholds, lax.Thresholds
	m.Error = mean(strict.Error.Float(), lax.Error.Float())
	m.Value = mean(float64(strict.Value), float64(lax.Value))
	m.Deferred = mean(float64(strict.Deferred), float64(lax.Deferred))
	return m, nil
}

// Expected returns the chance of deferral of each record: 0, 1, α or 1−α. With
// them a table shows the mixture's expectation instead of one draw.
func (m Mixture) Expected(r Records) []float64 {
	out := make([]float64, r.Len())
	for i, beta := range r.Beta {
		class := r.ClassOf(i)
		if !m.Strict.Accept(class, beta) {
			out[i] += m.Alpha
		}
		if !m.Lax.Accept(class, beta) {
			out[i] += 1 - m.Alpha
		}
		if out[i] > 1 {
			out[i] = 1 // α + (1−α) may round up
		}
	}
	return out
}
