package decisions

import (
	"bytes"
	"encoding/json"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// systemOne asks by POST /systemone:
//
//	{"model": …, "state": …, "questions": {NAME: {"type": "choice", "instructions": …, "criteria": {OPTION: …}}}}
//	{"model": …, "state": …, "questions": {NAME: {"type": "noul", "instructions": …,
//	    "criteria": {"true": …, "false": …}}}}
//
// A description that is null leaves the bare label (strands-decider's schema.py, ChoiceQuestion).
type systemOne struct{}

// object is a JSON object whose members keep their order, in which models read the options.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range o {
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.WriteByte("{,"[min(i, 1)])
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (systemOne) body(q asked) any {
	var criteria object
	if q.form == backends.AsNoul {
		criteria = object{{"true", q.options[0].meaning()}, {"false", q.options[1].meaning()}}
	} else {
		for _, o := range q.options {
			m := member{name: o.name}
			if o.description != "" {
				m.value = o.description
			}
			criteria = append(criteria, m)
		}
	}
	question := object{{"type", string(q.form)}, {"instructions", q.question}, {"criteria", criteria}}
	return object{{"model", q.served}, {"state", q.state}, {"questions", object{{questionName, question}}}}
}

// systemOneAnswer is an answer of any type. option_mass is the share of the next token's probability that fell on the
// options (maple-sdk's SystemOneAnswer); most servers say nothing of it.
type systemOneAnswer struct {
	Type          string                     `json:"type"`
	Choice        *string                    `json:"choice"`
	Probabilities map[string]json.RawMessage `json:"probabilities"`
	Noul          json.RawMessage            `json:"noul"`
	Mass          json.RawMessage            `json:"option_mass"`
}

func (systemOne) read(r *wire.Reply, q asked) (s said, f *backends.Failure) {
	var reply struct {
		Model   string                     `json:"model"`
		Answers map[string]systemOneAnswer `json:"answers"`
		Usage   struct {
			Input  *float64 `json:"input_tokens"`
			Output *float64 `json:"output_tokens"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if f = r.JSON(&reply); f != nil {
		return s, f
	}
	if httpfailure.Says(reply.Error) {
		return s, httpfailure.Success(r.Body)
	}
	s.model, s.usage = reply.Model, usage(reply.Usage.Input, reply.Usage.Output, nil)
	a, ok := reply.Answers[questionName]
	switch {
	case !ok || len(reply.Answers) != 1:
		return s, unusable("it has %d answers, and one question was asked, %q", len(reply.Answers), questionName)
	case a.Type != string(q.form):
		return s, unusable("its answer has the type %.40q, and the question has %q", a.Type, q.form)
	}
	if len(a.Mass) > 0 && string(a.Mass) != "null" {
		p, f := probability("option_mass", a.Mass)
		if f != nil {
			return s, f
		}
		s.mass = backends.Exactly(p.value)
	}
	if q.form == backends.AsNoul {
		s.given, f = whether(a.Noul)
		return s, f
	}
	var found []outcome
	for name, p := range a.Probabilities {
		found = append(found, outcome{name, p})
	}
	if a.Choice == nil {
		return s, unusable("its answer has no choice")
	}
	s.given, f = spread(q.options, found, *a.Choice)
	return s, f
}
