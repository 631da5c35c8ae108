package recheck

import (
	"context"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/confidence"
	"infnet/harness/question"
	"infnet/harness/spec"
	"infnet/harness/store"
	"infnet/harness/task"
)

// Study is what a recheck needs of a study.
type Study struct {
	*spec.Study
	Store    *store.Store
	Policies string          // the file of the policies that its run fitted
	Models   []Subject       // those that may be asked
	Collect  collect.Options // how they are asked, with what may be spent

	Warn   func(message string, about ...any)
	Notice func(store.Torn)
}

// Subject is a model whose stored answers are asked for again.
type Subject struct {
	*spec.Model
	ID     backends.ModelID
	Served []store.Served // what its servers said of themselves when the stored answers were asked
	Sets   []Set          // the datasets that it answers

	// Open opens the model and returns what its servers say of themselves now; nil = nothing.
	Open func(context.Context) (backends.Model, *store.Served, error)

	// Close is called when everything was asked.
	Close func() error
}

// Set is a model's work on one dataset.
type Set struct {
	*spec.Dataset
	Sheet *question.Sheet
	Job   collect.Job // of all its records
}

// request is the model's request for example i of a dataset.
func (s *Subject) request(set *Set, i int) backends.Request {
	return set.Sheet.Request(i, s.ID, s.Model)
}

// answers opens the answers to a dataset in a store.
func (s *Set) answers(from *store.Store) (*store.Answers, error) {
	return from.Answers(store.ID{Model: s.Job.Model, Dataset: s.Job.Hash, Name: s.Name})
}

// score is the confidence that a recheck compares: the study's, unless that is fitted on a fit part; of
// classifications, the probability.
func (st *Study) score(s *Set) confidence.Score {
	if s.Task == task.Classification {
		return confidence.Softmax
	}
	if st.Confidence.Generation == confidence.Sum {
		return confidence.Sum
	}
	return confidence.Exp
}

// held lists the stored answers of a model.
func (st *Study) held(ctx context.Context, s *Subject) (list []Item, err error) {
	for k := range s.Sets {
		set := &s.Sets[k]
		answers, err := set.answers(st.Store)
		if err != nil {
			return nil, err
		}
		defer answers.Close()
		for i := 0; i < set.Sheet.Len() && answers.Len() > 0; i++ {
			if i%1024 == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if key := s.request(set, i).Key(); answers.Has(key) {
				list = append(list, Item{ID: set.Sheet.Set.Examples[i].ID, Dataset: set.Name, Cause: notAsked, set: set,
					example: i, key: key})
			}
		}
	}
	return list, nil
}
