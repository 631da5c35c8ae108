package recorded

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

// inspect says where a sample has what a table has in its columns. Tokens from the cache are not among the input, those
// of reasoning are among the output.
var inspect = map[string]string{"id": "id", "text": "text", "finish_reason": "output.choices[0].stop_reason",
	"latency": "output.time", "prompt_tokens": "output.usage.input_tokens",
	"completion_tokens": "output.usage.output_tokens", "cached_tokens": "output.usage.input_tokens_cache_read",
	"cost": "output.usage.total_cost"}

// inspect reads one sample, of the first epoch. A sample that ended in an error has no answer.
func (l *log) inspect(r files.Row) (Row, error) {
	if epoch, err := number(r.Values["epoch"]); err == nil && epoch > 1 {
		return Row{}, errOther
	}
	a, err := l.inspectAnswer(r)
	if err == nil && l.Facts.Wanted {
		err = inspectGrade(&a, r)
	}
	switch target := r.Values["target"].(type) {
	case string:
		a.References = []string{target}
	case []any:
		for _, x := range target {
			a.References = append(a.References, words(x))
		}
	}
	a.Question = textAt(r, "input")
	messages, _ := r.Values["input"].([]any)
	for _, m := range messages {
		turn, _ := m.(map[string]any)
		if role := turn["role"]; role == "user" || role == nil {
			a.Question, _ = content(turn["content"])
		}
	}
	return a, err
}

// inspectGrade reads the grade of the one scorer: C, I, P and N are correct, incorrect, partial and no answer.
func inspectGrade(a *Row, r files.Row) error {
	scores, _ := r.Values["scores"].(map[string]any)
	names := slices.Sorted(maps.Keys(scores))
	if len(names) == 0 {
		return nil
	}
	name := names[0]
	score, ok := scores[name].(map[string]any)
	if !ok || len(names) > 1 {
		return fmt.Errorf("its scorers are %q, and one is wanted: inspect score --scorer NAME --action overwrite", names)
	}
	v := score["value"]
	if word, ok := v.(string); ok {
		v = cmp.Or[any](map[string]any{"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}[word], word)
	}
	g, err := share(v)
	if err != nil {
		return fmt.Errorf("the scorer %q says %s, which is no grade: want C, I, P, N, a truth value or a number from 0 to 1",
			name, show(score["value"]))
	}
	a.Grade = &g
	return nil
}

func (l *log) inspectAnswer(r files.Row) (Row, error) {
	id := words(r.Values["id"]) // a text or a whole number
	if id == "" {
		return Row{}, errors.New("it has no id")
	}
	silent := Row{ID: id}
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
	r.Values["text"] = said
	a, err := l.mapped(r)
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
	case lp > most:
		return 0, fmt.Errorf("has the log-probability %v, which is above 0", lp)
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

// mapped reads a sample as a row of a table. Costs are in USD.
func (l *log) mapped(sample files.Row) (Row, error) {
	values := map[string]any{}
	for column, path := range inspect {
		if v, err := sample.Value(path); err == nil && v != nil {
			values[column] = v
		}
	}
	if values["cost"] != nil {
		values["currency"] = "USD"
	}
	f := l.Facts
	f.Wanted, f.cachedApart = true, true
	return newTable(dataset.AnswerColumns{}, f).read(files.Row{Values: values})
}

// textAt is the text at a path of a record, "" where there is none.
func textAt(record files.Row, path string) string {
	v, err := record.Value(path)
	if text, ok := v.(string); err == nil && ok {
		return text
	}
	return ""
}

// words is a value as text: a text as it is, null as nothing, all else as JSON.
func words(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, _ := json.Marshal(v) // it was JSON
	return string(b)
}
