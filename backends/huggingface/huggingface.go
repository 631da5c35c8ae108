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
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	hub "github.com/hupe1980/go-huggingface"

	"infnet/backends"
	"infnet/backends/redact"
)

// The settings where a configuration says nothing.
const (
	DefaultTimeout     = 2 * time.Minute
	DefaultConcurrency = 16
	DefaultMaxBody     = 4 << 20
	DefaultContext     = "Passage: "
	DefaultQuestion    = "\nQuestion: "
	DefaultEnd         = "\nAnswer:" // of questions
)

// Model is a model behind an endpoint. It is safe for concurrent use.
type Model struct {
	cfg    backends.HuggingFaceConfig
	client *hub.InferenceClient

	secrets *redact.Redactor // taken out of failures; no answer may hold one
}

var _ backends.Model = (*Model)(nil)

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
	if problem := checkURL(c.URL); problem != "" {
		return bad("%s", problem)
	}
	var t backends.HuggingFaceTask
	if err := t.UnmarshalText([]byte(c.Task)); err != nil {
		return bad("%v", err)
	}
	if c.Hypothesis != "" && strings.Count(c.Hypothesis, "{}") != 1 {
		return bad("the hypothesis %q must hold {} once, where the label goes", c.Hypothesis)
	}
	if c.Timeout < 0 || c.Concurrency < 0 || c.MaxBody < 0 {
		return bad("timeout %v, concurrency %d and longest body %d must not be negative", c.Timeout, c.Concurrency, c.MaxBody)
	}
	token := c.Token.Reveal()
	if token == "" && c.TokenEnv != "" {
		if token = strings.TrimSpace(os.Getenv(c.TokenEnv)); token == "" {
			return bad("the environment variable %s, which should hold the token, is not set", c.TokenEnv)
		}
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return bad("the token holds a character that no token has: copy it again")
	}
	defaults(&c)
	m := &Model{cfg: c, secrets: redact.New(token)}
	m.client = hub.NewInferenceClient(token, func(o *hub.InferenceClientOptions) {
		o.Model = c.URL // a whole address is used as it is
		o.HTTPClient = newClient(c, m.secrets)
	})
	return m, nil
}

func checkURL(s string) string {
	const how = "name a dedicated endpoint, or https://router.huggingface.co/hf-inference/models/OWNER/NAME (the old " +
		"host api-inference.huggingface.co answers no more)"
	u, err := url.Parse(s)
	switch {
	case s == "":
		return "it has no URL: " + how
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "its URL is none: " + how
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Sprintf("its URL at %s: a user, password, query or fragment has no place there; a token goes into the "+
			"environment", u.Host)
	case u.Hostname() == "api-inference.huggingface.co":
		return "its URL is of a host that answers no more: " + how
	}
	return ""
}

func defaults(c *backends.HuggingFaceConfig) {
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Concurrency == 0 {
		c.Concurrency = DefaultConcurrency
	}
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	if c.Task != backends.ExtractiveQA {
		return
	}
	for _, d := range []struct {
		p  *string
		to string
	}{{&c.Context, DefaultContext}, {&c.Question, DefaultQuestion}, {&c.End, DefaultEnd}} {
		if *d.p == "" {
			*d.p = d.to
		}
	}
}

// Answer asks one request after the other. Calls at the same time share the
// connections.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	answers := make([]backends.Answer, len(reqs))
	for i, r := range reqs {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		a, f := m.one(ctx, r)
		if ctx.Err() != nil && f != nil {
			return nil, context.Cause(ctx)
		}
		if f != nil {
			a = backends.Answer{Failure: f}
		}
		a.Key = r.Key()
		answers[i] = a
	}
	return answers, nil
}

// one answers one request.
func (m *Model) one(ctx context.Context, r backends.Request) (backends.Answer, *backends.Failure) {
	if f := backends.Carries(r); f != nil {
		return backends.Answer{}, f
	}
	ask := m.answer
	switch {
	case m.cfg.Task == backends.ZeroShot && len(r.Labels) == 0:
		return refuse("this model classifies: the request has no labels")
	case m.cfg.Task == backends.ExtractiveQA && len(r.Labels) > 0:
		return refuse("this model answers questions: it cannot choose among labels")
	case m.cfg.Task == backends.ZeroShot:
		ask = m.classify
	}
	callCtx, cancel := context.WithTimeout(ctx, m.cfg.Timeout)
	defer cancel()
	x := &exchange{}
	began := time.Now()
	a, err := ask(context.WithValue(callCtx, exchangeKey{}, x), r)
	a.Latency = time.Since(began)
	if err != nil {
		f := *m.failure(callCtx, x, err)
		f.Message = m.secrets.Text(f.Message)
		return backends.Answer{}, &f
	}
	return a, nil
}

// classify asks a zero-shot model.
func (m *Model) classify(ctx context.Context, r backends.Request) (backends.Answer, error) {
	text, err := cutText(r.Prompt, m.cfg.Text, m.cfg.End)
	if err != nil {
		return backends.Answer{}, err
	}
	labels, err := candidates(r.Labels)
	if err != nil {
		return backends.Answer{}, err
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
	scores, best, err := scoresOf(labels, got[0].Labels, got[0].Scores)
	if err != nil {
		return backends.Answer{}, err
	}
	return backends.Answer{Text: r.Labels[best], Labels: scores}, nil
}

// answer asks an extractive model.
func (m *Model) answer(ctx context.Context, r backends.Request) (backends.Answer, error) {
	passage, question, err := cutQuestion(r.Prompt, m.cfg.Context, m.cfg.Question, m.cfg.End)
	if err != nil {
		return backends.Answer{}, err
	}
	got, err := m.client.QuestionAnswering(ctx, &hub.QuestionAnsweringRequest{
		Inputs: hub.QuestionAnsweringInputs{Question: question, Context: passage},
	})
	if err != nil {
		return backends.Answer{}, err
	}
	if err := within(passage, got.Answer, got.Start, got.End); err != nil {
		return backends.Answer{}, err
	}
	lp, err := logScore(got.Score)
	if err != nil {
		return backends.Answer{}, err
	}
	// A span of the passage: no limit cuts it.
	return backends.Answer{Text: got.Answer, Tokens: []backends.Token{{Text: got.Answer, Logprob: lp}},
		Finish: backends.FinishEnd}, nil
}

func refuse(message string) (backends.Answer, *backends.Failure) {
	return backends.Answer{}, &backends.Failure{Cause: backends.BadRequest, Message: message}
}

// newClient makes what go-huggingface sends its requests with.
func newClient(c backends.HuggingFaceConfig, secrets *redact.Redactor) *client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = c.Concurrency
	return &client{
		task: c.Task, hypothesis: c.Hypothesis, secrets: secrets, maxBody: c.MaxBody,
		http: &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the token is for this address alone
		}},
	}
}
