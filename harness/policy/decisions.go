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

// Outcome is the errors and deferrals of decisions on records.
type Outcome struct {
	N        int
	Deferred int
	Error    Count // errors of the cascade: the student's where accepted, the master's where deferred
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
