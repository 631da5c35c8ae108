package decisions

import (
	"encoding/json"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// openAI asks by POST /decisions, as OpenAI's Decisions API and Fireworks' form of it are asked:
//
//	{"model": …, "input": …, "questions": [{"type": "choice", "name": NAME, "instructions": …,
//	    "choices": [{"value": OPTION, "description": …}, …]}]}
//	{"model": …, "input": …, "questions": [{"type": "predicate", "name": NAME, "instructions": …}]}
//
// A description that is not there leaves the bare value. A predicate has no place for what true and false mean, so its
// instructions end with it, as langchain-openai's Decisions classifier has it.
type openAI struct{}

func (openAI) body(q asked) any {
	instructions := q.question
	if q.form == backends.AsNoul {
		instructions += "\n\nTrue means: " + q.options[0].meaning() + "\nFalse means: " + q.options[1].meaning()
	}
	question := object{{"type", openAIType(q.form)}, {"name", questionName}, {"instructions", instructions}}
	if q.form == backends.AsChoice {
		var choices []object
		for _, o := range q.options {
			c := object{{"value", o.name}}
			if o.description != "" {
				c = append(c, member{"description", o.description})
			}
			choices = append(choices, c)
		}
		question = append(question, member{"choices", choices})
	}
	return object{{"model", q.served}, {"input", q.state}, {"questions", []object{question}}}
}

func openAIType(f backends.DecisionForm) string {
	if f == backends.AsNoul {
		return "predicate"
	}
	return string(f)
}

func (openAI) read(r *wire.Reply, q asked) (s said, f *backends.Failure) {
	var reply struct {
		Model   string `json:"model"`
		Answers []struct {
			Type          string          `json:"type"` // predicate, choice, score or refusal
			Name          string          `json:"name"` // null of a question without one
			Choice        *string         `json:"choice"`
			Probability   json.RawMessage `json:"probability"`
			Probabilities []struct {
				Value       string          `json:"value"`
				Probability json.RawMessage `json:"probability"`
			} `json:"probabilities"`
		} `json:"answers"`
		Usage struct {
			Input   *float64 `json:"input_tokens"`
			Output  *float64 `json:"output_tokens"`
			Details struct {
				Cached *float64 `json:"cached_tokens"`
			} `json:"input_tokens_details"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if f = r.JSON(&reply); f != nil {
		return s, f
	}
	if httpfailure.Says(reply.Error) {
		return s, httpfailure.Success(r.Body)
	}
	u := reply.Usage
	s.model, s.usage = reply.Model, usage(u.Input, u.Output, u.Details.Cached)
	if n := len(reply.Answers); n != 1 || reply.Answers[0].Name != questionName {
		return s, unusable("it has %d answers, and one question was asked, %q", n, questionName)
	}
	switch a := reply.Answers[0]; {
	case a.Type == "refusal":
		return s, httpfailure.Parts{Refused: "an answer of type refusal"}.Denied()
	case a.Type != openAIType(q.form):
		return s, unusable("its answer has the type %.40q, and the question has %q", a.Type, openAIType(q.form))
	case q.form == backends.AsNoul:
		s.given, f = whether(a.Probability)
	case a.Choice == nil:
		f = unusable("its answer has no choice")
	default:
		var found []outcome
		for _, p := range a.Probabilities {
			found = append(found, outcome{p.Value, p.Probability})
		}
		s.given, f = spread(q.options, found, *a.Choice)
	}
	return s, f
}
