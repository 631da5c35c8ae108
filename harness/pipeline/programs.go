package pipeline

import (
	"fmt"
	"path/filepath"

	"infnet/harness/fault"
	"infnet/harness/program"
	learn "infnet/harness/router"
	"infnet/harness/spec"
)

// learner opens the program of a baseline that learns by one.
func (st *Study) learner(b spec.Baseline) (learn.Learner, error) {
	if st.Spec.FS != nil {
		return nil, fault.Spec.Wrap(fmt.Errorf("learner %q: a study inside infnet runs no programs", b.Program()))
	}
	l, err := program.Open(b.Program(), b.Command, filepath.Dir(st.Spec.File))
	if err != nil {
		return nil, fault.Model.Wrap(err)
	}
	return l, nil
}

// learners are the learners that are none of package router's.
func (st *Study) learners() map[learn.Kind]func(spec.Baseline) (learn.Learner, error) {
	return map[learn.Kind]func(spec.Baseline) (learn.Learner, error){learn.Command: st.learner}
}

// CheckLearners finds the programs of the baselines, so that a missing one is found before a model is called.
func (st *Study) CheckLearners() error {
	for _, b := range st.Spec.Baselines {
		if b.Learner == learn.Command {
			if _, err := st.learner(b); err != nil {
				return err
			}
		}
	}
	return nil
}
