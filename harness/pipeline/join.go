package pipeline

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/fault"
	"infnet/harness/recorded"
	"infnet/harness/task"
)

// join finds each request's recorded answer.
type join struct {
	model *Model
	list  []recorded.Row
	out   map[backends.Key]backends.Answer
	used  []bool // which of list belong to a record of the study
	again []int  // rows that say of a record what another file says

	dropped int           // rows that were not kept, as they belong to no record of the study
	first   *recorded.Row // the first of them
}

// keep tells the rows that the study uses, so that a file may be larger than memory. The first row stays in any case,
// for messages.
func (j *join) keep() func(recorded.Row) bool {
	wanted, numbered, any := map[string]bool{}, false, false
	for _, d := range j.model.study.Datasets {
		if !j.model.canAnswer(d) {
			continue
		}
		numbered = numbered || d.IDColumn == ""
		for _, e := range d.Sheet.Set.Examples {
			wanted[e.ID] = true
		}
	}
	return func(r recorded.Row) bool {
		first := !any
		any = true
		return first || wanted[r.IDs[0]] || r.Number > 0 && numbered
	}
}

// drop counts a row that is not kept.
func (j *join) drop(r recorded.Row) {
	if j.dropped++; j.first == nil {
		j.first = &recorded.Row{Place: r.Place, IDs: r.IDs}
	}
}

// warnUnused warns of answers that belong to no record of the study, such as answers to another
// dataset or to rows that were left out.
func (j *join) warnUnused() {
	for _, again := range j.again {
		j.used[again] = true // it says what another file says
	}
	n, first := j.dropped, j.first
	for k := len(j.used) - 1; k >= 0; k-- {
		if !j.used[k] {
			n++
			if j.first == nil || k == 0 {
				first = &j.list[k]
			}
		}
	}
	if n > 0 {
		j.model.study.events.Warn("recorded answers belong to no record that the study uses: they are left out", "model",
			j.model.Name, "file", j.model.Recording.File,
			"answers", n, "of", len(j.list)+j.dropped, "first", first.Place, "id", first.IDs[0])
	}
}

// dataset joins the answers to one dataset.
func (j *join) dataset(d *Dataset) error {
	byID, err := j.index(d)
	if err != nil {
		return err
	}
	defers := j.model.defersOn(d)
	n := tally{missing: -1}
	for i, e := range d.Sheet.Set.Examples {
		k, ok := byID[e.ID]
		if !ok {
			if n.missing < 0 {
				n.missing = i
			}
			continue
		}
		n.joined++
		j.used[k] = true
		a, err := j.answer(d, i, k)
		if err != nil {
			return err
		}
		if a.Failure == nil {
			n.graded++
		}
		if a.NoLogprobs && defers {
			a = unrecorded(a.Key, "the recorded answer has no confidence, and the model's confidence decides")
		} else if a.Failure == nil {
			n.scored++
			n.sure.add(a, j.list[k].Place)
		}
		before, again := j.out[a.Key]
		switch {
		case !again || before.Failure != nil:
			j.out[a.Key] = a
		case a.Failure == nil && !reflect.DeepEqual(before, a):
			n.differing++
		}
	}
	if err := j.refuse(d, n, defers); err != nil {
		return err
	}
	j.warn(d, n, defers)
	return nil
}

// tally counts what came of joining the answers to one dataset.
type tally struct {
	joined, graded, scored int
	differing              int // records whose prompt another record has, with another answer
	missing                int // the first record without an answer; -1 = there is none
	sure                   constant
}

// answer is a recorded answer to a record.
func (j *join) answer(d *Dataset, example, row int) (backends.Answer, error) {
	a, err := j.list[row].To(j.model.request(d, example), d.Labels)
	if err != nil {
		return a, err
	}
	if a.NoLogprobs && a.Failure == nil && j.model.Recording.Ties {
		a.NoLogprobs, a.Confidence = false, new(float64)
	}
	if err := j.usable(d, a, j.model.defersOn(d)); err != nil {
		return a, fmt.Errorf("%s: %w", j.list[row].Place, err)
	}
	if d.Correct.Rule == task.Recorded && a.Grade == nil && a.Failure == nil {
		a = unrecorded(a.Key, j.list[row].Place+": no grade is recorded with the answer")
	}
	return a, nil
}

