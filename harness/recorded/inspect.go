package recorded

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset/files"
)

// inspectHead is what is read of a log's header.
type inspectHead struct {
	model, task string
}

// take reads one key of a log.
func (h *inspectHead) take(key string, value json.RawMessage) error {
	if key != "eval" {
		return nil
	}
	var eval struct {
		Task  string `json:"task"`
		Model string `json:"model"`
	}
	if err := json.Unmarshal(value, &eval); err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	h.model, h.task = eval.Model, eval.Task
	return nil
}

// inspect says where a sample has what a table has in its columns. Tokens from the cache are not among the input, those
// of reasoning are among the output.
var inspect = map[string]string{"id": "id", "text": "text", "finish_reason": "output.choices[0].stop_reason",
	"latency": "output.time", "prompt_tokens": "output.usage.input_tokens",
	"completion_tokens": "output.usage.output_tokens", "cached_tokens": "output.usage.input_tokens_cache_read",
	"cost": "output.usage.total_cost"}

// inspectRow reads one sample.
func inspectRow(raw json.RawMessage, place string, o Options, log inspectHead, use func(Row) error) error {
	values, err := files.Object(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	if epoch, err := number(values["epoch"]); err == nil && epoch > 1 {
		if o.Later != nil {
			o.Later()
		}
		return nil
	}
	r := files.Row{Values: values}
	a, err := inspectAnswer(r, o.Facts)
	if err == nil && o.Facts.Wanted {
		err = inspectGrade(&a, r, o.Filter)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	a.Place, a.Model, a.Task, a.References = place, log.model, log.task, textsAt(r, "target")
	if target := textAt(r, "target"); target != "" {
		a.References = []string{target}
	}
	a.Question = textAt(r, "input")
	messages, _ := values["input"].([]any)
	for _, m := range messages {
		turn, _ := m.(map[string]any)
		if role := turn["role"]; role == "user" || role == nil {
			a.Question, _ = content(turn["content"])
		}
	}
	return use(a)
}

// inspectGrade reads the grade of the one scorer, or of the one that is named: C, I, P and N are correct, incorrect,
// partial and no answer.
func inspectGrade(a *Row, r files.Row, name string) error {
	scores, _ := r.Values["scores"].(map[string]any)
	names := slices.Sorted(maps.Keys(scores))
	switch {
	case len(names) == 0:
		return nil
	case name == "" && len(names) > 1:
		return fmt.Errorf("several scorers graded it: choose one with answers_filter (import: --filter); there are %q", names)
	case name == "":
		name = names[0]
	}
	score, ok := scores[name].(map[string]any)
	if !ok {
		return fmt.Errorf("no scorer %q (answers_filter): there are %q", name, names)
	}
	g, ok := map[any]float64{"C": 1, true: 1, "P": 0.5, "I": 0, "N": 0, false: 0}[atom(score["value"])]
	var err error
	if !ok {
		g, err = number(score["value"])
	}
	if err != nil || g < 0 || g > 1 {
		return fmt.Errorf("the scorer %q says %s, which is no grade: want C, I, P, N, a truth value or a number from 0 to 1",
			name, show(score["value"]))
	}
	a.Grade = &g
	return nil
}

// atom is a text or a truth value, nil for all else.
func atom(v any) any {
	switch v.(type) {
	case string, bool:
		return v
	}
	return nil
}

func inspectAnswer(r files.Row, f Facts) (Row, error) {
	id := words(r.Values["id"]) // a text or a whole number
	if id == "" {
		return Row{}, errors.New("it has no id")
	}
	silent := Row{IDs: []string{id}}
	first, _ := r.Value("output.choices[0].message.content")
	said, ok := content(first)
	if whole, err := r.Value("output.completion"); err == nil && whole != nil {
		said, ok = words(whole), true
	}
	switch why := textAt(r, "output.error"); {
	case r.Values["error"] != nil:
		silent.Fault = "the sample ended in an error: " + textAt(r, "error.message")
	case why != "":
		silent.Fault = "the model gave an error: " + why
	case !ok:
		silent.Fault = "the sample has no text"
	}
	if silent.Fault != "" {
		return silent, nil
	}
	r.Values["text"], f.CachedApart = said, true
	a, err := mapped(r, inspect, f)
	if err != nil {
		return a, err
	}
	if written, err := r.Value("output.usage.input_tokens_cache_write"); err == nil && written != nil {
		n, err := count(written)
		if err != nil {
			return a, err
		}
		a.Usage.Prompt = a.Usage.Prompt.Plus(n)
	}
	tokens, _ := r.Value("output.choices[0].logprobs.content")
	list, _ := tokens.([]any)
	for k, t := range list {
		token, _ := t.(map[string]any)
		lp, err := known(token["logprob"])
		if err != nil {
			return a, fmt.Errorf("token %d %w", k+1, err)
		}
		a.Tokens = append(a.Tokens, backends.Token{Text: words(token["token"]), Logprob: lp})
	}
	return a, nil
}

// unknown is what servers write for a log-probability that they do not report.
const unknown = -9999

// known reads the log-probability of a token.
func known(v any) (float64, error) {
	if v == nil {
		v = float64(unknown)
	}
	lp, err := number(v)
	switch {
	case err != nil:
		return 0, fmt.Errorf("has a log-probability of which %w", err)
	case lp <= unknown:
		return 0, fmt.Errorf("has no log-probability (null or %v means unknown), and without one the answer's is not known",
			unknown)
	case lp > 1e-3:
		return 0, fmt.Errorf("has log-probability %v", lp)
	}
	return lp, nil
}

// content is a message's text: a text, or the texts of its parts.
func content(v any) (string, bool) {
	if text, ok := v.(string); ok {
		return text, true
	}
	parts, ok := v.([]any)
	var b strings.Builder
	for _, p := range parts {
		if part, _ := p.(map[string]any); part["type"] == "text" {
			b.WriteString(words(part["text"]))
		}
	}
	return b.String(), ok
}
