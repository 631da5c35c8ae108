package records

import (
	"cmp"
	"fmt"
	"math"

	"infnet/backends"
	"infnet/harness/cost"
	"infnet/harness/question"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// Signal is a signal of the student's answers.
type Signal struct {
	spec.Signal
	Values  []float64 // by example, those of used examples set; −Inf is the least
	Cost    float64   // what its calls cost a query on the fit part, as the study sums costs up
	Missing string    // why it cannot be had; "" = it can
}

// Free reports whether the signal comes with the answer.
func (s *Signal) Free() bool { return s.Missing == "" && s.Cost == 0 }

// Signals are the study's signals of the student's answers.
func Signals(r *Records) (out []Signal, err error) {
	out = make([]Signal, len(r.Study.Confidence.Signals))
	for k, s := range r.Study.Confidence.Signals {
		if !s.Kind.Calls() {
			out[k] = freeSignal(r, s)
		} else if out[k], err = calledSignal(r, s); err != nil {
			return nil, fmt.Errorf("signal %s: %w", s.Name, err)
		}
	}
	return out, nil
}

// calledSignal reads a signal that takes further calls, and what these cost.
func calledSignal(r *Records, s spec.Signal) (Signal, error) {
	out, m := Signal{Signal: s, Values: make([]float64, len(r.Used))}, r.Student()
	own := m.Sampled() && question.Samples(&s)
	if m.Spec.Recording != nil && !own {
		out.Missing = "its answers are recorded ones, and nobody can ask it more"
		return out, nil
	}
	stored, err := r.in.Store.Answers(store.ID{Model: m.Facts.ID, Dataset: r.in.Sources[r.Dataset.Name],
		Name: r.Dataset.Name})
	if err != nil {
		return out, err
	}
	defer stored.Close()
	costs, without, used, why, says := make([]float64, len(r.Used)), 0, 0, "", false
	for i, is := range r.Used {
		if !is {
			continue
		}
		used++
		a, replies, cause := m.At(i), m.Samples(i), ""
		if !own {
			if replies, costs[i], cause, err = repliesTo(r, stored, &s, i, a); err != nil {
				return out, err
			}
		}
		if cause == "" {
			if out.Values[i], cause, err = r.Sheet.Asked(&s, a, replies, r.Vector); err != nil {
				return out, fmt.Errorf("record %s: %w", r.Set.Examples[i].ID, err)
			}
		}
		says = says || !math.IsInf(out.Values[i], -1)
		if cause != "" {
			without, why = without+1, cmp.Or(why, cause)
		}
	}
	switch {
	case without > 0:
		out.Missing = fmt.Sprintf("%s: %d of %d", why, without, used)
		return out, nil
	case !says:
		out.Missing = "no reply states a probability"
		return out, nil
	}
	out.Cost, err = cost.Summarise(cmp.Or(map[cost.Summary]cost.Summary{cost.Median: cost.Median}[r.Study.Cost.Summary],
		cost.Mean), Pick(costs, r.Fit), 0)
	return out, err
}

// repliesTo are the stored replies to a signal's requests, and what they cost; cause says why there are none.
func repliesTo(r *Records, stored *store.Answers, s *spec.Signal, i int, a backends.Answer) (
	out []backends.Answer, paid float64, cause string, err error) {
	m := r.Student()
	for _, q := range r.Sheet.Asking(s, i, m.Facts.ID, m.Spec, a) {
		found, ok, err := stored.Get(q.Key())
		if err == nil && !ok {
			cause, err = unanswered(stored, q.Key())
		}
		if c := backends.Cause(cause); c.Unsaid() { // a reply it is, and it was paid for
			found.Answer, cause = backends.Answer{Failure: &backends.Failure{Cause: c}}, ""
		}
		if err != nil || cause != "" {
			return nil, 0, "a reply is missing, " + cause, err
		}
		basis, _, err := basisOf(r, m)
		if err == nil {
			err = recordedCost(&basis, m.Spec, &found.Answer)
		}
		if err != nil {
			return nil, 0, "", err
		}
		one, err := cost.PerAnswer(r.Study.Cost.Model, basis, cost.Count(q, found.Answer, found.Answer.Usage),
			found.Answer.Latency)
		if err != nil {
			return nil, 0, "", err
		}
		out, paid = append(out, found.Answer), paid+one
	}
	return out, paid, "", nil
}

func freeSignal(r *Records, s spec.Signal) Signal {
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
