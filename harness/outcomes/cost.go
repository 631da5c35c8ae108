package outcomes

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Unit reads a number in [0,1]; what it is appears in the error.
func Unit(what, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1 {
		if _, again := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err != nil && again == nil {
			return 0, fmt.Errorf("%s %q is no number in [0,1]: write a point, not a comma, before the decimals", what, text)
		}
		return 0, fmt.Errorf("%s %q is no number in [0,1]", what, text)
	}
	return v, nil
}

// readCosts reads what every query costs, where that is known.
func (l *Log) readCosts() error {
	if l.StudentCost == "" {
		return nil
	}
	for k, given := range []string{l.StudentCost, l.MasterCost} {
		if constant, err := strconv.ParseFloat(given, 64); err == nil {
			l.Costs[k] = slices.Repeat([]float64{constant}, l.Len())
			continue
		}
		var err error
		if l.Costs[k], err = column(l, given, cost); err != nil {
			return err
		}
	}
	if slices.Max(l.Costs[1]) == 0 {
		return fmt.Errorf("the master costs nothing on any row: there is nothing to save; leave the costs out")
	}
	return nil
}

func cost(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("cost %q: want a finite number of 0 or more", text)
	}
	return v, nil
}
