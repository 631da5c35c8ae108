package records

import (
	"cmp"
	"fmt"
	"math"

	"infnet/harness/spec"
)

// Signal is a signal of the student's answers.
type Signal struct {
	spec.Signal
	Values  []float64 // by example, those of used examples set; −Inf is the least
	Missing string    // why it cannot be had; "" = it can
}

// Signals are the study's signals of the student's answers.
func Signals(r *Records) []Signal {
	out := make([]Signal, len(r.Study.Confidence.Signals))
	for k, s := range r.Study.Confidence.Signals {
		out[k] = signalOf(r, s)
	}
	return out
}

func signalOf(r *Records, s spec.Signal) Signal {
	out := Signal{Signal: s, Values: make([]float64, len(r.Used))}
	cause, without, with := "", 0, 0
	for i, used := range r.Used {
		if !used {
			continue
		}
		a, err := r.Sheet.Heard(r.Student().At(i))
		why := "their tokens do not spell their text"
		if err == nil {
			if r.Student().Sampled() {
				a.Confidence = nil // it is the share of votes
			}
			out.Values[i], why = s.Kind.Read(a, s.Q)
		}
		if why != "" {
			cause, without = cmp.Or(cause, why), without+1
		} else if !math.IsInf(out.Values[i], -1) {
			with++
		}
	}
	out.Missing = cause
	if without > 0 && with > 0 {
		out.Missing = fmt.Sprintf("%s: %d of %d", cause, without, without+with)
	}
	return out
}