func unrecorded(key backends.Key, why string) backends.Answer {
	return backends.Answer{Key: key, Failure: &backends.Failure{Cause: backends.NotRecorded, Message: why}}
}

// refuse returns an error where no answer can be used.
func (j *join) refuse(d *Dataset, n tally, defers bool) error {
	switch {
	case n.joined == 0:
		return fmt.Errorf("none of its %d ids (such as %q) is that of a record of %s (such as %q): "+
			"name the columns of the ids, columns.id of the model and id of the dataset", len(j.list)+j.dropped,
			j.list[0].IDs[0],
			d.Name,
			d.Sheet.Set.Examples[0].ID)
	case n.graded == 0 && d.Correct.Rule == task.Recorded:
		return errors.New("no answer has a grade, and correct = { rule = \"recorded\" } takes it over: name its column, " +
			"columns.correct (0, 1, true, false) or columns.score, or grade by another rule")
	case n.scored == 0 && defers:
		return fault.Model.Wrap(errors.New("no answer has a confidence, so the model can only be the last of a cascade: " +
			"record confidence, probs, logprobs or token_logprobs (columns.… names them), or put another model before it; " +
			"without_confidence = \"tie\" keeps all of its answers or none"))
	}
	return nil
}

// warn warns of what is odd about the answers to a dataset.
func (j *join) warn(d *Dataset, n tally, defers bool) {
	events, file := j.model.study.events, j.model.Recording.File
	if n.missing >= 0 {
		e, all := d.Sheet.Set.Examples[n.missing], len(d.Sheet.Set.Examples)
		events.Warn("records have no recorded answer and count as missing: record them, or leave their rows out of the "+
			"dataset", "model", j.model.Name, "file", file, "dataset", d.Name, "records", all-n.joined, "of", all,
			"first", fmt.Sprintf("%s: row %d", d.Source.Name, e.Row), "id", e.ID)
	}
	if defers && n.sure.same() && !j.model.Recording.Ties {
		events.Warn("every recorded confidence is the same, so it cannot tell which answers are right: name another "+
			"column, columns.confidence or columns.logprob, or put the model last", "model", j.model.Name, "file", file,
			"first", n.sure.place, "confidence", n.sure.beta)
	}
	if n.differing > 0 {
		events.Warn("records with equal prompts have different recorded answers: the first one serves for all of them",
			"model", j.model.Name, "dataset", d.Name, "records", n.differing)
	}
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
			if j.agree(first, k) {
				j.again = append(j.again, k)
				continue
			}
			return nil, fmt.Errorf("%s and %s both answer the record %q: record one answer for each", j.list[first].Place,
				a.Place, id)
		}
		byID[id] = k
	}
	return byID, nil
}

// agree reports whether two files say the same of one record.
func (j *join) agree(first, second int) bool {
	if len(j.model.Recording.AlsoFiles) == 0 {
		return false // one file has one row for a record
	}
	a, b := j.list[first], j.list[second]
	a.Place, b.Place = "", ""
	return reflect.DeepEqual(a, b)
}

// constant finds out whether all recorded confidences are one number.
type constant struct {
	n      int
	beta   float64
	place  string
	varies bool
}

func (c *constant) add(a backends.Answer, place string) {
	var beta float64
	switch {
	case a.Confidence != nil:
		beta = *a.Confidence
	case len(a.Tokens) > 0:
		for _, t := range a.Tokens {
			beta += t.Logprob / float64(len(a.Tokens))
		}
		beta = math.Exp(beta)
	default:
		c.varies = true // scores of labels
		return
	}
	if c.n == 0 {
		c.beta, c.place = beta, place
	}
	c.n++
	c.varies = c.varies || beta != c.beta
}

func (c *constant) same() bool { return c.n > 1 && !c.varies }

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
