package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"infnet/backends"
	"infnet/backends/decisions"
	"infnet/backends/openai"
	"infnet/harness/confidence"
	"infnet/harness/routing"
)

// replies reads the student's replies: the checks are those that a study's answers pass.
type replies struct {
	rule     *routing.Rule
	question string
	served   string   // "" = a decision model's replies may name any
	labels   []string // in class order; nil = not known
	exact    bool     // the labels were named
	scale    confidence.Scale
	openAI   backends.Batch // a model that is never asked: it reads what others were told
	request  backends.Request
	refusal  error // why a reply of the OpenAI protocol cannot be read; nil = it can
}

// mostTokens is how many tokens a student's answer may have: more do not fit a body.
const mostTokens = mostBody

// reader prepares the reading of the replies whose confidence the policy compares.
func reader(r *routing.Rule, o Options) (*replies, error) {
	d := &replies{rule: r, question: o.Question, served: o.Served, labels: o.Labels, exact: o.Labels != nil}
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
	return d.about(reading, d.rule.Classes(), len(d.request.Labels))
}

// about decides about a reading of a reply, where it is one of n labels of these classes.
func (d *replies) about(r confidence.Reading, classes []string, n int) (out routing.Decision, err error) {
	class := ""
	switch {
	case !r.Certain:
		return out, errors.New("the reply leaves out a label that may be the most probable: ask for more " +
			"alternatives (top_logprobs)")
	case !d.rule.ByClass():
	case n != len(classes) || r.Class >= n:
		return out, fmt.Errorf("%d labels for %d classes", n, len(classes))
	default:
		class = classes[r.Class]
	}
	out, _ = d.rule.Decide(class, r.Beta, 0) // a class without a threshold is deferred
	out.Class, out.Beta = class, r.Beta
	return out, nil
}

// decision reads a decision model's reply to one question, as System One has it. β is the
// probability of the answer, or, for thresholds of a server's own confidence, that confidence.
func (d *replies) decision(body []byte) (out routing.Decision, err error) {
	if d.rule.Mixture != nil {
		return out, d.refusal
	}
	a, labels, f := decisions.Hear(body, d.question, d.labels, d.exact)
	switch score := d.rule.Confidence.Score; {
	case f != nil:
		return out, fmt.Errorf("%s (--question names the question, --label each label, in order)", f.Message)
	case d.served != "" && !decisions.Same(d.served, a.Model):
		return out, fmt.Errorf("the reply is of the model %q, and the student is served as %q (--served)", a.Model,
			d.served)
	case score != string(confidence.Softmax) && score != string(confidence.Vendor):
		return out, fmt.Errorf("the thresholds are for a confidence %q, which this reply does not have: send "+
			"{\"confidence\": …} instead", score)
	}
	r, err := d.scale.Read(a)
	if err != nil {
		return out, fmt.Errorf("the reply gives no confidence: %w", err)
	}
	return d.about(r, labels, len(labels))
}
