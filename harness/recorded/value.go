package recorded

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"infnet/backends"
)

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

// count reads a number of tokens.
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

// logprob reads the log-probability of a label, up to a constant.
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

// numbers reads a list of numbers.
func numbers(v any) ([]float64, error) {
	l, err := list(v)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(l))
	for i, x := range l {
		if out[i], err = number(x); err != nil {
			return nil, fmt.Errorf("element %d: %w", i+1, err)
		}
	}
	return out, nil
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

// show is a value in an error.
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
