package decisions

import (
	"context"
	"encoding/json"
	"strings"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// questionName is the name of the one question of a request. Some models read it as part of the prompt
// (docs.bespokelabs.ai/nimble/questions), so it never changes.
const questionName = "class"

// Route is that of System One, behind a base URL.
const Route = "/systemone"

// choice is the type of question, and of answer, that names one of several options.
const choice = "choice"

// one answers one request by POST /systemone. at is the URL to ask; nil = the one whose turn it is. A description that
// is null leaves the bare label (strands-decider's schema.py, ChoiceQuestion).
//
//	{"model": …, "state": …, "questions": {NAME: {"type": "choice", "instructions": …, "criteria": {OPTION: …}}}}
func (m *Model) one(ctx context.Context, r backends.Request, a *backends.Answer, at *wire.Endpoint) *backends.Failure {
	if f := m.check(r); f != nil {
		return f
	}
	options := make([]string, len(r.Labels))
	var criteria object
	for i, l := range r.Labels {
		options[i] = strings.TrimSpace(l)
		o := member{name: options[i]}
		if i < len(r.Criteria) && r.Criteria[i] != "" {
			o.value = r.Criteria[i]
		}
		criteria = append(criteria, o)
	}
	body, err := json.Marshal(object{{"model", m.cfg.Served}, {"state", r.Prompt}, {"questions", object{{questionName,
		object{{"type", choice}, {"instructions", r.Question}, {"criteria", criteria}}}}}})
	if err != nil {
		return &backends.Failure{Cause: backends.Internal, Message: "the request has no JSON: " + err.Error()}
	}
	reply, err := m.wire.Call(ctx, wire.Call{At: at, Path: Route, Body: body,
		Read: func(reply *wire.Reply) *backends.Failure {
			all, f := answers(reply, a)
			one, ok := all[questionName]
			if f == nil && (!ok || len(all) != 1) {
				f = unusable("it has %d answers, and one question was asked, %q", len(all), questionName)
			}
			if f == nil {
				f = one.read(options, r.Labels, a)
			}
			if f == nil {
				a.Model, f = m.wire.Answered(m.cfg.Served, a.Model, Same)
			}
			return f
		}})
	a.Latency = reply.Latency
	if err != nil {
		return wire.Failed(err)
	}
	return nil
}

func (m *Model) check(r backends.Request) *backends.Failure {
	if f := httpfailure.Carries(r, m.cfg.Served, backends.QuestionPart); f != nil {
		return f
	}
	switch {
	case r.Mode != backends.Raw:
		return badRequest("mode %q: a decision model reads a text, not a chat: leave mode out", r.Mode)
	case len(r.Labels) == 0:
		return badRequest("a decision model writes no text: it answers classifications alone")
	case strings.TrimSpace(r.Question) == "":
		return badRequest("the request has no question: say in the dataset what is asked, question = \"…\"")
	case len(r.Criteria) > 0 && len(r.Criteria) != len(r.Labels):
		return badRequest("%d criteria of %d labels", len(r.Criteria), len(r.Labels))
	}
	return m.checkLabels(r.Labels)
}

func (m *Model) checkLabels(labels []string) *backends.Failure {
	if f := httpfailure.Labels(labels, strings.TrimSpace); f != nil {
		return f
	}
	if n := len(labels); n < 2 || n > MostOptions {
		return badRequest("%d labels: a question has 2 to %d options", n, MostOptions)
	}
	return nil
}

// object is a JSON object whose members keep their order, in which models read the options.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte("{")
	for i, m := range o {
		pair, err := json.Marshal(map[string]any{m.name: m.value})
		if err != nil {
			return nil, err
		}
		b = append(append(b, ","[:min(i, 1)]...), pair[1:len(pair)-1]...)
	}
	return append(b, '}'), nil
}
