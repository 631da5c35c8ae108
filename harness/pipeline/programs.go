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
func learner(st *Study, b spec.Baseline) (learn.Learner, error) {
	if st.Spec.FS != nil {
		return nil, fault.Spec.Wrap(fmt.Errorf("learner %q: a study inside infnet runs no programs", b.Program()))
	}
	l, err := program.Open(b.Program(), b.Command, filepath.Dir(st.Spec.File))
	if err != nil {
		return nil, fault.Model.Wrap(err)
	}
	return l, nil
}

// CheckLearners finds the programs of the baselines, so that a missing one is found before a model is called.
func CheckLearners(st *Study) error {
	for _, b := range st.Spec.Baselines {
		if b.Learner == learn.Command {
			if _, err := learner(st, b); err != nil {
				return err
			}
		}
	}
	return nil
}
