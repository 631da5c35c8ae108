package recorded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"infnet/harness/dataset/files"
)

// routerBench says where a record of a result of LLMRouterBench has what a table has in its columns.
var routerBench = map[string]string{"id": "index", "text": "prediction", "score": "score", "cost": "cost",
	"prompt_tokens": "prompt_tokens", "completion_tokens": "completion_tokens"}

// eachRouterBench reads a result of LLMRouterBench: one model on one dataset, an object with the list records. It has
// costs, in USD, and scores, and no confidence.
func eachRouterBench(ctx context.Context, o Options, use func(Row) error) error {
	about := map[string]string{}
	take := func(key string, value json.RawMessage) error {
		var text string
		if json.Unmarshal(value, &text) == nil {
			about[key] = text
		}
		return nil
	}
	complete := func() bool { return about["model_name"] != "" && about["dataset_name"] != "" }
	return eachRecord(ctx, o, "records", "record", take, complete, func(where string, raw json.RawMessage) error {
		values, err := files.Object(raw)
		if err == nil && values["index"] == nil {
			err = errors.New("it has no index")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		values["prediction"] = words(values["prediction"]) // taken from the output; a text, or a list of them
		a, err := mapped(files.Row{Values: values}, routerBench, o.Facts)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if a.Question = words(values["origin_query"]); a.Question == "" {
			a.Question = words(values["prompt"])
		}
		if right := words(values["ground_truth"]); right != "" {
			a.References = []string{right}
		}
		a.Place, a.Model, a.Task, a.Part = where, about["model_name"], about["dataset_name"], about["split"]
		return use(a)
	})
}
