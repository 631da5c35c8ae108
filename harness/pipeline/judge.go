package pipeline

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/dataset/files"
	"infnet/harness/fault"
	"infnet/harness/policy"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/spec"
	"infnet/harness/store"
	"infnet/harness/task"
	"infnet/metrics/grade"
)

// judge is the model that says whether answers are right. Its answers are stored like any model's.
type judge struct {
	model *Model
	asked *question.Judge
	human records.Human
}

// judges reports whether the study's judge is asked about anything.
func judges(s *spec.Study) bool {
	return s.Judge != nil && slices.ContainsFunc(s.Datasets, func(d spec.Dataset) bool { return question.Judges(&d) })
}

// judges reports whether the model is the study's judge.
func (m *Model) judges() bool { return m.study.judge != nil && m.study.judge.model == m }

// newJudge prepares the study's judge, and reads the human grades.
func newJudge(ctx context.Context, st *Study) (*judge, error) {
	asked, err := question.NewJudge(st.Spec)
	if err != nil {
		return nil, fault.Spec.Wrap(err)
	}
	j := &judge{model: newModel(st, st.Spec.Judge.Model), asked: asked}
	asked.LabelMode = st.labelMode
	if st.Spec.Judge.Human != "" {
		if j.human, err = humanGrades(ctx, st); err != nil {
			return nil, fault.Data.Wrap(fmt.Errorf("human grades %s: %w", st.Spec.Judge.HumanText, err))
		}
	}
	return j, nil
}

// humanGrades reads what people say of answers: rows of id, model, correct and, where there are several, dataset. With
// an answer, a row is about that answer alone.
func humanGrades(ctx context.Context, st *Study) (records.Human, error) {
	out := records.Human{}
	o := files.Options{Path: st.Spec.Judge.Human, FS: st.Spec.FS}
	return out, files.Each(ctx, o, func(r files.Row) error {
		bad := func(err error) error {
			return fmt.Errorf("row %d: %w: want id, model, correct (true or false) and, of several datasets, dataset", r.Number,
				err)
		}
		var err error
		text := func(column string) string {
			s, e := r.Text(column)
			if err == nil {
				err = e
			}
			return s
		}
		id, model, said := text("id"), text("model"), text("correct")
		set := ""
		if r.Has("dataset") {
			set = text("dataset")
		} else if len(st.Datasets) == 1 {
			set = st.Datasets[0].Name
		}
		right, known := map[string]bool{"true": true, "1": true, "false": false, "0": false}[strings.ToLower(said)]
		switch {
		case err != nil:
			return bad(err)
		case !known:
			return bad(fmt.Errorf("correct is %q", said))
		case st.Dataset(set) == nil:
			return bad(fmt.Errorf("the study has no dataset %q", set))
		case st.Model(model) == nil:
			return bad(fmt.Errorf("the study has no model %q", model))
		}
		at, grade := records.Graded{Dataset: set, Model: model, ID: id}, records.HumanGrade{Right: right}
		if r.Has("answer") {
			answer := text("answer")
			if grade.Answer = &answer; err != nil {
				return bad(err)
			}
		}
		if before, again := out[at]; again && before.Right != right {
			return bad(fmt.Errorf("the answer of %s to %s has two grades", model, id))
		}
		out[at] = grade
		return nil
	})
}

// questions is how the judge is asked; nil = there is none.
func (j *judge) questions() *question.Judge {
	if j == nil {
		return nil
	}
	j.asked.ID = j.model.known.ID
	return j.asked
}

// check reports fields that its template names and a dataset lacks, and warns of human grades of no record.
func (j *judge) check() error {
	stray := len(j.human)
	for _, d := range j.model.study.Datasets {
		if d.Sheet == nil {
			stray = 0 // its records are not known
			continue
		}
		for _, e := range d.Sheet.Set.Examples {
			for _, m := range j.model.study.Models {
				if _, ok := j.human[records.Graded{Dataset: d.Name, Model: m.Name, ID: e.ID}]; ok {
					stray--
				}
			}
		}
	}
	if stray > 0 {
		j.model.study.events.Warn("human grades belong to no record that the study uses: they are left out", "file",
			j.model.study.Spec.Judge.HumanText, "grades", stray, "of", len(j.human))
	}
	for _, d := range j.model.study.Datasets {
		if d.Sheet != nil && question.Judges(d.Dataset) {
			if err := j.asked.Check(d.Sheet); err != nil {
				return err
			}
		}
	}
	return nil
}

