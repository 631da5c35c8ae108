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

// asked is a classification as a question.
type asked struct {
	served   string
	state    string
	question string
	form     backends.DecisionForm
	options  []option
}

// option is what a question may be answered with.
type option struct {
	name        string
	description string // "" = the name says it
}

// meaning is what an option stands for.
func (o option) meaning() string {
	if o.description == "" {
		return o.name
	}
	return o.description
}

// protocol is a way to ask.
type protocol interface {
	body(q asked) any                                      // what is sent
	read(r *wire.Reply, q asked) (said, *backends.Failure) // what came back
}

// said is an answer to the question as a reply has it.
type said struct {
	model string
	usage backends.Usage
	given distribution
	mass  *backends.Mass // nil = the reply says nothing of it
}

// one answers one request. at is the URL to ask; nil = the one whose turn it is.
func (m *Model) one(ctx context.Context, r backends.Request, a *backends.Answer, at *wire.Endpoint) *backends.Failure {
	if f := m.check(r); f != nil {
		return f
	}
	q := asked{served: m.cfg.Served, state: r.Prompt, question: r.Question, form: m.cfg.As}
	for i, l := range r.Labels {
		o := option{name: strings.TrimSpace(l)}
		if i < len(r.Criteria) {
			o.description = r.Criteria[i]
		}
		q.options = append(q.options, o)
	}
	body, err := json.Marshal(m.protocol.body(q))
	if err != nil {
		return &backends.Failure{Cause: backends.Internal, Message: "the request has no JSON: " + err.Error()}
	}
	var s said
	reply, err := m.wire.Call(ctx, wire.Call{At: at, Path: m.cfg.Protocol.Route(), Body: body,
		Read: func(reply *wire.Reply) (f *backends.Failure) {
			if s, f = m.protocol.read(reply, q); f == nil {
				a.Model, f = m.answered(s.model)
			}
			return f
		}})
	a.Latency = reply.Latency
	if err != nil {
		return wire.Failed(err)
	}
	a.Text, a.Labels, a.Usage, a.LabelMass = r.Labels[s.given.chosen], s.given.scores(), s.usage, s.mass
	return nil
}

// check refuses what no decision model could answer.
func (m *Model) check(r backends.Request) *backends.Failure {
	if f := backends.Carries(r, backends.ServedPart, backends.QuestionPart); f != nil {
		return f
	}
	switch {
	case r.Served != "" && r.Served != m.cfg.Served:
		return httpfailure.BadRequest("the request is for a model served as %q, this one is served as %q", r.Served,
			m.cfg.Served)
	case r.Mode != backends.Raw:
		return httpfailure.BadRequest("mode %q: a decision model reads a text, not a chat: leave mode out", r.Mode)
	case len(r.Labels) == 0:
		return httpfailure.BadRequest("a decision model writes no text: it answers classifications alone")
	case strings.TrimSpace(r.Question) == "":
		return httpfailure.BadRequest("the request has no question: say in the dataset what is asked, question = \"…\"")
	case len(r.Criteria) > 0 && len(r.Criteria) != len(r.Labels):
		return httpfailure.BadRequest("%d criteria of %d labels", len(r.Criteria), len(r.Labels))
	}
	return m.checkLabels(r.Labels)
}

func (m *Model) checkLabels(labels []string) *backends.Failure {
	seen := map[string]bool{}
	for i, l := range labels {
		word := strings.TrimSpace(l)
		if word == "" || seen[word] {
			return httpfailure.BadRequest("label %d (%q) is empty or given twice, so that an answer could not name it", i+1, l)
		}
		seen[word] = true
	}
	switch n := len(labels); {
	case m.cfg.As == backends.AsNoul && n != 2:
		return httpfailure.BadRequest("%d labels asked as noul, which has two: leave as out", n)
	case n < 2 || n > MostOptions:
		return httpfailure.BadRequest("%d labels: a question has 2 to %d options", n, MostOptions)
	}
	return nil
}
