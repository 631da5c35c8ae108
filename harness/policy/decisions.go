package policy

import "fmt"

// Decisions say for each record whether it is deferred to the master. Every policy
// and baseline yields them, and metrics need nothing else.
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

// Uniform draws numbers in [0,1): a stream of harness/seed, or its NumPy.
type Uniform interface{ Float64() float64 }

// RandomDeferred defers each record with probability p, in record order: where
// a uniform draw is below p. For the published draw u is seed.NewNumPy(42), a fresh
// one per dataset, and p is 0.5.
func RandomDeferred(n int, p float64, u Uniform) Decisions {
	d := make(Decisions, n)
	for i := range d {
		d[i] = u.Float64() < p
	}
	return d
}

// Outcome is the errors and deferrals of decisions on records.
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
	out := Outcome{N: len(d), Deferred: d.Deferred(), Error: Count{0, Scale(r.Student, r.Master)}}
	for i, deferred := range d {
		e := r.Student[i]
		if deferred {
			e = r.MasterError(i)
		}
		out.Error.Units += Units(e, out.Error.Scale)
	}
	return out, nil
}

// MasterError returns the master's error on record i.
func (r Records) MasterError(i int) float64 {
	if r.Master == nil {
		return 0
	}
	return r.Master[i]
}
