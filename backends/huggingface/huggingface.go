// Package huggingface asks zero-shot classifiers and extractive question-answering models behind
// Hugging Face inference endpoints, through go-huggingface's client. It owns what that client
// leaves to its caller: the forms of replies, the causes of failures and the times to retry, and
// the validity of scores. It refuses to generate text or embed it: use the OpenAI protocol for
// that, which the router at https://router.huggingface.co/v1 speaks too.
//
// Its opinion: these are cheap students whose scores are real probabilities, so a score is passed
// on exactly as the server gave it, or not at all. An answer is a failure, never a guess, if it
// names unknown labels, lacks a label, repeats one, lies outside its passage, contains the token,
// or has scores that do not sum to 1.
//
// What an answer holds:
//
//   - Classification: for each label ln(score). The scores sum to 1, so the
//     confidence "softmax" is the server's score of the chosen label.
//   - Question answering: the answer's text and one token with log-probability
//     ln(score), so the confidence "exp" is the server's score. The score is of
//     the span as a whole, and there are no alternatives.
//     Answers are cut out of the passage: translation and free generation are
//     not for these models.
//   - Usage is unknown: these servers count no tokens, and none are invented.
//     Costs by tokens, by price per token or by FLOPs are therefore refused;
//     latency and a fixed cost per answer work.
package huggingface

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	hub "github.com/hupe1980/go-huggingface"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// The settings where a configuration says nothing.
const (
	longestReply = 4 << 20
	questionEnd  = "\nAnswer:"
)

// The words of a prompt before its passage and its question.
const (
	beforePassage  = "Passage: "
	beforeQuestion = "\nQuestion: "
)

var unusable, badRequest = httpfailure.Unusable, httpfailure.BadRequest

// Model is a model behind an endpoint. It is safe for concurrent use.
type Model struct {
	cfg    backends.HuggingFaceConfig
	client *hub.InferenceClient
	wire   *wire.Wire
}

// Open prepares a model. It opens no connection. Settings that would make
// every call fail are errors.
func Open(cfg backends.Config) (*Model, error) {
	bad := func(format string, args ...any) (*Model, error) {
		return nil, fmt.Errorf("model %q: %s", cfg.Model.ID, fmt.Sprintf(format, args...))
	}
	settings, err := backends.SettingsOf[*backends.HuggingFaceConfig](cfg)
	if err != nil {
		return nil, err
	}
	c := *settings
	at := strings.Join(c.URLs, " ")
	if u, err := url.Parse(at); at == "" || err == nil && u.Hostname() == "api-inference.huggingface.co" {
		return bad("its URL is %q: name a dedicated endpoint, or "+
			"https://router.huggingface.co/hf-inference/models/OWNER/NAME (the old host api-inference.huggingface.co answers "+
			"no more)", at)
	}
	var t backends.HuggingFaceTask
	if err := t.UnmarshalText([]byte(c.Task)); err != nil {
		return bad("%v", err)
	}
	if c.Task == backends.ExtractiveQA {
		c.End = cmp.Or(c.End, questionEnd)
	}
	c.MaxBody = cmp.Or(c.MaxBody, longestReply)
	w, err := wire.Open(c.Access, "")
	if err != nil {
		return bad("%v", err)
	}
	c.APIKey = ""
	client := hub.NewInferenceClient("", func(o *hub.InferenceClientOptions) {
		o.Model, o.HTTPClient = wire.Placeholder, w // a whole address is used as it is
	})
	return &Model{cfg: c, client: client, wire: w}, nil
}

// Close closes idle connections.
func (m *Model) Close() error { return m.wire.Close() }

// Answer makes one call per request, as many at a time as the configuration allows.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	return m.wire.Answers(ctx, reqs, func(ctx context.Context, r backends.Request) backends.Answer {
		a, f := m.one(ctx, r)
		if f != nil {
			a = backends.Answer{Failure: f}
		}
		a.Key = r.Key()
		return a
	})
}

func (m *Model) one(ctx context.Context, r backends.Request) (backends.Answer, *backends.Failure) {
	if f := backends.Carries(r); f != nil {
		return backends.Answer{}, f
	}
	ask := m.answer
	switch {
	case m.cfg.Task == backends.ZeroShot && len(r.Labels) == 0:
		return backends.Answer{}, badRequest("this model classifies: the request has no labels")
	case m.cfg.Task == backends.ExtractiveQA && len(r.Labels) > 0:
		return backends.Answer{}, badRequest("this model answers questions: it cannot choose among labels")
	case m.cfg.Task == backends.ZeroShot:
		ask = m.classify
	}
	x := &wire.Exchange{Shape: m.shape, Read: m.readable}
	a, err := ask(x.Context(ctx), r)
	if x.Reply != nil {
		a.Latency = x.Reply.Latency
	}
	if err = cmp.Or(x.Err, err); err == nil {
		return a, nil
	}
	var f *backends.Failure
	switch {
	case x.Err != nil:
		f = hinted(wire.Failed(x.Err))
	case !errors.As(err, &f):
		f = &backends.Failure{Cause: backends.BadResponse, Message: "go-huggingface cannot read the reply: " + err.Error()}
	}
	f.Message = m.wire.Secrets.Text(f.Message)
	return backends.Answer{}, f
}

