package recorded

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"infnet/backends"
)

// facts reads the grade, the cost, and how tokens and time were counted.
func (r *reader) facts(a *Row) {
	r.grade(a)
	r.cost(a)
	if r.column("latency") == "" {
		r.with("latency_ms", to(&a.Latency, lasting(time.Millisecond)))
	}
	r.with("cached_tokens", func(v any) (err error) {
		a.Usage.Cached, err = part(v, &a.Usage.Prompt, r.CachedApart, "%d cached tokens of a prompt of %d: where they are "+
			"counted apart, set counted_apart = [\"cached\"]")
		return err
	})
	r.with("reasoning_tokens", func(v any) error {
		_, err := part(v, &a.Usage.Completion, r.ReasoningApart, "%d tokens of reasoning in an answer of %d: where they are "+
			"counted apart, set counted_apart = [\"reasoning\"]")
		return err
	})
}

// part reads how many of some tokens are of a kind; counted apart, they become part of the tokens' count.
func part(v any, of *backends.Count, apart bool, more string) (int, error) {
	c, err := count(v)
	n, _ := c.Known()
	if err != nil || n == 0 {
		return 0, err
	}
	if apart {
		*of = of.Plus(c)
	}
	if all, known := of.Known(); known && n > all {
		return 0, fmt.Errorf(more, n, all)
	}
	return n, nil
}

// grade reads whether the answer is right, or how good it is.
func (r *reader) grade(a *Row) {
	correct, score := *r.columns["correct"], *r.columns["score"]
	if correct == "" && score == "" {
		if correct, score = r.column("correct"), r.column("score"); correct != "" && score != "" {
			if r.PreferScore {
				correct = ""
			} else {
				score = ""
			}
		}
	}
	into := func(read func(v any) (float64, error)) func(v any) error {
		return func(v any) error {
			g, err := read(v)
			a.Grade = &g
			return err
		}
	}
	r.at(correct, into(truth))
	r.at(score, into(func(v any) (float64, error) {
		g, err := number(v)
		if err == nil && !(g >= 0 && g <= 1) {
			err = fmt.Errorf("the score %v is outside [0,1]: divide it by the largest there is", g)
		}
		return g, err
	}))
}

// truth reads a grade of right and wrong.
func truth(v any) (float64, error) {
	if text, ok := v.(string); ok && len(text) > 1 {
		if truth, err := strconv.ParseBool(text); err == nil {
			v = truth
		}
	}
	g, err := share(v)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: want 0, 1, true or false", err)
	case g != 0 && g != 1:
		return 0, fmt.Errorf("the grade %v is neither 0 nor 1: name the column as columns.score", g)
	}
	return g, nil
}

// share reads a grade in [0,1], or a truth value.
func share(v any) (float64, error) {
	if truth, ok := v.(bool); ok {
		v = map[bool]float64{true: 1}[truth]
	}
	g, err := number(v)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s is no grade", show(v))
	case !(g >= 0 && g <= 1):
		return 0, fmt.Errorf("the grade %v is outside [0,1]", g)
	}
	return g, nil
}

// cost reads what the answer cost.
func (r *reader) cost(a *Row) {
	name, currency := r.column("cost"), r.In
	if name == "" && r.Wanted && r.row.Has("cost_usd") {
		name, currency = "cost_usd", "USD"
	}
	r.with("currency", func(v any) error {
		text, ok := v.(string)
		if !ok {
			return fmt.Errorf("%s is no currency", show(v))
		}
		currency = text
		return nil
	})
	r.at(name, func(v any) error {
		amount, err := number(v)
		switch {
		case err != nil:
			return err
		case amount < 0:
			return fmt.Errorf("the cost %v is negative: correct the row, or leave it out", amount)
		case math.IsInf(amount, 0):
			return fmt.Errorf("%v is no cost", amount)
		case r.In != "" && currency != r.In:
			return fmt.Errorf("the cost is in %s, and the study's currency is %s: convert the file, or set currency = %q of "+
				"every model", currency, r.In, currency)
		}
		a.Cost = &backends.Money{Amount: amount, Currency: currency}
		return nil
	})
}
