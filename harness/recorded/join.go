package recorded

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/dataset"
	"infnet/harness/fault"
	"infnet/harness/store"
	"infnet/harness/task"
)

// Asked is a dataset that recorded answers answer.
type Asked struct {
	Name, Source string
	IDColumn     string // "" = ids are row numbers
	Examples     []dataset.Example
	Labels       []dataset.Label
	Rule         task.Rule // by which an answer is right
	Tau          float64   // the score from which it is; 0 = grades are 0 or 1
	Defers       bool      // the confidence of an answer decides who is asked next
	Request      func(example int) backends.Request
}

// Needs says what else is asked of every answer.
type Needs struct {
	Generation confidence.Score // of an answer that is no label
	Cost       cost.Model
	Ties       bool // an answer without a confidence has the confidence 0

	Warn func(message string, about ...any) // of what is odd about the answers
}

// Join joins the answers of one model to the requests of datasets by example id.
func Join(ctx context.Context, o Options, sets []Asked, needs Needs) (*store.Tape, error) {
	j := &join{Needs: needs, path: o.Path, tape: &store.Tape{}, shared: map[int32]backends.Key{}}
	for _, d := range sets {
		n := len(d.Examples)
		s := &joined{Asked: d, byID: make(map[string]int, n), answer: make([]int32, n), place: make([]string, n)}
		for i, e := range d.Examples {
			s.byID[e.ID], s.answer[i] = i, -1
		}
		j.sets = append(j.sets, s)
	}
	var wrong error // of a row that was read, and does not fit
	err := Each(ctx, o, func(r Row) error {
		wrong = j.row(r)
		return wrong
	})
	if wrong == nil && err != nil {
		return nil, err
	}
	if err = wrong; err == nil {
		err = j.finish()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.path, err)
	}
	return j.tape, nil
}

// join finds each request's recorded answer. Rows pass through one at a time, so that files may be larger than memory:
// what stays of a row is a number, and its answer goes to a tape.
type join struct {
	Needs
	path string
	tape *store.Tape
	sets []*joined

	rows   int    // seen so far
	first  string // the id of the first one
	unused int    // rows that belong to no record of the study, such as answers to another dataset
	stray  struct{ place, id string }
	shared map[int32]backends.Key // the answers whose requests are those of several records
}

// joined is what is known of the answers to one dataset.
type joined struct {
	Asked
	byID   map[string]int
	answer []int32 // by example: its number on the tape; -1 = no row
	place  []string

	joined, graded, scored int
	differing              int // records whose prompt another record has, with another answer
	sure                   Confidences
}

func (j *join) row(r Row) error {
	if j.rows++; j.rows == 1 {
		j.first = r.ID
	}
	used := ""
	for _, s := range j.sets {
		if r.Dataset != "" && r.Dataset != s.Name {
			continue
		}
		id := r.ID
		if s.IDColumn == "" && r.Number > 0 {
			id = strconv.Itoa(r.Number)
		}
		if i, ok := s.byID[id]; ok {
			if used != "" {
				return fmt.Errorf("%s: %q is a record of the datasets %s and %s, and nothing says of which this is the answer: "+
					"columns = { dataset = \"COLUMN\" } with the datasets' names in this study, or a model per dataset",
					r.Place, id, used, s.Name)
			}
			used = s.Name
			if err := j.take(s, i, r); err != nil {
				return err
			}
		}
	}
	if used == "" {
		if j.unused++; j.unused == 1 {
			j.stray.place, j.stray.id = r.Place, r.ID
		}
	}
	return nil
}

// take joins a row to example i of a dataset.
func (j *join) take(s *joined, i int, r Row) error {
	a, err := r.To(s.Request(i), s.Labels)
	if err != nil {
		return err
	}
	if a.NoLogprobs && a.Failure == nil && j.Ties {
		a.NoLogprobs, a.Confidence = false, new(float64)
	}
	if err := j.usable(s, a); err != nil {
		return fmt.Errorf("%s: %w", r.Place, err)
	}
	if s.Rule == task.Recorded && a.Grade == nil && a.Failure == nil {
		a = missing(a.Key, r.Place+": no grade is recorded with the answer")
	}
	graded := a.Failure == nil
	if a.NoLogprobs && s.Defers {
		a = missing(a.Key, "the recorded answer has no confidence, and the model's confidence decides")
	}
	if s.answer[i] >= 0 {
		return fmt.Errorf("%s and %s both answer the record %q: record one answer for each", s.place[i], r.Place,
			s.Examples[i].ID)
	}
	if s.joined++; graded {
		s.graded++
	}
	if a.Failure == nil {
		s.scored++
		s.sure.Add(a.Confidence, a.Tokens, i, r.Place)
	}
	n, err := j.tape.Add(a)
	if err != nil {
		return fault.Store.Wrap(err)
	}
	s.answer[i], s.place[i] = int32(n), r.Place
	if before, again := j.tape.Served(a.Key); again {
		j.shared[int32(before)], j.shared[int32(n)] = a.Key, a.Key
	} else {
		j.tape.Serve(a.Key, n)
	}
	return nil
}

