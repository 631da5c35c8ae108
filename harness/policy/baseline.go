package policy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Decisions say for each record whether it is deferred to the master: what
// every policy and baseline comes to, and all that metrics need.
type Decisions []bool

// Deferred returns the number of deferred records.
func (d Decisions) Deferred() int {
	n := 0
	for _, x := range d {
		if x {
			n++
		}
	}
	return n
}

// NoneDeferred accepts every answer of the student.
func NoneDeferred(n int) Decisions { return make(Decisions, n) }

// AllDeferred asks the master about every record.
func AllDeferred(n int) Decisions {
	d := make(Decisions, n)
	for i := range d {
		d[i] = true
	}
	return d
}

// Uniform draws numbers in [0,1): a *rand.Rand of harness/seed, or a *NumPy.
type Uniform interface{ Float64() float64 }

// RandomDeferred defers each record with probability p, in record order: where
// a uniform draw is below p. For the published draw u is NewNumPy(42), a fresh
// one per dataset, and p is 0.5.
func RandomDeferred(n int, p float64, u Uniform) Decisions {
	d := make(Decisions, n)
	for i := range d {
		d[i] = u.Float64() < p
	}
	return d
}

// Expectation is what deferring at random comes to over all draws, exactly:
// means and standard deviations of one draw over these records.
type Expectation struct {
	N          int     `json:"n"`
	P          float64 `json:"p"`           // probability of deferring
	Deferral   float64 `json:"deferral"`    // expected fraction deferred, = P
	DeferralSD float64 `json:"deferral_sd"` // of that fraction
	Error      float64 `json:"error"`       // expected error per record
	ErrorSD    float64 `json:"error_sd"`
}

// RandomExpectation returns the exact expectation of RandomDeferred:
//
//	E[error] = (1/N) Σ (1−p)·e^s + p·e^m,   Var = p(1−p)·Σ(e^s−e^m)²/N²
func RandomExpectation(r Records, p float64) (Expectation, error) {
	if err := r.Validate(); err != nil {
		return Expectation{}, err
	}
	if !(p >= 0 && p <= 1) {
		return Expectation{}, fmt.Errorf("probability of deferring %v is outside [0,1]", p)
	}
	var student, master, square float64
	for i, s := range r.Student {
		m := r.masterError(i)
		student += s
		master += m
		square += float64((s - m) * (s - m))
	}
	n := float64(r.Len())
	return Expectation{
		N: r.Len(), P: p,
		Deferral: p, DeferralSD: math.Sqrt(p * (1 - p) / n),
		Error:   (float64((1-p)*student) + float64(p*master)) / n,
		ErrorSD: math.Sqrt(p*(1-p)*square) / n,
	}, nil
}

// OracleRouter is the headroom: it knows every error and takes, record by
// record, the model that makes less of one, the cheaper model where they make
// as much: the cheapest way to the least error. masterCheaper says which one
// that is.
func OracleRouter(r Records, masterCheaper bool) (Decisions, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	d := make(Decisions, r.Len())
	for i, s := range r.Student {
		m := r.masterError(i)
		d[i] = m < s || m == s && masterCheaper
	}
	return d, nil
}

// OracleRouterAt is the oracle router that stops at the budget: it defers
// where that saves most errors, earlier records first, until at most budget
// errors remain. With errors of 0 and 1 that is max(0, E_s − B) deferrals, the
// fewest possible. Where the records have master costs it defers where an error
// saved costs least, the cheapest way with errors of 0 and 1; with soft errors
// it is a good way, not always the cheapest.
// feasible is false if the budget is below what OracleRouter achieves; then
// the decisions are OracleRouter's. The budget must be one over these records.
func OracleRouterAt(r Records, budget Budget) (d Decisions, feasible bool, err error) {
	if err := r.Validate(); err != nil {
		return nil, false, err
	}
	if budget.N != r.Len() {
		return nil, false, fmt.Errorf("a budget over %d records for %d records", budget.N, r.Len())
	}
	scale := max(errorScale(r), budget.Errors.Scale)
	left := sumUnits(r.Student, scale) - budget.Errors.Units*(scale/budget.Errors.Scale)
	type saving struct {
		rec  int
		gain int64
	}
	var savings []saving
	for i, e := range r.Student {
		if gain := units(e, scale) - units(r.masterError(i), scale); gain > 0 {
			savings = append(savings, saving{i, gain})
		}
	}
	slices.SortStableFunc(savings, func(a, b saving) int {
		if r.MasterCost == nil {
			return cmp.Compare(b.gain, a.gain)
		}
		// Cost per error, cross-multiplied: gains are positive.
		return cmp.Or(cmp.Compare(r.MasterCost[a.rec]*float64(b.gain), r.MasterCost[b.rec]*float64(a.gain)), cmp.Compare(b.gain, a.gain))
	})
	d = make(Decisions, r.Len())
	for _, s := range savings {
		if left <= 0 {
			break
		}
		d[s.rec] = true
		left -= s.gain
	}
	return d, left <= 0, nil
}

// Outcome is what decisions come to on records.
type Outcome struct {
	N        int   `json:"n"`
	Deferred int   `json:"deferred"`
	Error    Count `json:"error"` // errors of the cascade: the student's where accepted, the master's where deferred
}

// Outcome counts the errors and deferrals of decisions on these records.
func (r Records) Outcome(d Decisions) (Outcome, error) {
	if err := r.Validate(); err != nil {
		return Outcome{}, err
	}
	if len(d) != r.Len() {
		return Outcome{}, fmt.Errorf("%d decisions for %d records", len(d), r.Len())
	}
	out := Outcome{N: len(d), Deferred: d.Deferred(), Error: Count{0, errorScale(r)}}
	for i, deferred := range d {
		e := r.Student[i]
		if deferred {
			e = r.masterError(i)
		}
		out.Error.Units += units(e, out.Error.Scale)
	}
	return out, nil
}

// masterError returns the master's error on record i.
func (r Records) masterError(i int) float64 {
	if r.Master == nil {
		return 0
	}
	return r.Master[i]
}
