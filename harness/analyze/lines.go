package analyze

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/result"
	"infnet/harness/task"
)

// WriteLines writes a line per cascade and record.
func WriteLines(w io.Writer, o *Output) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, a := range o.Datasets {
		part := a.partNames()
		for i := range a.Set.Examples {
			if err := encoder.Encode(a.line(i, part[i])); err != nil {
				return fmt.Errorf("record %s of dataset %s: %w", a.Set.Examples[i].ID, a.Dataset.Name, err)
			}
		}
	}
	return nil
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
	e := a.Set.Examples[i]
	l := result.Record{
		Cascade: a.Cascade.Name, Dataset: a.Dataset.Name, ID: e.ID, Row: e.Row, Group: e.Group, Part: part,
		Prompt: a.Sheet.Request(i, a.Student().Facts.ID, a.Student().Spec).Prompt, References: e.References,
	}
	if e.Class >= 0 && e.Class < len(a.Dataset.Labels) {
		l.Class = a.Dataset.Labels[e.Class].Class
	}
	for m := range a.Models {
		l.Models = append(l.Models, a.recordAnswer(i, m))
	}
	for _, x := range a.rows {
		d := x.decisions
		if d == nil {
			continue
		}
		if deferred, ok := d.deferred[i]; ok {
			made := result.Decision{Policy: x.Policy, Deferred: deferred, Theta: a.theta(x, i)}
			if score, ok := d.scores[i]; ok {
				cut := result.Float(d.cut)
				made.Score, made.Theta = &score, &cut
			}
			if p, ok := d.paths[i]; ok {
				made.Asked, made.Stage = p.asked, p.final
				for _, theta := range d.theta {
					made.Thetas = append(made.Thetas, result.Float(theta))
				}
			}
			l.Decisions = append(l.Decisions, made)
		}
	}
	return l
}

// theta returns the threshold that a row compares record i's confidence with;
// nil = it has no thresholds.
func (a *Analysed) theta(x row, i int) *result.Float {
	if x.fitted == nil {
		return nil
	}
	k := 0
	if !isSingle(x.fitted.Policy) {
		k = a.Student().Class[i]
	}
	theta := result.Float(x.fitted.Policy.Thresholds[k])
	return &theta
}

func (a *Analysed) recordAnswer(i, m int) result.RecordAnswer {
	h := result.RecordAnswer{Model: a.Cascade.Models[m], Key: a.Models[m].Keys[i].String()}
	if !a.Models[m].Has(i) {
		h.Cause = a.Models[m].Cause(i)
		return h
	}
	given := a.Models[m].At(i)
	h.Text, h.Truncated, h.Finish, h.AnsweredBy = a.Text(m, i), given.Truncated, string(given.Finish), given.Model
	n := a.Tokens(i, &a.Models[m])
	h.Prompted, h.Completed, h.LatencySecs = n.Prompt, n.Completion, given.Latency.Seconds()
	h.Estimated = estimatedPart(n)
	h.Refused = a.Models[m].Refused(i)
	if mass, ok := given.Mass(); ok {
		h.LabelMass = []result.Float{result.Float(mass.Low), result.Float(mass.High)}
	}
	for _, t := range given.Tokens {
		h.Tokens = append(h.Tokens, result.RecordToken{Text: t.Text, Logprob: result.Float(t.Logprob), End: t.End})
	}
	r := a.Reading(m, i)
	for _, p := range r.Probs {
		h.Probs = append(h.Probs, result.Float(p))
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
	h.Scores = map[string]result.Float{}
	for name, scores := range of.Scores {
		if v := scores[i]; !math.IsNaN(v) {
			h.Scores[string(name)] = result.Float(v)
		}
	}
}