// finish settles what depends on all rows, and says what is odd.
func (j *join) finish() error {
	if err := j.settle(); err != nil {
		return err
	}
	for _, s := range j.sets {
		switch {
		case s.joined == 0:
			return fmt.Errorf("none of its %d ids (such as %q) is that of a record of %s (such as %q): "+
				"name the columns of the ids, columns.id of the model and id of the dataset", j.rows, j.first, s.Name,
				s.Examples[0].ID)
		case s.graded == 0 && s.Rule == task.Recorded:
			return errors.New("no answer has a grade, and correct = { rule = \"recorded\" } takes it over: name its column, " +
				"columns.correct (0, 1, true, false) or columns.score, or grade by another rule")
		case s.scored == 0 && s.Defers:
			return fault.Model.Wrap(errors.New("no answer has a confidence, so the model can only be the last of a cascade: " +
				"record confidence, probs, logprobs or token_logprobs (columns.… names them), or put another model before it; " +
				"without_confidence = \"tie\" keeps all of its answers or none"))
		}
		if missing := slices.Index(s.answer, -1); missing >= 0 {
			e, all := s.Examples[missing], len(s.answer)
			j.Warn("records have no recorded answer and count as missing: record them, or leave their rows out of the dataset",
				"file", j.path, "dataset", s.Name, "records", all-s.joined, "of", all, "first",
				fmt.Sprintf("%s: row %d", s.Source, e.Row), "id", e.ID)
		}
		if s.Defers && s.sure.Same() && !j.Ties {
			j.Warn("every recorded confidence is the same, so it cannot tell which answers are right: name another "+
				"column, columns.confidence or columns.logprob, or put the model last", "file", j.path,
				"first", s.sure.Place, "confidence", s.sure.Value)
		}
		if s.differing > 0 {
			j.Warn("records with equal prompts have different recorded answers: the first one serves for all of them",
				"dataset", s.Name, "records", s.differing)
		}
	}
	if j.unused > 0 {
		j.Warn("recorded answers belong to no record that the study uses: they are left out", "file", j.path, "answers",
			j.unused, "of", j.rows, "first", j.stray.place, "id", j.stray.id)
	}
	return nil
}

// settle decides which answer serves where records have one request: the first one, in the order of the data, that is
// no failure.
func (j *join) settle() error {
	serves := map[backends.Key]backends.Answer{}
	for _, s := range j.sets {
		for _, n := range s.answer {
			key, shared := j.shared[n]
			if !shared {
				continue
			}
			a, err := j.tape.At(int(n))
			if err != nil {
				return fault.Store.Wrap(err)
			}
			switch before, again := serves[key]; {
			case !again || before.Failure != nil:
				serves[key] = a
				j.tape.Serve(key, int(n))
			case a.Failure == nil && !reflect.DeepEqual(before, a):
				s.differing++
			}
		}
	}
	return nil
}

// usable returns an error for an answer that the study cannot use as it was recorded.
func (j *join) usable(s *joined, a backends.Answer) error {
	if a.Failure != nil {
		return nil
	}
	if score := j.Generation; a.Whole && s.Defers && score != confidence.Sum {
		return fmt.Errorf("the log-probability is of the whole answer, and confidence.generation = %q rests on the mean of "+
			"a token: record completion_tokens too, or set [confidence] generation = %q", score, confidence.Sum)
	}
	if s.Rule == task.Recorded && a.Grade != nil && s.Tau == 0 && *a.Grade != 0 && *a.Grade != 1 {
		return fmt.Errorf("the score %v is neither 0 nor 1: say from which score an answer is right, correct = "+
			"{ rule = \"recorded\", tau = 0.5 }, or set soft = true", *a.Grade)
	}
	switch c := j.Cost; c { // does the file give what the study needs?
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
