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
	for _, b := range o.Benches {
		part := b.partNames()
		for i := range b.Set.Examples {
			if err := encoder.Encode(b.line(i, part[i])); err != nil {
				return fmt.Errorf("record %s of dataset %s: %w", b.Set.Examples[i].ID, b.Dataset.Name, err)
			}
		}
	}
	return nil
}

// partNames says for every example which part it is in.
func (b *Bench) partNames() []string {
	names := make([]string, len(b.Set.Examples))
	for i := range names {
		names[i] = result.PartUnused
	}
	for _, i := range b.Fit {
		names[i] = result.PartFit
	}
	for _, i := range b.Test {
		names[i] = result.PartTest
	}
	return names
}

func (b *Bench) line(i int, part string) result.Record {
	e := b.Set.Examples[i]
	l := result.Record{
		Cascade: b.Cascade.Name, Dataset: b.Dataset.Name, ID: e.ID, Row: e.Row, Group: e.Group, Part: part,
		Prompt: b.Sheet.Request(i, b.in.Facts[b.Cascade.Models[student]].ID, b.Student().Spec).Prompt, References: e.References,
	}
	if e.Class >= 0 && e.Class < len(b.Dataset.Labels) {
		l.Class = b.Dataset.Labels[e.Class].Class
	}
	for m := range b.Models {
		l.Models = append(l.Models, b.heard(i, m))
	}
	for _, d := range b.decisions {
		if deferred, ok := d.Defer[i]; ok {
			made := result.Decision{Policy: d.Name, Deferred: deferred, Theta: b.theta(d.Name, i)}
			if score, ok := d.Scores[i]; ok {
				cut := result.Float(d.Cut)
				made.Score, made.Theta = &score, &cut
			}
			if p, ok := d.Paths[i]; ok {
				made.Asked, made.Stage = p.asked, p.stands
				for _, theta := range d.Theta {
					made.Thetas = append(made.Thetas, result.Float(theta))
				}
			}
			l.Decisions = append(l.Decisions, made)
		}
	}
	return l
}

// theta returns the threshold a policy compares record i's confidence with.
func (b *Bench) theta(name string, i int) *result.Float {
	for _, f := range b.fitted {
		if f.Name != name {
			continue
		}
		k := 0
		if !isSingle(f.Policy) {
			k = b.Student().Readings[i].Class
		}
		theta := result.Float(f.Policy.Thresholds[k])
		return &theta
	}
	return nil
}

func (b *Bench) heard(i, m int) result.RecordAnswer {
	h := result.RecordAnswer{Model: b.Cascade.Models[m], Key: b.Models[m].Keys[i].String()}
	a := b.Models[m].Given[i]
	if a == nil {
		h.Cause = b.Models[m].Causes[i]
		return h
	}
	h.Text, h.Truncated, h.Finish, h.AnsweredBy = b.Models[m].Texts[i], a.Truncated, string(a.Finish), a.Model
	n := b.Tokens(i, &b.Models[m])
	h.Prompted, h.Completed, h.LatencySecs = n.Prompt, n.Completion, a.Latency.Seconds()
	h.Estimated = estimatedPart(n)
	h.Refused = b.Models[m].Refused[i]
	if mass, ok := a.Mass(); ok {
		h.LabelMass = []result.Float{result.Float(mass.Low), result.Float(mass.High)}
	}
	for _, t := range a.Tokens {
		h.Tokens = append(h.Tokens, result.RecordToken{Text: t.Text, Logprob: result.Float(t.Logprob), End: t.End})
	}
	r := b.Models[m].Readings[i]
	for _, p := range r.Probs {
		h.Probs = append(h.Probs, result.Float(p))
	}
	if b.Dataset.Task == task.Classification && r.Class < len(b.Dataset.Labels) {
		h.Class = b.Dataset.Labels[r.Class].Class
	}
	if !b.Used[i] {
		return h
	}
	b.judged(&h, i, m, r)
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

// judged adds what an answer is worth.
func (b *Bench) judged(h *result.RecordAnswer, i, m int, r confidence.Reading) {
	g := b.Models[m].Grades[i]
	h.Beta, h.BetaLow, h.BetaHigh = r.Beta, r.Low, r.High
	if !b.Models[m].Given[i].NoLogprobs {
		h.Unseen = r.Missing
	}
	if m < b.Last() {
		h.Beta = b.Models[m].Beta[i]
	}
	h.Correct, h.Error, h.Cost = g.Correct, g.Err, b.Models[m].Costs[i]
	h.Scores = map[string]result.Float{}
	for name, v := range g.Scores {
		if !math.IsNaN(v) {
			h.Scores[name] = result.Float(v)
		}
	}
}
