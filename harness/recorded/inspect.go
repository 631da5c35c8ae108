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
		if l.Later != nil {
			l.Later()
		}
		return Row{}, errOther
	}
	a, err := l.inspectAnswer(r)
	if err == nil && l.Facts.Wanted {
		err = inspectGrade(&a, r, l.Filter)
	}
	a.References = textsAt(r, "target")
	if target := textAt(r, "target"); target != "" {
		a.References = []string{target}
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
	a, err := l.mapped(r, inspect, true)
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

// mapped reads a record of another format as a row of a table. paths say where the record has what a table has in its
// columns by their default names. Costs that state no currency are in USD.
func (l *log) mapped(record files.Row, paths map[string]string, cachedApart bool) (Row, error) {
	values := map[string]any{}
	for column, path := range paths {
		if v, err := record.Value(path); err == nil && v != nil {
			values[column] = v
		}
	}
	if values["cost"] != nil && values["currency"] == nil {
		values["currency"] = "USD"
	}
	f := l.Facts
	f.Wanted, f.CachedApart = true, cachedApart
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

func textsAt(record files.Row, path string) (out []string) {
	v, _ := record.Value(path)
	list, _ := v.([]any)
	for _, x := range list {
		if text, ok := x.(string); ok {
			out = append(out, text)
		}
	}
	return out
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

// Names of the metadata of instances of Every Eval Ever that hold what its schema has no place for. Their values are
// texts.
const (
	EvalEverConfidence = "confidence"
	EvalEverCost       = "cost"
	EvalEverCurrency   = "currency"
	EvalEverPart       = "split"
)

// evalEver says where an instance of Every Eval Ever, version 0.3, has what a table has in its columns.
var evalEver = map[string]string{"id": "sample_id", "text": "output.raw[0]", "correct": "evaluation.is_correct",
	"score": "evaluation.score", "confidence": "metadata." + EvalEverConfidence, "cost": "metadata." + EvalEverCost,
	"currency": "metadata." + EvalEverCurrency, "latency_ms": "performance.latency_ms",
	"prompt_tokens": "token_usage.input_tokens", "completion_tokens": "token_usage.output_tokens",
	"cached_tokens": "token_usage.input_tokens_cache_read"}

// evalEver reads an instance of Every Eval Ever: what one model said to one question of one evaluation.
func (l *log) evalEver(r files.Row) (Row, error) {
	model, task, id := textAt(r, "model_id"), textAt(r, "evaluation_name"), textAt(r, "sample_id")
	if l.Of != "" && model != l.Of {
		return Row{Model: model}, nil
	}
	if l.task != "" && task != l.task {
		return Row{}, fmt.Errorf("an answer of the evaluation %q after answers of %q, whose ids may be the same: a file for "+
			"each is needed", task, l.task)
	}
	if l.task = task; id == "" {
		return Row{}, errors.New("it has no sample_id")
	}
	a := Row{ID: id}
	if why := textAt(r, "error"); why != "" {
		a.Fault = "the evaluation ended in an error: " + why
	} else {
		var err error
		if a, err = l.mapped(r, evalEver, cachedApart(r)); err != nil {
			return a, err
		}
		messages, _ := r.Values["messages"].([]any)
		for i := len(messages) - 1; i >= 0 && !a.Said; i-- { // of a longer interaction: the last word
			if turn, _ := messages[i].(map[string]any); turn["role"] == "assistant" {
				a.Text, a.Said = turn["content"].(string)
			}
		}
	}
	a.Model, a.Question, a.Part = model, textAt(r, "input.raw"), textAt(r, "metadata."+EvalEverPart)
	a.References, a.Choices = textsAt(r, "input.reference"), textsAt(r, "input.choices")
	return a, nil
}

// cachedApart reports whether cached tokens are not among the input. The schema does not say: where the total counts
// them once more, they are not.
func cachedApart(r files.Row) bool {
	n := map[string]float64{}
	for _, key := range []string{"input_tokens", "output_tokens", "total_tokens", "input_tokens_cache_read"} {
		if v, err := r.Value("token_usage." + key); err == nil && v != nil {
			n[key], _ = number(v) // what is no number is said when it is read
		}
	}
	cached := n["input_tokens_cache_read"]
	return n["total_tokens"] >= n["input_tokens"]+n["output_tokens"]+cached || cached > n["input_tokens"]
}

// routerBench says where a record of a result of LLMRouterBench has what a table has in its columns.
var routerBench = map[string]string{"id": "index", "text": "prediction", "score": "score", "cost": "cost",
	"prompt_tokens": "prompt_tokens", "completion_tokens": "completion_tokens"}

// routerBench reads a record. It has costs, in USD, and scores, and no confidence.
func (l *log) routerBench(r files.Row) (Row, error) {
	if r.Values["index"] == nil {
		return Row{}, errors.New("it has no index")
	}
	r.Values["prediction"] = words(r.Values["prediction"]) // taken from the output; a text, or a list of them
	a, err := l.mapped(r, routerBench, l.Facts.CachedApart)
	a.Question = cmp.Or(words(r.Values["origin_query"]), words(r.Values["prompt"]))
	if right := words(r.Values["ground_truth"]); right != "" {
		a.References = []string{right}
	}
	return a, err
}
