package recorded

import (
	"fmt"
	"math"
	"time"

	"infnet/backends"
)

// What every format states in numbers, and the numbers that are refused.

// graded takes a score for the grade.
func (a *Row) graded(score float64) error {
	if !(score >= 0 && score <= 1) {
		return fmt.Errorf("the score %v is outside [0,1]: divide it by the largest there is", score)
	}
	a.Grade = &score
	return nil
}

// costs takes what the answer cost, in the currency that is wanted; "" = any.
func (a *Row) costs(amount float64, currency, wanted string) error {
	switch {
	case amount < 0:
		return fmt.Errorf("the cost %v is negative: correct the row, or leave it out", amount)
	case math.IsInf(amount, 0) || math.IsNaN(amount):
		return fmt.Errorf("%v is no cost", amount)
	case wanted != "" && currency != wanted:
		return fmt.Errorf("the cost is in %s, and the study's currency is %s: convert the file, or set currency = %q of "+
			"every model", currency, wanted, currency)
	}
	a.Cost = &backends.Money{Amount: amount, Currency: currency}
	return nil
}

// took takes the time, in seconds or milliseconds: up to a million seconds.
func (a *Row) took(t float64, unit time.Duration) error {
	if !(t >= 0 && t <= 1e6*float64(time.Second/unit)) {
		return fmt.Errorf("%v is no time in %s", t, map[time.Duration]string{time.Second: "seconds",
			time.Millisecond: "milliseconds"}[unit])
	}
	a.Latency = time.Duration(math.Round(t * float64(unit)))
	return nil
}

// counted takes a number of tokens, where one is stated.
func counted(stated *int, into *backends.Count) error {
	if stated == nil {
		return nil
	}
	if *stated < 0 {
		return fmt.Errorf("%d tokens: a count cannot be negative", *stated)
	}
	*into = backends.Counted(*stated)
	return nil
}
