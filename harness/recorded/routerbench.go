package recorded

import (
	"cmp"
	"context"
	"errors"

	"infnet/harness/dataset/files"
)

// routerBench says where a record of a result of LLMRouterBench has what a table has in its columns.
var routerBench = map[string]string{"id": "index", "text": "prediction", "score": "score", "cost": "cost",
	"prompt_tokens": "prompt_tokens", "completion_tokens": "completion_tokens"}

// results are the records of a result of LLMRouterBench: one model on one dataset.
func (l *log) results(ctx context.Context, use func(place string, r files.Row) error) error {
	return l.list(ctx, "records", "record", use)
}

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
