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

// Line is one record of one cascade: one line of records.jsonl, and all that
// show and export print. It is complete by itself, so that neither needs the
// spec, the data or the answers.
type Line struct {
	Cascade    string     `json:"cascade"`
	Dataset    string     `json:"dataset"`
	ID         string     `json:"id"`
	Row        int        `json:"row"`   // in the source, from 1
	Group      string     `json:"group"` // records of one group stay together; "" = alone
	Part       string     `json:"part"`  // Fit, Test or Unused
	Prompt     string     `json:"prompt"`
	Class      string     `json:"class,omitempty"`      // classification: the reference
	References []string   `json:"references,omitempty"` // other tasks: accepted answers
	Models     []Heard    `json:"models"`               // cheapest first
	Decisions  []Decision `json:"decisions"`            // by row of the table
}

// Heard is what one model answered and what that is worth.
type Heard struct {
	Model       string                  `json:"model"`
	Key         string                  `json:"key"`                   // of the answer in the store
	Cause       string                  `json:"cause,omitempty"`       // why there is no answer; then the rest is empty
	Refused     string                  `json:"refused,omitempty"`     // why the answer does not count; then it is worth nothing
	AnsweredBy  string                  `json:"answered_by,omitempty"` // the name of who answered, in the server's reply
	Text        string                  `json:"text"`
	Class       string                  `json:"class,omitempty"`
	Probs       []result.Float          `json:"probs,omitempty"`      // per label, in index order
	Tokens      []HeardToken            `json:"tokens,omitempty"`     // generation
	Beta        float64                 `json:"beta"`                 // after calibration, but for the last model's
	BetaLow     float64                 `json:"beta_low"`             // bounds, where label mass is missing
	BetaHigh    float64                 `json:"beta_high"`            //
	Unseen      int                     `json:"unseen,omitempty"`     // labels the server did not report: beta is the upper end of its bounds
	LabelMass   []result.Float          `json:"label_mass,omitempty"` // classification: bounds of the probability on the labels, equal where it is known; absent where nothing is known
	Correct     bool                    `json:"correct"`
	Error       float64                 `json:"error"`
	Cost        float64                 `json:"cost"`
	Prompted    int                     `json:"prompt_tokens"`
	Completed   int                     `json:"completion_tokens"`
	Estimated   string                  `json:"tokens_estimated,omitempty"` // which of the two counts nobody reported: prompt, completion or both
	Finish      string                  `json:"finish,omitempty"`           // generation: why it ended; empty = not recorded
	Truncated   int                     `json:"truncated,omitempty"`        // prompt tokens dropped
	LatencySecs float64                 `json:"latency_s"`
	Scores      map[string]result.Float `json:"scores,omitempty"` // per-record metrics
}

// HeardToken is one generated token.
type HeardToken struct {
	Text    string       `json:"t"`
	Logprob result.Float `json:"lp"`
	End     bool         `json:"end,omitempty"`
}

// Decision is what a policy decided about the record.
type Decision struct {
	Policy   string        `json:"policy"`
	Deferred bool          `json:"deferred"`
	Theta    *result.Float `json:"theta,omitempty"` // the threshold compared with, for policies that have one
	Score    *float64      `json:"score,omitempty"` // what is compared with it, where that is not the first model's β; out of fold on the fit part

	// Of rows of more than two models, or of models in parallel. Where Asked is
	// empty the first model is asked, its answer stands unless Deferred, and
	// then the last one's does.
	Asked  []int          `json:"asked,omitempty"`  // places of the models in the cascade, from 0
	Stage  int            `json:"stage,omitempty"`  // place of the model whose answer stands
	Thetas []result.Float `json:"thetas,omitempty"` // chains: the threshold of every stage
}

// WriteLines writes a line per cascade and record.
func WriteLines(w io.Writer, o *Output) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for _, b := range o.Benches {
		part := b.partNames()
		for i := range b.set.Examples {
			if err := encoder.Encode(b.line(i, part[i])); err != nil {
				return fmt.Errorf("record %s of dataset %s: %w", b.set.Examples[i].ID, b.Dataset.Name, err)
			}
		}
	}
	return nil
}

// The parts a record can be in.
const (
	Fit    = "fit"
	Test   = "test"
	Unused = "unused" // some model has no answer
)

// partNames says for every example which part it is in.
func (b *Bench) partNames() []string {
	names := make([]string, len(b.set.Examples))
	for i := range names {
		names[i] = Unused
	}
	for _, i := range b.fit {
		names[i] = Fit
	}
	for _, i := range b.test {
		names[i] = Test
	}
	return names
}

func (b *Bench) line(i int, part string) Line {
	e := b.set.Examples[i]
	l := Line{
		Cascade: b.Cascade.Name, Dataset: b.Dataset.Name, ID: e.ID, Row: e.Row, Group: e.Group, Part: part,
		Prompt: b.sheet.Request(i, b.in.Models[b.Cascade.Models[student]].ID, b.models[student]).Prompt, References: e.References,
	}
	if e.Class >= 0 && e.Class < len(b.Dataset.Labels) {
		l.Class = b.Dataset.Labels[e.Class].Class
	}
	for m := range b.cols {
		l.Models = append(l.Models, b.heard(i, m))
	}
	for _, d := range b.decisions {
		if deferred, ok := d.Defer[i]; ok {
			made := Decision{Policy: d.Name, Deferred: deferred, Theta: b.theta(d.Name, i)}
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
			k = b.readings[student][i].Class
		}
		theta := result.Float(f.Policy.Thresholds[k])
		return &theta
	}
	return nil
}

func (b *Bench) heard(i, m int) Heard {
	h := Heard{Model: b.Cascade.Models[m], Key: b.cols[m].keys[i].String()}
	a := b.cols[m].answers[i]
	if a == nil {
		h.Cause = b.cols[m].causes[i]
		return h
	}
	h.Text, h.Truncated, h.Finish, h.AnsweredBy = b.texts[m][i], a.Truncated, string(a.Finish), a.Model
	n := b.tokens(i, m, a)
	h.Prompted, h.Completed, h.LatencySecs = n.Prompt, n.Completion, a.Latency.Seconds()
	h.Estimated = estimatedPart(n)
	h.Refused = b.unfit[answerID{i, m}]
	if mass, ok := a.Mass(); ok {
		h.LabelMass = []result.Float{result.Float(mass.Low), result.Float(mass.High)}
	}
	for _, t := range a.Tokens {
		h.Tokens = append(h.Tokens, HeardToken{t.Text, result.Float(t.Logprob), t.End})
	}
	r := b.readings[m][i]
	for _, p := range r.Probs {
		h.Probs = append(h.Probs, result.Float(p))
	}
	if b.Dataset.Task == task.Classification && r.Class < len(b.Dataset.Labels) {
		h.Class = b.Dataset.Labels[r.Class].Class
	}
	if !b.used[i] {
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
func (b *Bench) judged(h *Heard, i, m int, r confidence.Reading) {
	g := b.grades[m][i]
	h.Beta, h.BetaLow, h.BetaHigh = r.Beta, r.Low, r.High
	if !b.cols[m].answers[i].NoLogprobs {
		h.Unseen = r.Missing
	}
	if m < b.last() {
		h.Beta = b.beta[m][i]
	}
	h.Correct, h.Error, h.Cost = g.Correct, g.Err, b.costs[m][i]
	h.Scores = map[string]result.Float{}
	for name, v := range g.Scores {
		if !math.IsNaN(v) {
			h.Scores[name] = result.Float(v)
		}
	}
}
