package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"infnet/backends"
	"infnet/backends/openai"
	"infnet/backends/strictjson"
	"infnet/harness/calc"
	"infnet/harness/confidence"
	"infnet/harness/routing"
	"infnet/harness/routing/export"
)

// replies reads the student's replies: the checks are those that a study's answers pass.
type replies struct {
	rule     *routing.Rule
	question string
	served   string   // "" = a decision model's replies may name any
	labels   []string // in class order; nil = not known
	scale    confidence.Scale
	openAI   backends.Batch // a model that is never asked: it reads what others were told
	request  backends.Request
	refusal  error // why a reply of the OpenAI protocol cannot be read; nil = it can
}

// mostTokens is how many tokens a student's answer may have: more do not fit a body.
const mostTokens = mostBody

// reader prepares the reading of the replies whose confidence the policy compares.
func reader(r *routing.Rule, o Options) (*replies, error) {
	d := &replies{rule: r, question: o.Question, served: o.Served, labels: o.Labels}
	if d.labels == nil {
		d.labels = r.Classes()
	}
	if r.Mixture != nil {
		d.refusal = errors.New("the policy is a mixture, whose coin depends on the query's id, which no reply has: send " +
			"{\"id\": …, \"confidence\": …}")
		return d, nil
	}
	const send = "send {\"confidence\": …} instead"
	score, over := confidence.Score(r.Confidence.Score), r.Confidence.Over
	scale, err := confidence.OfParameters(score, r.Confidence.Parameters)
	switch {
	case err != nil:
		d.refusal = fmt.Errorf("the thresholds are for a confidence %q, which is not read from a reply here: %s", score, send)
	case over != "":
		d.refusal = fmt.Errorf("the thresholds are for a confidence over %q alone: %s", over, send)
	case score == confidence.Softmax && len(d.labels) == 0:
		d.refusal = errors.New("the thresholds name no classes, so that a reply's label is not known: start infnet decide " +
			"with --label for each, in order")
	}
	if d.scale = scale; d.refusal != nil {
		return d, nil
	}
	served := cmp.Or(o.Served, r.Student.ID)
	config := backends.Config{Model: backends.ModelID{ID: served},
		Settings: &backends.OpenAIConfig{Access: backends.Access{Served: served}}}
	d.request = backends.Request{Model: config.Model, Mode: backends.Chat, Prompt: "?", MaxTokens: mostTokens}
	if score == confidence.Softmax {
		d.request.Labels, d.request.MaxTokens = d.labels, 0
	}
	d.openAI, err = openai.OpenBatch(config, backends.LabelsTopLogprobs)
	return d, err
}

// openai reads a chat completion or a completion with log-probabilities.
func (d *replies) openai(ctx context.Context, body []byte) (routing.Decision, error) {
	if d.refusal != nil {
		return routing.Decision{}, d.refusal
	}
	a := d.openAI.Answer(ctx, d.request, backends.BatchReply{Status: 200, Body: body})
	if a.Failure != nil {
		return routing.Decision{}, fmt.Errorf("the reply of %q gives no answer: %s (another name of the student is set with "+
			"--served)", d.request.Model.ID, a.Failure.Message)
	}
	reading, err := d.scale.Read(a)
	if err != nil {
		return routing.Decision{}, fmt.Errorf("the reply gives no confidence: %w", err)
	}
	return d.decide(reading, d.request.Labels)
}

// decide decides about a reading. The class is that of a threshold, by its index.
func (d *replies) decide(r confidence.Reading, classes []string) (routing.Decision, error) {
	if !r.Certain {
		return routing.Decision{}, errors.New("the reply leaves out a label that may be the most probable: ask for more " +
			"alternatives (top_logprobs)")
	}
	class := ""
	if d.rule.ByClass() {
		if known := d.rule.Classes(); r.Class < len(known) && len(classes) == len(known) {
			class = known[r.Class]
		} else {
			return routing.Decision{}, fmt.Errorf("%d labels for %d classes", len(classes), len(known))
		}
	}
	return d.about(class, r.Beta), nil
}

