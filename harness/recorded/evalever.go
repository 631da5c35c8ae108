package recorded

import (
	"context"
	"errors"
	"fmt"

	"infnet/harness/dataset/files"
)

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

// eachEvalEver reads instances of Every Eval Ever, one a line: what one model said to one question of one evaluation.
func eachEvalEver(ctx context.Context, o Options, use func(Row) error) error {
	evaluation := ""
	return files.Each(ctx, files.Options{Path: o.Path, FS: o.FS, Format: files.JSONL}, func(r files.Row) error {
		model, task := textAt(r, "model_id"), textAt(r, "evaluation_name")
		if o.Of != "" && model != o.Of {
			return use(Row{Model: model})
		}
		if evaluation != "" && task != evaluation {
			return fmt.Errorf("%s: an answer of the evaluation %q after answers of %q, whose ids may be the same: a file for "+
				"each is needed", place(r), task, evaluation)
		}
		evaluation = task
		a, err := evalEverRow(r, o.Facts)
		if err != nil {
			return fmt.Errorf("%s: %w", place(r), err)
		}
		a.Place, a.Model, a.Task = place(r), model, task
		a.Question, a.Part = textAt(r, "input.raw"), textAt(r, "metadata."+EvalEverPart)
		a.References, a.Choices = textsAt(r, "input.reference"), textsAt(r, "input.choices")
		return use(a)
	})
}

func evalEverRow(r files.Row, f Facts) (Row, error) {
	id := textAt(r, "sample_id")
	if id == "" {
		return Row{}, errors.New("it has no sample_id")
	}
	if why := textAt(r, "error"); why != "" {
		return Row{IDs: []string{id}, Fault: "the evaluation ended in an error: " + why}, nil
	}
	f.CachedApart = cachedApart(r)
	a, err := mapped(r, evalEver, f)
	if err != nil || a.Said {
		return a, err
	}
	messages, _ := r.Values["messages"].([]any)
	for _, m := range messages { // of a longer interaction: the last word
		turn, _ := m.(map[string]any)
		if text, ok := turn["content"].(string); ok && turn["role"] == "assistant" {
			a.Text, a.Said = text, true
		}
	}
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
