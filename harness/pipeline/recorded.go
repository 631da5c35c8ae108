package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/fault"
	"infnet/harness/recorded"
	"infnet/harness/task"
)

// recording is a model whose answers were recorded.
type recording struct{ *Model }

// revision identifies recorded answers: the file's content, the meaning of its columns, and the
// column of the data that they are joined on.
func (m recording) revision() (string, error) {
	content, err := hashFile(m.study.Spec.FS, m.Recording.File)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "infnet replay 1\n%s\n%q\n%q\n%q\n", content, m.Recording.Format, m.Recording.Filter,
		m.Recording.Columns)
	if m.Recording.Delimiter != 0 {
		fmt.Fprintf(h, "delimiter %q\n", m.Recording.Delimiter)
	}
	for _, d := range m.study.Datasets {
		if m.answersFor(d) {
			fmt.Fprintf(h, "%q %q\n", d.Name, d.IDColumn)
		}
	}
	if f := m.facts(); f != (recorded.Facts{}) {
		fmt.Fprintf(h, "facts %+v\n", f)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// facts say how grades and costs are read. They are the zero value for a study that reads none.
func (m recording) facts() recorded.Facts {
	a := m.Recording.Facts
	f := recorded.Facts{
		Wanted: m.study.Spec.Facts(), Correct: a.Correct, Score: a.Score, Cost: a.Cost, Currency: a.Currency,
		LatencyMS: a.LatencyMS, CachedTokens: a.CachedTokens, ReasoningTokens: a.ReasoningTokens, NullIsLow: a.NullIsLow,
		CachedApart: a.CachedApart, ReasoningApart: a.ReasoningApart,
	}
	for _, d := range m.study.Datasets {
		if m.answersFor(d) && d.Correct.Rule == task.Recorded && d.Correct.Tau > 0 {
			f.PreferScore = true
		}
	}
	if f.Wanted || f.Cost != "" {
		f.In = m.Currency
	}
	return f
}

// config joins the model's recorded answers to the study's requests by example id.
func (m recording) config() (*backends.ReplayConfig, error) {
	a := m.Recording
	o := recorded.Options{
		Path: a.File, FS: m.study.Spec.FS, Format: a.Format, Filter: a.Filter, Columns: recorded.Columns(a.Columns),
		Separator: a.Delimiter, Facts: m.facts(),
	}
	for _, d := range m.study.Datasets {
		if m.answersFor(d) {
			o.IDColumn = d.IDColumn
		}
	}
	list, err := recorded.Read(context.Background(), o)
	if err != nil {
		return nil, fault.Data.Wrap(m.placed(fmt.Errorf("model %s: answers: %w", m.Name, err)))
	}
	j := &join{model: m.Model, list: list, out: map[backends.Key]backends.Answer{}, used: make([]bool, len(list))}
	for _, d := range m.study.Datasets {
		if !m.canAnswer(d) {
			continue
		}
		if err := j.dataset(d); err != nil {
			return nil, fault.Data.Wrap(m.placed(fmt.Errorf("model %s: answers %s: %w", m.Name, a.File, err)))
		}
	}
	j.warnUnused()
	return &backends.ReplayConfig{Source: a.File, Answers: j.out}, nil
}

// join finds each request's recorded answer.
type join struct {
	model *Model
	list  []recorded.Row
	out   map[backends.Key]backends.Answer
	used  []bool // which of list belong to a record of the study
}

// warnUnused warns of answers that belong to no record of the study, such as answers to another
// dataset or to rows that were left out.
func (j *join) warnUnused() {
	n, first := 0, -1
	for k, used := range j.used {
		if !used {
			if n++; first < 0 {
				first = k
			}
		}
	}
	if n > 0 {
		j.model.study.events.Warn("recorded answers belong to no record that the study uses: they are left out", "model",
			j.model.Name,
			"answers", n, "of", len(j.list), "first", j.list[first].Place, "id", j.list[first].IDs[0])
	}
}

// dataset joins the answers to one dataset.
func (j *join) dataset(d *Dataset) error {
	byID, err := j.index(d)
	if err != nil {
		return err
	}
	defers := j.model.defersOn(d)
	joined, graded, scored, differing := 0, 0, 0, 0
	for i, e := range d.Sheet.Set.Examples {
		k, ok := byID[e.ID]
		if !ok {
			continue
		}
		joined++
		j.used[k] = true
		a, err := j.list[k].To(j.model.request(d, i), d.Labels)
		if err != nil {
			return err
		}
		if err := j.usable(d, a, defers); err != nil {
			return fmt.Errorf("%s: %w", j.list[k].Place, err)
		}
		if d.Correct.Rule == task.Recorded && a.Grade == nil && a.Failure == nil {
			a = backends.Answer{Key: a.Key, Failure: &backends.Failure{Cause: backends.NotRecorded,
				Message: j.list[k].Place + ": no grade is recorded with the answer"}}
		}
		if a.Failure == nil {
			graded++
		}
		if a.NoLogprobs && defers {
			a = backends.Answer{Key: a.Key, Failure: &backends.Failure{Cause: backends.NotRecorded,
				Message: "the recorded answer has no confidence, and the model's confidence decides"}}
		} else if a.Failure == nil {
			scored++
		}
		before, again := j.out[a.Key]
		switch {
		case !again || before.Failure != nil:
			j.out[a.Key] = a
		case a.Failure == nil && !reflect.DeepEqual(before, a):
			differing++
		}
	}
	switch {
	case joined == 0:
		return fmt.Errorf("none of its %d ids (such as %q) is that of a record of %s (such as %q): "+
			"name the columns of the ids, columns.id of the model and id of the dataset", len(j.list), j.list[0].IDs[0], d.Name,
			d.Sheet.Set.Examples[0].ID)
	case graded == 0 && d.Correct.Rule == task.Recorded:
		return errors.New("no answer has a grade, and correct = { rule = \"recorded\" } takes it over: name its column, " +
			"columns.correct (0, 1, true, false) or columns.score, or grade by another rule")
	case scored == 0 && defers:
		return fault.Model.Wrap(errors.New("no answer has a confidence, so the model can only be the last of a cascade: " +
			"record confidence, probs, logprobs or token_logprobs (columns.… names them), or put another model before it"))
	}
	if differing > 0 {
		j.model.study.events.Warn("records with equal prompts have different recorded answers: the first one serves for "+
			"all of them",
			"model", j.model.Name, "dataset", d.Name, "records", differing)
	}
	return nil
}

// index finds the answers to a dataset by its examples' ids.
func (j *join) index(d *Dataset) (map[string]int, error) {
	byID := map[string]int{}
	for k, a := range j.list {
		if a.Dataset != "" && a.Dataset != d.Name {
			continue
		}
		id := a.IDs[0]
		if d.IDColumn == "" && a.Number > 0 {
			id = strconv.Itoa(a.Number)
		}
		if first, again := byID[id]; again {
			return nil, fmt.Errorf("%s and %s both answer the record %q: record one answer for each", j.list[first].Place,
				a.Place, id)
		}
		byID[id] = k
	}
	return byID, nil
}

// usable returns an error for an answer that the study cannot use as it was recorded.
func (j *join) usable(d *Dataset, a backends.Answer, defers bool) error {
	if a.Failure != nil {
		return nil
	}
	score := j.model.study.Spec.Confidence.Generation
	if a.Whole && defers && score != confidence.Sum {
		return fmt.Errorf("the log-probability is of the whole answer, and confidence.generation = %q rests on the mean of "+
			"a token: record completion_tokens too, or set [confidence] generation = %q", score, confidence.Sum)
	}
	if c := d.Correct; c.Rule == task.Recorded && a.Grade != nil && c.Tau == 0 && *a.Grade != 0 && *a.Grade != 1 {
		return fmt.Errorf("the score %v is neither 0 nor 1: say from which score an answer is right, correct = "+
			"{ rule = \"recorded\", tau = 0.5 }, or set soft = true", *a.Grade)
	}
	return j.priced(a)
}

// priced returns an error for an answer whose cost the study needs and the file does not give.
func (j *join) priced(a backends.Answer) error {
	if a.Failure != nil {
		return nil
	}
	switch c := j.model.study.Spec.Cost.Model; c {
	case cost.TFLOPs, cost.Price, cost.Tokens:
		if a.Usage.Prompt.Plus(a.Usage.Completion).IsZero() {
			return fmt.Errorf("cost.model = %q needs the tokens of every answer: record prompt_tokens and completion_tokens, "+
				"or set cost.model = \"fixed\" and a fixed_cost for every model", c)
		}
	case cost.Recorded:
		if a.Cost == nil {
			return errors.New("cost.model = \"recorded\" needs the cost of every answer: name its column, columns.cost, or " +
				"set another cost.model")
		}
	case cost.Latency:
		if a.Latency <= 0 {
			return fmt.Errorf("cost.model = %q needs the time of every answer: record latency, in seconds, or latency_ms, or "+
				"set cost.model = \"fixed\" and a fixed_cost for every model", c)
		}
	}
	return nil
}