// jobs are the judge's, one for each dataset. What it is asked depends on the answers that are on disk; a plan takes
// others for those that are not.
func (j *judge) jobs(ctx context.Context, planned bool) (list []collect.Job) {
	if j == nil || !j.model.available {
		return nil
	}
	for _, d := range j.model.study.Datasets {
		if d.Sheet == nil || !question.Judges(d.Dataset) {
			continue
		}
		list = append(list, jobOf(ctx, j.model, d, j.items(d, planned)))
	}
	if n := len(list); n > 0 && j.model.launch() != nil {
		list[n-1].After = func() error { return stopServers(j.model.study) }
	}
	return list
}

// items yields the questions about the answers to a dataset that the rules before the judge leave to it.
func (j *judge) items(d *Dataset, planned bool) iter.Seq2[collect.Item, error] {
	return func(yield func(collect.Item, error) bool) {
		grader, err := records.Grader(d.Dataset, nil)
		if err != nil {
			yield(collect.Item{}, err)
			return
		}
		for _, c := range j.model.study.Spec.Asked() {
			if !slices.Contains(c.Datasets, d.Name) {
				continue
			}
			for last := len(c.Models); last > 1; last-- {
				if !j.cascade(d, c.Models[:last], grader, planned, yield) {
					return
				}
				if j.model.study.Spec.Policy.Setting != policy.Oracle {
					break // else the pairs within a chain have masters of their own
				}
			}
		}
	}
}

// cascade yields the questions about the answers of a cascade's models.
func (j *judge) cascade(d *Dataset, models []string, grader *task.Grader, planned bool,
	yield func(collect.Item, error) bool) bool {
	answers := make([]*store.Answers, len(models))
	for k, name := range models {
		var err error
		if answers[k], err = j.model.study.Model(name).answers(d); err != nil {
			return yield(collect.Item{}, err)
		}
		defer answers[k].Close()
	}
	oracle := j.model.study.Spec.Policy.Setting == policy.Oracle
	for i, e := range d.Sheet.Set.Examples {
		said := make([][]task.Response, len(models)) // of each model its answer, and the samples that it is made of
		for k, name := range models {
			var err error
			if said[k], err = responses(j.model.study.Model(name), d, i, answers[k]); err != nil {
				return yield(collect.Item{}, err)
			}
			if said[k] == nil && planned {
				said[k] = []task.Response{{Text: "an answer of " + name}}
			}
		}
		reference, master := task.ReferenceOf(e, nil), said[len(models)-1]
		if oracle && master == nil {
			continue
		} else if oracle {
			reference = task.MasterReference(master[0])
		}
		for _, a := range slices.Concat(said...) {
			asked := false
			a.Judge = func() grade.Verdict { asked = true; return grade.Undecided }
			if _, err := grader.Grade(a, reference); err != nil {
				return yield(collect.Item{}, fmt.Errorf("record %s: %w", e.ID, err))
			}
			if !asked {
				continue
			}
			r := j.questions().Request(d.Sheet, i, reference.Texts, a.Text)
			if !yield(collect.Item{ID: e.ID, Request: r}, nil) {
				return false
			}
		}
	}
	return true
}

// responses are a model's stored answer to an example and its samples, in the form that is graded; nil = there is none.
func responses(m *Model, d *Dataset, i int, stored *store.Answers) (list []task.Response, err error) {
	given, err := m.given(d, i, stored)
	if err != nil || given.Lacks != nil {
		return nil, err
	}
	for _, a := range append([]backends.Answer{given.Answer}, given.Samples...) {
		said, ok := d.Sheet.Said(a)
		list = append(list, task.Response{Text: said.Text, None: !ok})
	}
	return list, nil
}

// everyModel lists the models that the study opens: those that answer, the embedder, the scorer and the judge.
func (st *Study) everyModel() (list []*Model) {
	list = slices.Clone(st.Models)
	for _, m := range []*Model{st.embedder, st.scorer} {
		if m != nil {
			list = append(list, m)
		}
	}
	if st.judge != nil {
		list = append(list, st.judge.model)
	}
	return list
}

// answering returns the model with this name that answers requests, the judge included; nil if there is none.
func (st *Study) answering(name string) *Model {
	if m := st.Model(name); m != nil || st.judge == nil || st.judge.model.Name != name {
		return m
	}
	return st.judge.model
}
