package decisions

import "infnet/backends"

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
