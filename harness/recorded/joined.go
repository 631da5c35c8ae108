package recorded

import (
	"errors"
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/fault"
	"infnet/harness/task"
)

// refuse returns an error where no answer can be used.
func (j *join) refuse(s *joined) error {
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
	return nil
}

// warn warns of what is odd about the answers to a dataset.
func (j *join) warn(s *joined) {
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
	return j.priced(a)
}

// priced returns an error for an answer whose cost the study needs and the file does not give.
func (j *join) priced(a backends.Answer) error {
	if a.Failure != nil {
		return nil
	}
	switch c := j.Cost; c {
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
