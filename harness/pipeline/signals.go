package pipeline

import (
	"context"
	"iter"
	"slices"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/question"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// defers reports whether a model is asked before another one on a dataset.
func (m *Model) defers(d *Dataset) bool { return m.before(m.study.Spec.Cascades, d) }

// before reports whether one of the cascades asks the model before another one on a dataset.
func (m *Model) before(list []spec.Cascade, d *Dataset) bool {
	return slices.ContainsFunc(list, func(c spec.Cascade) bool {
		at := slices.Index(c.Models, m.Name)
		return at >= 0 && at < len(c.Models)-1 && slices.Contains(c.Datasets, d.Name)
	})
}

// asksItself reports whether a signal asks the model for letters about its own answers.
func (m *Model) asksItself() bool {
	return question.AsksItself(m.study.Spec.Confidence.Signals) && slices.ContainsFunc(m.study.Datasets, m.defers)
}

// signalJobs are the requests to students that the study's signals take. Those about an answer depend on the answers
// that are on disk; a plan takes others for those that are not.
func signalJobs(ctx context.Context, st *Study, planned bool) (list []collect.Job) {
	if !slices.ContainsFunc(st.Spec.Confidence.Signals, func(s spec.Signal) bool { return s.Kind.Calls() }) {
		return nil
	}
	for _, m := range st.Models {
		from := len(list)
		for _, d := range st.Datasets {
			if m.Recording == nil && m.canAnswer(d) && m.defers(d) && calls(st, m.Name) {
				list = append(list, jobOf(ctx, m, d, signalItems(m, d, planned)))
			}
		}
		if len(list) > from && m.launch() != nil {
			list[len(list)-1].After = func() error { return stopServers(st) }
		}
	}
	return list
}

// signalItems yields the requests of a model's signals of its answers to a dataset.
func signalItems(m *Model, d *Dataset, planned bool) iter.Seq2[collect.Item, error] {
	return func(yield func(collect.Item, error) bool) {
		stored, err := m.answers(d)
		if err != nil {
			yield(collect.Item{}, err)
			return
		}
		defer stored.Close()
		for i, e := range d.Sheet.Set.Examples {
			given, err := m.given(d, i, stored)
			if err == nil && given.Lacks != nil {
				if given.Answer = (backends.Answer{Text: "an answer of " + m.Name}); !planned {
					continue
				}
			}
			asked := map[backends.Key]bool{} // two signals may be of the same samples
			for k := range m.study.Spec.Confidence.Signals {
				s := &m.study.Spec.Confidence.Signals[k]
				if err != nil || !s.Kind.Calls() || m.Samples != nil && question.Samples(s) {
					continue
				}
				for _, r := range d.Sheet.Asking(s, i, m.known.ID, m.Model, given.Answer) {
					if key := r.Key(); !asked[key] && !yield(collect.Item{ID: e.ID, Request: r}, nil) {
						return
					} else {
						asked[key] = true
					}
				}
			}
			if err != nil && !yield(collect.Item{}, err) {
				return
			}
		}
	}
}

// toCompare yields the answers and samples of students that signals compare by their embeddings, in the form that is
// graded. It calls lacks for each that is not on disk, but for answers that are embedded anyway.
func toCompare(st *Study, d *Dataset, yield func(text string) bool, lacks func()) bool {
	for _, m := range st.Models {
		if !st.Spec.Compares(d.Dataset) || !m.canAnswer(d) || !m.defers(d) || m.Recording != nil && m.Samples == nil {
			continue
		}
		stored, err := m.answers(d)
		if err != nil {
			return true // analysis reads the same file and reports it
		}
		ok := m.toCompare(d, stored, yield, lacks)
		stored.Close()
		if !ok {
			return false
		}
	}
	return true
}

func (m *Model) toCompare(d *Dataset, stored *store.Answers, yield func(text string) bool, lacks func()) bool {
	missed := map[backends.Key]bool{}
	for i := range d.Sheet.Len() {
		list := d.Sheet.Requests(i, m.known.ID, m.Model)
		own := len(list)
		for k := range m.study.Spec.Confidence.Signals {
			if s := &m.study.Spec.Confidence.Signals[k]; s.Cosine > 0 && m.Samples == nil {
				list = append(list, d.Sheet.Asking(s, i, m.known.ID, m.Model, backends.Answer{})...)
			}
		}
		for k, r := range list {
			key := r.Key()
			found, ok, err := stored.Get(key)
			if err != nil {
				return true
			}
			if said, states := d.Sheet.Said(found.Answer); ok && states && !yield(said.Text) {
				return false
			}
			if ok || missed[key] || k < own && question.Embeds(d.Dataset) {
				continue
			}
			if _, failed, _ := stored.Failure(key); !failed {
				missed[key] = true
				lacks()
			}
		}
	}
	return true
}
