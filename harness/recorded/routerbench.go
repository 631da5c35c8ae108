package recorded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"infnet/backends/strictjson"
)

// routerRecord is a record of a result of LLMRouterBench.
type routerRecord struct {
	Index      *int            `json:"index"`
	Query      json.RawMessage `json:"origin_query"`
	Prompt     json.RawMessage `json:"prompt"`
	Prediction json.RawMessage `json:"prediction"` // taken from the output; a text, or a list of them
	Truth      json.RawMessage `json:"ground_truth"`
	Score      *float64        `json:"score"`
	Cost       *float64        `json:"cost"` // USD
	PromptN    *int            `json:"prompt_tokens"`
	CompleteN  *int            `json:"completion_tokens"`
}

// eachRouterBench reads a result of LLMRouterBench: one model on one dataset, an object with the list records. It has
// costs and scores, and no confidence.
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
		var r routerRecord
		if err := strictjson.Unmarshal(raw, &r); err != nil {
			return fmt.Errorf("%s: %w", where, notFinite(err))
		}
		a, err := r.row(o.Facts)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		a.Place, a.Model, a.Task, a.Part = where, about["model_name"], about["dataset_name"], about["split"]
		return use(a)
	})
}

func (r routerRecord) row(f Facts) (Row, error) {
	var a Row
	if r.Index == nil {
		return a, errors.New("it has no index")
	}
	a.IDs = []string{strconv.Itoa(*r.Index)}
	a.Text, a.Said = words(r.Prediction), true
	if a.Question = words(r.Query); a.Question == "" {
		a.Question = words(r.Prompt)
	}
	if truth := words(r.Truth); truth != "" {
		a.References = []string{truth}
	}
	if s := r.Score; s != nil {
		if err := a.graded(*s); err != nil {
			return a, err
		}
	}
	if c := r.Cost; c != nil {
		if err := a.costs(*c, "USD", f.In); err != nil {
			return a, err
		}
	}
	if err := counted(r.PromptN, &a.Usage.Prompt); err != nil {
		return a, err
	}
	return a, counted(r.CompleteN, &a.Usage.Completion)
}

// words is a value as text: a text as it is, null as nothing, all else as JSON.
func words(raw json.RawMessage) string {
	var text string
	switch {
	case len(raw) == 0, string(raw) == "null":
		return ""
	case json.Unmarshal(raw, &text) == nil:
		return text
	}
	return string(raw)
}
