package recorded

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

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

// textsAt are the texts of the list at a path of a record.
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
