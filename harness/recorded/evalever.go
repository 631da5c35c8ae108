package recorded

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"infnet/backends"
	"infnet/harness/dataset/files"
)

// EvalEver is an instance of Every Eval Ever, version 0.3: what one model said to one question of one evaluation. It
// has no place for a confidence and a cost: they are entries of the metadata, whose values are texts.
type EvalEver struct {
	Schema      string            `json:"schema_version"`
	Evaluation  string            `json:"evaluation_id"`
	Model       string            `json:"model_id"`
	Name        string            `json:"evaluation_name"`
	Result      string            `json:"evaluation_result_id,omitempty"`
	Sample      string            `json:"sample_id"`
	Hash        *string           `json:"sample_hash,omitempty"`
	Interaction string            `json:"interaction_type"`
	Input       EvalEverInput     `json:"input"`
	Output      *EvalEverOutput   `json:"output"`
	Messages    []EvalEverMessage `json:"messages"`
	Extracted   []EvalEverAnswer  `json:"answer_attribution"`
	Grade       EvalEverGrade     `json:"evaluation"`
	Usage       *EvalEverUsage    `json:"token_usage,omitempty"`
	Performance *EvalEverTime     `json:"performance,omitempty"`
	Error       *string           `json:"error,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

// EvalEverInput is what was asked.
type EvalEverInput struct {
	Raw       string   `json:"raw"`
	Reference []string `json:"reference"`
	Choices   []string `json:"choices,omitempty"`
}

// EvalEverOutput is what the model said in a single turn.
type EvalEverOutput struct {
	Raw []string `json:"raw"`
}

// EvalEverMessage is a turn of a longer interaction.
type EvalEverMessage struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
}

// EvalEverAnswer says how the answer was found in the output.
type EvalEverAnswer struct {
	Turn   int    `json:"turn_idx"`
	Source string `json:"source"`
	Value  string `json:"extracted_value"`
	Method string `json:"extraction_method"`
	Final  bool   `json:"is_terminal"`
}

// EvalEverGrade is the grade.
type EvalEverGrade struct {
	Score   *float64 `json:"score"`
	Correct *bool    `json:"is_correct"`
}

// EvalEverUsage counts tokens.
type EvalEverUsage struct {
	Input     int  `json:"input_tokens"`
	Output    int  `json:"output_tokens"`
	Total     int  `json:"total_tokens"`
	CacheRead *int `json:"input_tokens_cache_read,omitempty"`
}

// EvalEverTime is how long the answer took.
type EvalEverTime struct {
	Latency *float64 `json:"latency_ms"`
}

// Names of the metadata that hold what the schema has no place for.
const (
	EvalEverConfidence = "confidence"
	EvalEverCost       = "cost"
	EvalEverCurrency   = "currency"
	EvalEverPart       = "split"
)

// eachEvalEver reads instances of Every Eval Ever, one a line.
func eachEvalEver(ctx context.Context, o Options, use func(Row) error) error {
	evaluation := ""
	return files.Each(ctx, files.Options{Path: o.Path, FS: o.FS, Format: files.JSONL}, func(r files.Row) error {
		var e EvalEver
		raw, err := json.Marshal(r.Values)
		if err == nil {
			err = json.Unmarshal(raw, &e)
		}
		if err != nil {
			return fmt.Errorf("%s: no instance of Every Eval Ever: %w", place(r), err)
		}
		if o.Of != "" && e.Model != o.Of {
			return use(Row{Model: e.Model})
		}
		if evaluation != "" && e.Name != evaluation {
			return fmt.Errorf("%s: an answer of the evaluation %q after answers of %q, whose ids may be the same: a file for "+
				"each is needed", place(r), e.Name, evaluation)
		}
		evaluation = e.Name
		a, err := e.row(o.Facts)
		if err != nil {
			return fmt.Errorf("%s: %w", place(r), err)
		}
		a.Place = place(r)
		return use(a)
	})
}

func (e EvalEver) row(f Facts) (Row, error) {
	a := Row{IDs: []string{e.Sample}, Model: e.Model, Task: e.Name, Question: e.Input.Raw, References: e.Input.Reference,
		Choices: e.Input.Choices, Part: e.Metadata[EvalEverPart]}
	if e.Sample == "" {
		return a, errors.New("it has no sample_id")
	}
	switch {
	case e.Error != nil && *e.Error != "":
		a.Fault = "the evaluation ended in an error: " + *e.Error
		return a, nil
	case e.Output != nil && len(e.Output.Raw) > 0:
		a.Text, a.Said = e.Output.Raw[0], true
	default:
		for _, m := range e.Messages {
			if m.Role == "assistant" && m.Content != nil {
				a.Text, a.Said = *m.Content, true
			}
		}
	}
	switch s := e.Grade.Score; {
	case s != nil && (f.PreferScore || e.Grade.Correct == nil):
		if err := a.graded(*s); err != nil {
			return a, err
		}
	case e.Grade.Correct != nil:
		g := 0.0
		if *e.Grade.Correct {
			g = 1
		}
		a.Grade = &g
	}
	if err := e.counts(&a); err != nil {
		return a, err
	}
	return a, e.extras(&a, f)
}

// counts reads tokens and time. The schema does not say whether cached tokens are among the input: where the total
// counts them once more, they are not.
func (e EvalEver) counts(a *Row) error {
	if u := e.Usage; u != nil {
		cached := 0
		if u.CacheRead != nil {
			cached = *u.CacheRead
		}
		if u.Input < 0 || u.Output < 0 || cached < 0 {
			return fmt.Errorf("%d, %d and %d tokens: a count cannot be negative", u.Input, u.Output, cached)
		}
		prompt := u.Input
		if u.Total >= u.Input+u.Output+cached || cached > u.Input {
			prompt += cached
		}
		a.Usage = backends.Usage{Prompt: backends.Counted(prompt), Completion: backends.Counted(u.Output), Cached: cached}
	}
	if p := e.Performance; p != nil && p.Latency != nil {
		return a.took(*p.Latency, time.Millisecond)
	}
	return nil
}

// extras reads the metadata that hold a confidence and a cost.
func (e EvalEver) extras(a *Row, f Facts) error {
	if text, ok := e.Metadata[EvalEverConfidence]; ok {
		c, err := strconv.ParseFloat(text, 64)
		if err != nil || !(c >= 0 && c <= 1) {
			return fmt.Errorf("metadata.%s: %q is no confidence in [0,1]", EvalEverConfidence, text)
		}
		a.Confidence = &c
	}
	text, ok := e.Metadata[EvalEverCost]
	if !ok {
		return nil
	}
	amount, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("metadata.%s: %q is no cost", EvalEverCost, text)
	}
	if err := a.costs(amount, cmp.Or(e.Metadata[EvalEverCurrency], "USD"), f.In); err != nil {
		return fmt.Errorf("metadata.%s: %w", EvalEverCost, err)
	}
	return nil
}
