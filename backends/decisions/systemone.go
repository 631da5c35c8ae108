package decisions

import (
	"encoding/json"

	"infnet/backends"
)

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
