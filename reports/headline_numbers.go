package reports

import (
	"fmt"
	"math"

	"infnet/harness/result/note"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// percentWords is a saving with its interval: "16.4 % [10.4, 22.4]".
func percentWords(iv infer.Interval) string {
	if !finite(iv) {
		return "n/a"
	}
	d := digits(iv)
	return table.Exactly(iv.Value, d).String() + " %" + brackets(iv, d)
}

// share is a rate in percent with its interval.
func share(iv infer.Interval) string { return percentWords(times100(iv)) }

// differs words a difference of error rates: "0.5 points [-1.0, 2.0] higher".
func differs(d infer.Interval) string {
	d = times100(d)
	if !finite(d) {
		return "not known to differ"
	}
	n, word := digits(d), "higher"
	switch {
	case d.Value == 0:
		return "the same" + brackets(d, n)
	case d.Value < 0:
		word, d = "lower", note.Negative(d)
	}
	return fmt.Sprintf("%s points%s %s", table.Exactly(d.Value, n).String(), brackets(d, n), word)
}

// relative sets an error beside that of a model.
func relative(d infer.Interval, model string) string {
	if d.Value != 0 || !finite(d) {
		return fmt.Sprintf("%s than %s alone", differs(d), short(model))
	}
	d = times100(d)
	return fmt.Sprintf("the same as %s alone (difference in points:%s)", short(model), brackets(d, digits(d)))
}

// bare is an interval without a unit.
func bare(iv infer.Interval) string {
	n := digits(iv)
	return table.Exactly(iv.Value, n).String() + brackets(iv, n)
}

// brackets is the interval; nothing where it is a point by definition.
func brackets(iv infer.Interval, decimals int) string {
	if iv.High-iv.Low < 1e-9 {
		return ""
	}
	return fmt.Sprintf(" [%s, %s]", table.Exactly(iv.Low, decimals).String(), table.Exactly(iv.High, decimals).String())
}

// digits is how many decimals an interval is written with.
func digits(iv infer.Interval) int { return note.Digits(iv.Value, iv.Low, iv.High) }

func times100(iv infer.Interval) infer.Interval {
	iv.Value, iv.Low, iv.High = 100*iv.Value, 100*iv.Low, 100*iv.High
	return iv
}

// errorCount is a number of errors, whole or with two decimals where errors are soft.
func errorCount(v float64) string {
	if v == math.Trunc(v) {
		return table.Exactly(v, 0).String()
	}
	return table.Exactly(v, 2).String()
}
