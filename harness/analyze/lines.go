package analyze

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"math"

	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/result"
	"infnet/harness/task"
)

// WriteLines writes a line per cascade and record, and yields each record that is written. An error ends them.
func WriteLines(w io.Writer, o *Output) iter.Seq2[result.Record, error] {
	return func(yield func(result.Record, error) bool) {
		out := bufio.NewWriterSize(w, 1<<16)
		var buffer []byte
		for _, a := range o.Datasets {
			part := a.partNames()
			for i := range a.Set.Examples {
				line := a.line(i, part[i])
				var err error
				if buffer, err = line.AppendLine(buffer[:0]); err != nil {
					err = fmt.Errorf("dataset %s: %w", a.Dataset.Name, err)
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

// partNames returns the part of every example.
func (a *Analysed) partNames() []string {
	names := make([]string, len(a.Set.Examples))
	for i := range names {
		names[i] = result.PartUnused
	}
	for _, i := range a.Fit {
		names[i] = result.PartFit
	}
	for _, i := range a.Test {
		names[i] = result.PartTest
	}
	return names
}

func (a *Analysed) line(i int, part string) result.Record {
	e := &a.Set.Examples[i]
	l := result.Record{
		Cascade: a.Cascade.Name, Dataset: a.Dataset.Name, ID: e.ID, Row: e.Row, Group: e.Group, Part: part,
		Content: a.Set.Content(i),
		Prompt:  a.Sheet.Request(i, a.Student().Facts.ID, a.Student().Spec).Shown(), References: e.References,
	}
	if e.Class >= 0 && e.Class < len(a.Dataset.Labels) {
		l.Class = a.Dataset.Labels[e.Class].Class
	}
	l.Models = make([]result.RecordAnswer, len(a.Models))
	for m := range a.Models {
		l.Models[m] = a.recordAnswer(i, m)
	}
	for k := range a.rows {
		if x := &a.rows[k]; x.places != nil && x.places[i] > 0 {
			l.Decisions = append(l.Decisions, a.decision(&a.rows[k], i))
		}
	}
	return l
}

// decision is what a row decided about record i.
func (a *Analysed) decision(x *row, i int) result.Decision {
	place := int(x.places[i]) - 1
	asked := x.plan.asks(place)
	made := result.Decision{Policy: x.Policy, Deferred: asked[len(asked)-1] == a.Last()}
	if a.IsChain() || x.plan.charge == cost.Parallel {
		made.Asked, made.Stage = asked, x.plan.models[place]
	}
	float := func(v float64) *result.Float { return (*result.Float)(&v) }
	switch {
	case x.learned != nil:
		made.Score, made.Theta = &x.scores[i], float(*x.family.chosen.theta)
	case x.fitted == nil:
	case a.IsChain():
		for _, theta := range x.fitted.Policy.Thresholds {
			made.Thetas = append(made.Thetas, result.Float(theta))
		}
	case x.fitted.isSingle():
		made.Theta = float(x.fitted.Policy.Thresholds[0])
	default:
		made.Theta = float(x.fitted.Policy.Thresholds[a.Student().Class[i]])
	}
	return made
}

func (a *Analysed) recordAnswer(i, m int) result.RecordAnswer {
	h := result.RecordAnswer{Model: a.Cascade.Models[m], Key: a.Models[m].Keys[i].String()}
	if !a.Models[m].Has(i) {
		h.Cause = a.Models[m].Cause(i)
		return h
	}
	given, r := a.Look(m, i)
	said, _ := a.Sheet.Said(given)
	h.Text, h.Truncated, h.Finish, h.AnsweredBy = said.Text, given.Truncated, string(given.Finish), given.Model
	if len(a.Dataset.Answer) > 0 {
		h.Reply, h.At = given.Text, []int{said.Start, said.End}
	}
	n := a.TokensOf(i, &a.Models[m], &given)
	h.Prompted, h.Completed, h.LatencySecs = n.Prompt, n.Completion, given.Latency.Seconds()
	h.Estimated, h.Thought = estimatedPart(n), given.Usage.Thoughts
	h.Refused = a.Models[m].Refused(i)
	for _, group := range a.Sheet.Votes(a.Models[m].Samples(i)) {
		h.Votes = append(h.Votes, len(group))
	}
	if mass, ok := given.Mass(); ok {
		h.LabelMass = []result.Float{result.Float(mass.Low), result.Float(mass.High)}
	}
	if len(given.Tokens) > 0 {
		h.Tokens = make([]result.RecordToken, len(given.Tokens))
	}
	for k, t := range given.Tokens {
		h.Tokens[k] = result.RecordToken{Text: t.Text, Logprob: result.Float(t.Logprob), End: t.End}
	}
	h.Probs = make([]result.Float, len(r.Probs))
	for k, p := range r.Probs {
		h.Probs[k] = result.Float(p)
	}
	if a.Dataset.Task == task.Classification && r.Class < len(a.Dataset.Labels) {
		h.Class = a.Dataset.Labels[r.Class].Class
	}
	if !a.Used[i] {
		return h
	}
	a.judged(&h, i, m, r)
	return h
}

// estimatedPart says which counts are estimates; "" = none.
func estimatedPart(n cost.Counts) string {
	switch {
	case n.PromptEstimated && n.CompletionEstimated:
		return "both"
	case n.PromptEstimated:
		return "prompt"
	case n.CompletionEstimated:
		return "completion"
	}
	return ""
}

// judged adds an answer's grades.
func (a *Analysed) judged(h *result.RecordAnswer, i, m int, r confidence.Reading) {
	of := &a.Models[m]
	h.Beta, h.BetaLow, h.BetaHigh = of.Beta[i], r.Low, r.High
	if !of.Unscored(i) {
		h.Unseen = r.Missing
	}
	h.Correct, h.Error, h.Cost = of.IsRight(i), of.Errs[i], of.Costs[i]
	if of.By != nil {
		h.By = string(of.By[i])
	}
	if beta, ok := a.JudgeBeta(m, i); ok {
		h.Judge = &beta
	}
	h.Human = a.HumanGrade(m, i)
	if len(of.Scores) > 0 {
		h.Scores = make(map[string]result.Float, len(of.Scores))
	}
	for name, scores := range of.Scores {
		if v := scores[i]; !math.IsNaN(v) {
			h.Scores[string(name)] = result.Float(v)
		}
	}
}
