package recorded

import (
	"fmt"
	"math"
	"time"

	"infnet/backends"
	"infnet/harness/dataset"
)

// facts reads the grade, the cost, and how tokens and time were counted.
func (r *reader) facts(a *Row, c dataset.AnswerColumns, f Facts) {
	usual := func(name string) string {
		if f.Wanted {
			return name
		}
		return ""
	}
	r.grade(a, f, usual)
	r.cost(a, f, usual)
	if c.Latency == "" && !r.row.Has("latency") {
		r.with(f.LatencyMS, usual("latency_ms"), func(v any) error {
			ms, err := number(v)
			if err == nil {
				a.Latency, err = lasting(ms, time.Millisecond)
			}
			return err
		})
	}
	r.cached(a, f, usual("cached_tokens"))
	r.reasoning(a, f, usual("reasoning_tokens"))
}

// grade reads whether the answer is right, or how good it is.
func (r *reader) grade(a *Row, f Facts, usual func(string) string) {
	correct, score := f.Correct, f.Score
	if correct == "" && score == "" && f.Wanted {
		switch {
		case r.row.Has("score") && (f.PreferScore || !r.row.Has("correct")):
			score = "score"
		case r.row.Has("correct"):
			correct = "correct"
		}
	}
	r.with(correct, "", func(v any) error {
		g, err := truth(v)
		a.Grade = &g
		return err
	})
	r.with(score, "", func(v any) error {
		g, err := number(v)
		if err == nil && !(g >= 0 && g <= 1) {
			err = fmt.Errorf("the score %v is outside [0,1]: divide it by the largest there is", g)
		}
		a.Grade = &g
		return err
	})
}

// truth reads a grade of right and wrong.
func truth(v any) (float64, error) {
	switch v {
	case true, "true", "True", "TRUE":
		return 1, nil
	case false, "false", "False", "FALSE":
		return 0, nil
	}
	g, err := number(v)
	if err != nil {
		return 0, fmt.Errorf("%s is no grade: want 0, 1, true or false", show(v))
	}
	if g < 0 || g > 1 {
		return 0, fmt.Errorf("the grade %v is outside [0,1]: want 0, 1, true or false", g)
	}
	if g != 0 && g != 1 {
		return 0, fmt.Errorf("the grade %v is neither 0 nor 1: name the column as columns.score", g)
	}
	return g, nil
}

// cost reads what the answer cost.
func (r *reader) cost(a *Row, f Facts, usual func(string) string) {
	name, currency := f.Cost, f.In
	if name == "" && f.Wanted {
		switch {
		case r.row.Has("cost"):
			name = "cost"
		case r.row.Has("cost_usd"):
			name, currency = "cost_usd", "USD"
		}
	}
	r.with(f.Currency, usual("currency"), func(v any) error {
		text, ok := v.(string)
		if !ok {
			return fmt.Errorf("%s is no currency", show(v))
		}
		currency = text
		return nil
	})
	r.with(name, "", func(v any) error {
		amount, err := number(v)
		switch {
		case err != nil:
			return err
		case amount < 0:
			return fmt.Errorf("the cost %v is negative: correct the row, or leave it out", amount)
		case math.IsInf(amount, 0):
			return fmt.Errorf("%v is no cost", amount)
		case f.In != "" && currency != f.In:
			return fmt.Errorf("the cost is in %s, and the study's currency is %s: convert the file, or set currency = %q of "+
				"every model", currency, f.In, currency)
		}
		a.Cost = &backends.Money{Amount: amount, Currency: currency}
		return nil
	})
}

// cached reads the prompt tokens from the vendor's cache, which afterwards are part of the prompt's count.
func (r *reader) cached(a *Row, f Facts, usual string) {
	r.with(f.CachedTokens, usual, func(v any) error {
		c, err := count(v)
		n, _ := c.Known()
		if err != nil || n == 0 {
			return err
		}
		if f.CachedApart {
			a.Usage.Prompt = a.Usage.Prompt.Plus(c)
		}
		prompt, known := a.Usage.Prompt.Known()
		if known && n > prompt {
			return fmt.Errorf("%d cached tokens of a prompt of %d: where they are counted apart, set counted_apart = "+
				"[\"cached\"]", n, prompt)
		}
		a.Usage.Cached = n
		return nil
	})
}

// reasoning reads the tokens of reasoning, which afterwards are part of the completion's count.
func (r *reader) reasoning(a *Row, f Facts, usual string) {
	r.with(f.ReasoningTokens, usual, func(v any) error {
		c, err := count(v)
		n, _ := c.Known()
		if err != nil || n == 0 {
			return err
		}
		if f.ReasoningApart {
			a.Usage.Completion = a.Usage.Completion.Plus(c)
			return nil
		}
		if all, known := a.Usage.Completion.Known(); known && n > all {
			return fmt.Errorf("%d tokens of reasoning in an answer of %d: where they are counted apart, set counted_apart = "+
				"[\"reasoning\"]", n, all)
		}
		return nil
	})
}
