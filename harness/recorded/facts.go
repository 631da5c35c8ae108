package recorded

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"infnet/backends"
	"infnet/harness/calc"
)

// facts reads the grade, the cost, and how tokens and time were counted.
func (r *reader) facts(a *Row) {
	r.grade(a)
	r.cost(a)
	if r.column("latency") == "" {
		r.with("latency_ms", to(&a.Latency, lasting(time.Millisecond)))
	}
	r.with("cached_tokens", func(v any) (err error) {
		a.Usage.Cached, err = part(v, &a.Usage.Prompt, r.cachedApart, "%d cached tokens of a prompt of %d")
		return err
	})
	r.with("reasoning_tokens", func(v any) error {
		_, err := part(v, &a.Usage.Completion, false, "%d tokens of reasoning in an answer of %d")
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
		return 0, fmt.Errorf(more+": add them to the count in the file", n, all)
	}
	return n, nil
}

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

// Confidences finds out whether all confidences of a model are one number, which cannot tell which of
// its answers are right.
type Confidences struct {
	Value float64 // of the first answer that was added
	Place string  // of the answer with the lowest number

	n, at  int
	varies bool
}

// Add adds an answer: its confidence or, where it has none, the log-probabilities of its tokens. An
// answer with neither is taken to vary. Number orders answers, and place says where the answer is.
func (c *Confidences) Add(confidence *float64, tokens []backends.Token, number int, place string) {
	var beta float64
	switch {
	case confidence != nil:
		beta = *confidence
	case len(tokens) > 0:
		for _, t := range tokens {
			beta += t.Logprob / float64(len(tokens))
		}
		beta = calc.Exp(beta)
	default:
		c.varies = true // log-probabilities of labels
		return
	}
	if c.n == 0 {
		c.Value = beta
	}
	if c.n == 0 || number < c.at {
		c.at, c.Place = number, place
	}
	c.n++
	c.varies = c.varies || beta != c.Value
}

// Same reports whether two answers or more were added and all had the same confidence.
func (c *Confidences) Same() bool { return c.n > 1 && !c.varies }

// number reads a number: one, or a text that is one. "-inf" is allowed, NaN is
// not.
func number(v any) (float64, error) {
	var f float64
	var err error
	switch v := v.(type) {
	case float64:
		f = v
	case float32:
		f, err = strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	case int64:
		f = float64(v)
	case uint64:
		f = float64(v)
	case json.Number:
		f, err = v.Float64()
	case string:
		f, err = strconv.ParseFloat(strings.TrimSpace(v), 64)
	default:
		return 0, fmt.Errorf("%s is no number", show(v))
	}
	if err != nil || math.IsNaN(f) {
		return 0, fmt.Errorf("%s is no number", show(v))
	}
	return f, nil
}

func count(v any) (backends.Count, error) {
	f, err := number(v)
	if err != nil {
		return backends.Count{}, err
	}
	if f < 0 || f > 1e9 || f != math.Trunc(f) {
		return backends.Count{}, fmt.Errorf("%v is no number of tokens", f)
	}
	return backends.Counted(int(f)), nil
}

// lasting reads a time in seconds or milliseconds, of up to a million seconds.
func lasting(unit time.Duration) func(v any) (time.Duration, error) {
	return func(v any) (time.Duration, error) {
		t, err := number(v)
		if err == nil && !(t >= 0 && t <= 1e6*float64(time.Second/unit)) {
			err = fmt.Errorf("%v is no time in %s", t, map[time.Duration]string{time.Second: "seconds",
				time.Millisecond: "milliseconds"}[unit])
		}
		if err != nil {
			return 0, err
		}
		return time.Duration(math.Round(t * float64(unit))), nil
	}
}

func logprob(v any) (float64, error) {
	lp, err := number(v)
	if err == nil && math.IsInf(lp, 1) {
		err = fmt.Errorf("%v is no log-probability", lp)
	}
	return lp, err
}

// list reads a list: one, or a text that is one in JSON, as cells of CSV hold
// it.
func list(v any) ([]any, error) {
	if s, ok := v.(string); ok {
		v = fromJSON(s)
	}
	l, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%s is no list", show(v))
	}
	return l, nil
}

// fromJSON returns the value of a text in JSON, or the text.
func fromJSON(s string) any {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return s
	}
	return v
}

func show(v any) string {
	b, err := json.Marshal(v)
	if f, ok := v.(float64); ok && err != nil {
		return fmt.Sprint(f) // NaN or infinite
	}
	if err != nil {
		return fmt.Sprintf("a value of type %T", v)
	}
	if s := string(b); len(s) <= 60 {
		return s
	}
	return strings.ToValidUTF8(string(b[:60]), "") + "…"
}
