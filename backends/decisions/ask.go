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

type asked struct {
	served   string
	name     string // of the question
	state    string
	question string
	form     backends.DecisionForm
	options  []option
	labels   []string // the options as a study has them
	foreign  bool     // somebody else asked: the options' descriptions are not known
}

var bodies = map[backends.DecisionsProtocol]func(asked) any{
	backends.SystemOne: systemOne, backends.OpenAIDecisions: openAI}

type option struct {
	name        string
	description string // "" = the name says it
}

func (o option) meaning() string {
	if o.description == "" {
		return o.name
	}
	return o.description
}

// one answers one request. at is the URL to ask; nil = the one whose turn it is.
func (m *Model) one(ctx context.Context, r backends.Request, a *backends.Answer, at *wire.Endpoint) *backends.Failure {
	if f := m.check(r); f != nil {
		return f
	}
	q := asked{served: m.cfg.Served, name: questionName, state: r.Prompt, question: r.Question, form: m.cfg.As,
		labels: r.Labels}
	for i, l := range r.Labels {
		o := option{name: strings.TrimSpace(l)}
		if i < len(r.Criteria) {
			o.description = r.Criteria[i]
		}
		q.options = append(q.options, o)
	}
	body, err := json.Marshal(bodies[m.cfg.Protocol](q))
	if err != nil {
		return &backends.Failure{Cause: backends.Internal, Message: "the request has no JSON: " + err.Error()}
	}
	reply, err := m.wire.Call(ctx, wire.Call{At: at, Path: m.cfg.Protocol.Route(), Body: body,
		Read: func(reply *wire.Reply) *backends.Failure {
			all, f := answers(reply, m.cfg.Protocol, a)
			one, ok := all[q.name]
			if f == nil && (!ok || len(all) != 1) {
				f = unusable("it has %d answers, and one question was asked, %q", len(all), q.name)
			}
			if f == nil {
				f = q.read(one, a)
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
	switch n := len(labels); {
	case m.cfg.As == backends.AsNoul && n != 2:
		return badRequest("%d labels asked as noul, which has two: leave as out", n)
	case n < 2 || n > MostOptions:
		return badRequest("%d labels: a question has 2 to %d options", n, MostOptions)
	}
	return nil
}

// openAI asks by POST /decisions, as OpenAI's Decisions API and Fireworks' form of it are asked:
//
//	{"model": …, "input": …, "questions": [{"type": "choice", "name": NAME, "instructions": …,
//	    "choices": [{"value": OPTION, "description": …}, …]}]}
//	{"model": …, "input": …, "questions": [{"type": "predicate", "name": NAME, "instructions": …}]}
//	{"model": …, "input": …, "questions": [{"type": "score", "name": NAME, "instructions": …,
//	    "levels": [{"label": OPTION, "description": …}, …]}]}
//
// A description that is not there leaves the bare value. A predicate has no place for what true and false mean, so its
// instructions end with it, as langchain-openai's Decisions classifier has it.
func openAI(q asked) any {
	instructions, kind := q.question, string(q.form)
	if q.form == backends.AsNoul {
		kind = predicate
		instructions += "\n\nTrue means: " + q.options[0].meaning() + "\nFalse means: " + q.options[1].meaning()
	}
	question := object{{"type", kind}, {"name", q.name}, {"instructions", instructions}}
	options, name := "choices", "value"
	if q.form == backends.AsScore {
		options, name = "levels", "label"
	}
	if q.form != backends.AsNoul {
		var list []object
		for _, o := range q.options {
			c := object{{name, o.name}}
			if o.description != "" {
				c = append(c, member{"description", o.description})
			}
			list = append(list, c)
		}
		question = append(question, member{options, list})
	}
	return object{{"model", q.served}, {"input", q.state}, {"questions", []object{question}}}
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

// systemOne asks by POST /systemone. A description that is null leaves the bare label (strands-decider's schema.py,
// ChoiceQuestion).
//
//	{"model": …, "state": …, "questions": {NAME: {"type": "choice", "instructions": …, "criteria": {OPTION: …}}}}
//	{"model": …, "state": …, "questions": {NAME: {"type": "noul", "instructions": …,
//	    "criteria": {"true": …, "false": …}}}}
//	{"model": …, "state": …, "questions": {NAME: {"type": "score", "instructions": …, "criteria": [LEVEL, …]}}}
func systemOne(q asked) any {
	var criteria object
	var levels []string
	for _, o := range q.options {
		m := member{name: o.name}
		if o.description != "" {
			m.value = o.description
		}
		criteria, levels = append(criteria, m), append(levels, o.meaning())
	}
	question := object{{"type", string(q.form)}, {"instructions", q.question}, {"criteria", criteria}}
	switch q.form {
	case backends.AsNoul:
		question[2].value = object{{"true", levels[0]}, {"false", levels[1]}}
	case backends.AsScore:
		question[2].value = levels
	}
	return object{{"model", q.served}, {"state", q.state}, {"questions", object{{q.name, question}}}}
}