func hinted(f *backends.Failure) *backends.Failure {
	switch f.Status {
	case 401, 403:
		f.Message += ": set the token's environment variable to a token that may use this endpoint"
	case 404, 410:
		f.Message += ": there is no model at this URL"
	}
	return f
}

func (m *Model) classify(ctx context.Context, r backends.Request) (backends.Answer, error) {
	text, err := cutText(r.Prompt, m.cfg.Text, m.cfg.End)
	if err != nil {
		return backends.Answer{}, err
	}
	if f := httpfailure.Labels(r.Labels, strings.TrimSpace); f != nil {
		return backends.Answer{}, f
	}
	labels := make([]string, len(r.Labels)) // without the space that makes them continuations
	for i, l := range r.Labels {
		labels[i] = strings.TrimSpace(l)
	}
	several := false // so that the scores are one distribution over the labels
	got, err := m.client.ZeroShotClassification(ctx, &hub.ZeroShotClassificationRequest{
		Inputs:     []string{text},
		Parameters: hub.ZeroShotClassificationParameters{CandidateLabels: labels, MultiLabel: &several},
	})
	if err != nil {
		return backends.Answer{}, err
	}
	if len(got) != 1 {
		return backends.Answer{}, unusable("it answers %d texts where one was sent", len(got))
	}
	scores, best, f := scoresOf(labels, got[0].Labels, got[0].Scores)
	if f != nil {
		return backends.Answer{}, f
	}
	return backends.Answer{Text: r.Labels[best], Labels: scores}, nil
}

func (m *Model) answer(ctx context.Context, r backends.Request) (backends.Answer, error) {
	passage, question, err := cutQuestion(r.Prompt, m.cfg.End)
	if err != nil {
		return backends.Answer{}, err
	}
	got, err := m.client.QuestionAnswering(ctx, &hub.QuestionAnsweringRequest{
		Inputs: hub.QuestionAnsweringInputs{Question: question, Context: passage},
	})
	if err != nil {
		return backends.Answer{}, err
	}
	if f := within(passage, got.Answer, got.Start, got.End); f != nil {
		return backends.Answer{}, f
	}
	lp, f := logScore(got.Score)
	if f != nil {
		return backends.Answer{}, f
	}
	// A span of the passage: no limit cuts it.
	return backends.Answer{Text: got.Answer, Tokens: []backends.Token{{Text: got.Answer, Logprob: lp}},
		Finish: backends.FinishEnd}, nil
}

// Driver opens models behind Hugging Face inference endpoints.
func Driver() backends.Driver {
	return backends.Driver{
		Kind:  backends.HuggingFace,
		Model: func(c backends.Config) (backends.Model, error) { return Open(c) },
	}
}

func cutEnd(prompt, end string) (string, error) {
	if end == "" {
		return prompt, nil
	}
	i := strings.LastIndex(prompt, end)
	if i < 0 || strings.TrimSpace(prompt[i+len(end):]) != "" {
		return "", badRequest("the prompt does not end with %q: set the words that end its last field (end)", end)
	}
	return prompt[:i], nil
}

func cutText(prompt, before, end string) (string, error) {
	body, err := cutEnd(prompt, end)
	if err != nil {
		return "", err
	}
	if _, after, ok := strings.Cut(body, before); ok {
		body = after
	} else {
		return "", badRequest("the prompt does not hold %q: set the words before its text (text)", before)
	}
	if body = strings.TrimSpace(body); body == "" {
		return "", badRequest("the prompt holds no text to classify")
	}
	return body, nil
}

// cutQuestion finds the passage and the question behind it in a prompt. A passage is long and anybody's, so of several
// ways to cut, the one with the shortest question is taken.
func cutQuestion(prompt, end string) (passage, question string, err error) {
	body, err := cutEnd(prompt, end)
	if err != nil {
		return "", "", err
	}
	_, body, begins := strings.Cut(body, beforePassage)
	at := strings.LastIndex(body, beforeQuestion)
	if !begins || at < 0 {
		return "", "", badRequest("the prompt does not hold %q with %q behind it: an extractive model needs both",
			beforePassage, beforeQuestion)
	}
	passage, question = strings.TrimSpace(body[:at]), strings.TrimSpace(body[at+len(beforeQuestion):])
	if passage == "" || question == "" {
		return "", "", badRequest("the prompt's passage has %d characters and its question %d: an extractive model needs "+
			"both", len(passage), len(question))
	}
	return passage, question, nil
}