// about decides about a class and a confidence that a reply had.
func (d *replies) about(class string, beta float64) routing.Decision {
	out, _ := d.rule.Decide(class, beta, 0) // a class without a threshold is deferred
	out.Class, out.Beta = class, beta
	return out
}

// inOrder are options in the order of the study's labels, in which it adds: the last bit of β depends on it.
func (d *replies) inOrder(probabilities map[string]float64) []string {
	place := func(option string) int {
		if i := slices.Index(d.labels, option); i >= 0 {
			return i
		}
		return len(d.labels)
	}
	return slices.SortedFunc(maps.Keys(probabilities), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
}

// rounding is how far a probability of two decimals, as decision models report it, is off.
const rounding = 0.005

// systemOne reads a decision model's reply to one choice question:
//
//	{"model": …, "answers": {NAME: {"type": "choice", "choice": …, "probabilities": {…}, "confidence": …}}}
//
// as strands-labs/strands-decider serves it (POST /v1/systemone) and TypeSafe documents it. β is the probability of the
// option that was chosen, or, for thresholds of a decision model's own confidence, that confidence.
func (d *replies) systemOne(body []byte) (out routing.Decision, err error) {
	var reply struct {
		Model   string `json:"model"`
		Answers map[string]struct {
			Type          string             `json:"type"`
			Choice        string             `json:"choice"`
			Probabilities map[string]float64 `json:"probabilities"`
			Confidence    *float64           `json:"confidence"`
		} `json:"answers"`
	}
	if err := strictjson.Unmarshal(body, &reply); err != nil {
		return out, fmt.Errorf("the reply: %w", err)
	}
	if d.served != "" && reply.Model != d.served {
		return out, fmt.Errorf("the reply is of the model %q, and the student is served as %q (--served)", reply.Model,
			d.served)
	}
	name := d.question
	if name == "" {
		if len(reply.Answers) != 1 {
			return out, fmt.Errorf("the reply answers %d questions: start infnet decide with --question", len(reply.Answers))
		}
		for name = range reply.Answers {
		}
	}
	a, ok := reply.Answers[name]
	switch {
	case !ok:
		return out, fmt.Errorf("the reply does not answer the question %q", name)
	case a.Type != "choice":
		return out, fmt.Errorf("the answer to %q is of type %q: only a choice has a class; send {\"confidence\": …} instead",
			name, a.Type)
	case d.rule.Mixture != nil:
		return out, d.refusal
	}
	class := ""
	if d.rule.ByClass() {
		class = a.Choice
	}
	switch score := d.rule.Confidence.Score; score {
	case export.Vendor:
		if a.Confidence == nil || !(*a.Confidence >= 0 && *a.Confidence <= 1) {
			return out, fmt.Errorf("the answer to %q has no confidence in [0,1], which the thresholds are for", name)
		}
		return d.about(class, *a.Confidence), nil
	case string(confidence.Softmax):
	default:
		return out, fmt.Errorf("the thresholds are for a confidence %q, which this reply does not have: send "+
			"{\"confidence\": …} instead", score)
	}
	labels := []backends.LabelScore{}
	best, sum := 0.0, 0.0
	for _, option := range d.inOrder(a.Probabilities) {
		p := a.Probabilities[option]
		if !(p >= 0 && p <= 1) {
			return out, fmt.Errorf("the answer to %q gives the option %q the probability %v", name, option, p)
		}
		best, sum = max(best, p), sum+p
		labels = append(labels, backends.LabelScore{Logprob: calc.Log(p), Seen: true})
	}
	if p, ok := a.Probabilities[a.Choice]; !ok || p < best {
		return out, fmt.Errorf("the answer to %q chooses %q, which has not the largest of its probabilities", name, a.Choice)
	}
	if math.Abs(sum-1) > float64(rounding*float64(len(labels)))+1e-9 {
		return out, fmt.Errorf("the probabilities of the answer to %q sum to %.3g, not to 1", name, sum)
	}
	r, err := confidence.Scale{Score: confidence.Softmax}.Read(backends.Answer{Labels: labels})
	if err != nil {
		return out, fmt.Errorf("the answer to %q: %w", name, err)
	}
	return d.about(class, r.Beta), nil
}
