package infer

import (
	"fmt"
	"math"
	"slices"
)

// Several is Each for a function of several values: it returns, for each of
// width values, those of all resamples in order. prepare is called once for
// every goroutine and returns the function that fills out, so that the function
// may keep working memory of its own.
func (rs *Resamples) Several(width int, prepare func() func(counts []uint8, out []float64)) [][]float64 {
	values := make([][]float64, width)
	for k := range values {
		values[k] = make([]float64, rs.options.Count)
	}
	parallel(rs.options.Count, func(lo, hi int) {
		f, out := prepare(), make([]float64, width)
		(*draws)(rs).ofRecords(lo, hi, func(r int, counts []uint8) {
			f(counts, out)
			for k, v := range out {
				values[k][r] = v
			}
		})
	})
	return values
}

// Range returns the percentile interval of resampled values that may be
// infinite, such as a cost that no policy can match; NaN is an error.
func (rs *Resamples) Range(resampled []float64) (low, high float64, err error) {
	x := slices.Clone(resampled)
	if len(x) != rs.options.Count {
		return 0, 0, fmt.Errorf("interval from %d values of a statistic, but there are %d resamples", len(x),
			rs.options.Count)
	}
	if r := slices.IndexFunc(x, math.IsNaN); r >= 0 {
		return 0, 0, fmt.Errorf("the statistic is undefined on resample %d", r+1)
	}
	slices.Sort(x)
	tail := float64((1 - rs.options.Level) / 2)
	return extended(x, tail), extended(x, 1-tail), nil
}

// extended is quantile for values among which there may be infinities: between
// a finite value and an infinite one lies the infinite one.
func extended(x []float64, p float64) float64 {
	at := p * float64(len(x)-1)
	i := int(at)
	switch {
	case i+1 >= len(x):
		return x[len(x)-1]
	case at == float64(i) || x[i] == x[i+1]:
		return x[i]
	case math.IsInf(x[i], -1):
		return x[i]
	}
	return Quantile(x, p)
}
