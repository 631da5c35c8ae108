package infer

import (
	"math"

	"infnet/harness/calc"
)

// MethodDeLong is the method of an AUROC's interval on many records: the estimate
// and the normal quantile of its standard error.
const MethodDeLong = "delong"

// delongFrom is the number of independent records from which an AUROC is not
// resampled. Its resampled values are then normal, so that both intervals differ
// by less than the resamples' own error, and one needs a draw per record and
// resample where the other needs none.
const delongFrom = 50_000

// Ranking is a score with a binary outcome for the records of a set of resamples.
type Ranking interface {
	AUROC(counts []uint8) float64 // with record i counted counts[i] times, nil = once; NaN = one outcome only
	DeLong() float64              // the AUROC's standard error; NaN = undefined
}

// AUROC returns the interval of an area under the ROC curve: percentiles over the
// resamples that have both outcomes, or DeLong's from 50,000 independent records on.
// defined is false where the records have one outcome only.
func (rs *Resamples) AUROC(r Ranking) (iv Interval, defined bool, err error) {
	value := r.AUROC(nil)
	if math.IsNaN(value) {
		return Interval{}, false, nil
	}
	if rs.clusters == rs.records && rs.records >= delongFrom {
		if se := r.DeLong(); !math.IsNaN(se) {
			half := float64(calc.NormalQuantile((1+rs.options.Level)/2) * se)
			return Interval{
				Value: value, Low: max(0, value-half), High: min(1, value+half),
				Level: rs.options.Level, N: rs.records, Method: MethodDeLong,
			}, true, nil
		}
	}
	iv, err = rs.IntervalWhereDefined(value, rs.Each(r.AUROC))
	return iv, true, err
}
