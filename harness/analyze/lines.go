package analyze

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/task"
)

// WriteLines writes a line per cascade and record, and yields each record that is written. An error ends them.
func WriteLines(w io.Writer, o *Output) iter.Seq2[result.Record, error] {
	return func(yield func(result.Record, error) bool) {
		out := bufio.NewWriterSize(w, 1<<16)
		var buffer []byte
		for _, a := range o.Datasets {
			r := a.Records
			part := slices.Repeat([]string{result.PartUnused}, len(r.Set.Examples))
			for _, i := range r.Fit {
				part[i] = result.PartFit
			}
			for _, i := range r.Test {
				part[i] = result.PartTest
			}
			for i := range part {
				line := lineOf(r, a.rows, i)
				line.Part = part[i]
				var err error
				if buffer, err = line.AppendLine(buffer[:0]); err != nil {
					err = fmt.Errorf("dataset %s: %w", r.Dataset.Name, err)
				} else {
					_, err = out.Write(buffer)
				}
				if !yield(line, err) || err != nil {
					return
				}
			}
		}
		if err := out.Flush(); err != nil {
			yield(result.Record{}, err)
		}
	}
}

func lineOf(r *records.Records, all rows, i int) result.Record {
	e := &r.Set.Examples[i]
	l := result.Record{
		Cascade: r.Cascade.Name, Dataset: r.Dataset.Name, ID: e.ID, Row: e.Row, Group: e.Group, Content: r.Set.Content(i),
		Prompt: r.Sheet.Request(i, r.Student().Facts.ID, r.Student().Spec).Shown(), References: e.References,
		Class: className(r, e.Class),
	}
	l.Models = make([]result.RecordAnswer, len(r.Models))
	for m := range r.Models {
		l.Models[m] = recordAnswer(r, i, m)
	}
	for k := range all {
		if x := &all[k]; x.places != nil && x.places[i] > 0 {
			l.Decisions = append(l.Decisions, decision(r, x, i))
		}
	}
	return l
}

func decision(r *records.Records, x *row, i int) result.Decision {
	place := int(x.places[i]) - 1
	asked := x.plan.models[:place+1]
	switch x.plan.charge {
	case cost.Router:
		asked = asked[place:]
	}
	made := result.Decision{Policy: x.Policy, Deferred: asked[len(asked)-1] == r.Last()}
	if r.IsChain() {
		made.Asked, made.Stage = asked, x.plan.models[place]
	}
	if x.learned != nil {
		made.Score, made.Theta = &x.scores[i], (*result.Float)(x.family.chosen.theta)
	}
	if x.fitted == nil {
		return made
	}
	thetas := x.fitted.Policy.Thresholds
	switch {
	case r.IsChain():
		for _, theta := range thetas {
			made.Thetas = append(made.Thetas, result.Float(theta))
		}
	case x.fitted.isSingle():
		made.Theta = (*result.Float)(&thetas[0])
	default:
		made.Theta = (*result.Float)(&thetas[r.Student().Class[i]])
	}
	return made
}

func recordAnswer(r *records.Records, i, m int) result.RecordAnswer {
	of := &r.Models[m]
	h := result.RecordAnswer{Model: r.Cascade.Models[m], Key: of.Keys[i].String()}
	if !of.Has(i) {
		h.Cause = of.Cause(i)
		return h
	}
	given, read := r.Look(m, i)
	said, _ := r.Sheet.Said(given)
	h.Text, h.Truncated, h.Finish, h.AnsweredBy = said.Text, given.Truncated, string(given.Finish), given.Model
	if len(r.Dataset.Answer) > 0 {
		h.Reply, h.At = given.Text, []int{said.Start, said.End}
	}
	n := records.Tokens(r, i, m, given)
	h.Prompted, h.Completed, h.LatencySecs = n.Prompt, n.Completion, given.Latency.Seconds()
	h.Thought, h.Refused = given.Usage.Thoughts, of.Refused(i)
	switch { // which counts are estimates
	case n.PromptEstimated && n.CompletionEstimated:
		h.Estimated = "both"
	case n.PromptEstimated:
		h.Estimated = "prompt"
	case n.CompletionEstimated:
		h.Estimated = "completion"
	}
	for _, group := range r.Sheet.Votes(of.Samples(i)) {
		h.Votes = append(h.Votes, len(group))
	}
	if mass, ok := given.Mass(); ok {
		h.LabelMass = []result.Float{result.Float(mass.Low), result.Float(mass.High)}
	}
	if backends.Equal(given.Tokens) {
		h.Equal, given.Tokens = len(given.Tokens), given.Tokens[:1]
	}
	if len(given.Tokens) > 0 {
		h.Tokens = make([]result.RecordToken, len(given.Tokens))
	}
	for k, t := range given.Tokens {
		h.Tokens[k] = result.RecordToken{Text: t.Text, Logprob: result.Float(t.Logprob), End: t.End}
	}
	h.Probs = make([]result.Float, len(read.Probs))
	for k, p := range read.Probs {
		h.Probs[k] = result.Float(p)
	}
	h.Class = className(r, read.Class)
	if r.Used[i] {
		gradeAnswer(&h, r, i, m, read)
	}
	return h
}

func gradeAnswer(h *result.RecordAnswer, r *records.Records, i, m int, read confidence.Reading) {
	of := &r.Models[m]
	h.Beta, h.BetaLow, h.BetaHigh = of.Beta[i], read.Low, read.High
	if !of.Unscored(i) {
		h.Unseen = read.Missing
	}
	h.Correct, h.Error, h.Cost = of.IsRight(i), of.Errs[i], of.Costs[i]
	if of.By != nil {
		h.By = string(of.By[i])
	}
	if beta, ok := r.JudgeBeta(m, i); ok && of.By[i] == task.Judge {
		h.Judge = &beta
	}
	h.Human = r.HumanGrade(m, i)
	if len(of.Scores) > 0 {
		h.Scores = make(map[string]result.Float, len(of.Scores))
	}
	for name, scores := range of.Scores {
		if v := scores[i]; !math.IsNaN(v) {
			h.Scores[string(name)] = result.Float(v)
		}
	}
}
