package pipeline

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/program"
	"infnet/harness/question"
	"infnet/harness/records"
	learn "infnet/harness/router"
	"infnet/harness/spec"
)

// learner opens the program of a baseline that learns by one.
func learner(st *Study, b spec.Baseline) (learn.Learner, error) {
	if st.Spec.FS != nil {
		return learn.Learner{}, fault.Spec.Wrap(fmt.Errorf("learner %q: a study inside infnet runs no programs", b.Program()))
	}
	l, err := program.Open(b.Program(), b.Command, filepath.Dir(st.Spec.File))
	if err != nil {
		return learn.Learner{}, fault.Model.Wrap(err)
	}
	return l.Router(), nil
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

// findGraders finds the programs that grade, by dataset.
func findGraders(st *Study) error {
	for _, d := range st.Datasets {
		if !question.Programmed(d.Dataset) {
			continue
		}
		if st.Spec.FS != nil {
			return fault.Spec.Wrap(fmt.Errorf("dataset %s: a study inside infnet runs no programs", d.Name))
		}
		c, err := d.Correct, error(nil)
		if d.grader, err = program.OpenGrader(c.Program(), c.Command, c.Dir, c.Timeout); err != nil {
			return fault.Model.Wrap(fmt.Errorf("dataset %s: %w", d.Name, err))
		}
	}
	return nil
}

// checkGraders reports programs that grade and cannot be run here. Analysis reads their grades without them.
func checkGraders(st *Study) error {
	for _, d := range st.Datasets {
		if d.grader == nil {
			continue
		}
		if err := d.grader.Ready(); err != nil {
			return fault.Model.Wrap(fmt.Errorf("dataset %s: %w", d.Name, err))
		}
	}
	return nil
}

// grading covers every answer to a dataset that a program grades.
func grading(st *Study, d *Dataset) *derived {
	job := collect.TextJob[backends.Pair, *float64]{Making: collect.Grades, Model: d.grader.ID(),
		Name: d.Correct.Program(), All: answersToGrade(st, d),
		Open: func() (func(context.Context, []backends.Pair) ([]*float64, error), error) {
			return func(ctx context.Context, list []backends.Pair) ([]*float64, error) {
				scores, err := d.grader.Grade(ctx, list)
				return scores, fault.Model.Wrap(err)
			}, nil
		}}
	return derive(st, nil, job, derived{
		what: "answers to grade",
		adds: func(of *Dataset, p collect.Planned) int {
			if of != d {
				return 0
			}
			return p.Calls
		},
	})
}

// answersToGrade yields every answer to a dataset that was found in its reply.
func answersToGrade(st *Study, d *Dataset) iter.Seq[backends.Pair] {
	return func(yield func(backends.Pair) bool) {
		if d.Sheet != nil {
			answered(st, d, func(i int, text string, found bool) bool {
				return !found || yield(d.Sheet.ToGrade(i, text))
			})
		}
	}
}

// graders opens the grades of the study's programs for reading.
func graders(st *Study) (list map[string]records.Grades, done func(), err error) {
	list = map[string]records.Grades{}
	done = func() {
		for _, j := range list {
			j.Grades.Close()
		}
	}
	for _, d := range st.Datasets {
		if d.grader != nil {
			grades, err := st.store.Grades(d.grader.ID())
			if err != nil {
				return nil, done, err
			}
			list[d.Name] = records.Grades{Digest: d.grader.Digest(), Grades: grades}
		}
	}
	return list, done, nil
}
