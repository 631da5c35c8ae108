package infer

import (
	"fmt"
	"math"
	"slices"
)

// Batch is statistics that are functions of sums over records. They are
// registered first and computed together by Run, which goes through the draws
// once for all their columns. Columns must not change before it.
type Batch struct {
	rs      *Resamples
	columns [][]float64 // per cluster
	known   map[*float64]int
	jobs    []job
}

// job is one statistic: what it is called in errors, its columns by position,
// and what their sums become, which it must not change.
type job struct {
	what    string
	columns []int
	finish  func(sums [][]float64) error
}

// Batch returns an empty batch.
func (rs *Resamples) Batch() *Batch { return &Batch{rs: rs, known: map[*float64]int{}} }

// add registers a statistic. Columns that are the same slice are summed once.
func (b *Batch) add(what string, finish func(sums [][]float64) error, columns ...[]float64) {
	j := job{what: what, finish: finish}
	for _, x := range columns {
		if len(x) != b.rs.records {
			panic(fmt.Sprintf("infer: %d values for %d records", len(x), b.rs.records))
		}
		at, ok := b.known[&x[0]]
		if !ok {
			at = len(b.columns)
			b.columns, b.known[&x[0]] = append(b.columns, x), at
		}
		j.columns = append(j.columns, at)
	}
	b.jobs = append(b.jobs, j)
}

// Run computes all statistics, in the order in which they were registered, up to
// the first error.
func (b *Batch) Run() error {
	sums := b.rs.SumsOf(b.columns...)
	for _, j := range b.jobs {
		own := make([][]float64, len(j.columns))
		for k, at := range j.columns {
			own[k] = sums[at]
		}
		if err := j.finish(own); err != nil {
			if j.what == "" {
				return err
			}
			return fmt.Errorf("%s: %w", j.what, err)
		}
	}
	return nil
}

// Of is Resamples.Of, into an interval that Run fills in; what names it in errors.
func (b *Batch) Of(what string, into *Interval, value func(sums []float64) float64, columns ...[]float64) {
	b.add(what, func(sums [][]float64) (err error) {
		one := make([]float64, len(columns))
		for k, x := range columns {
			one[k] = sum(x)
		}
		point, out := value(one), make([]float64, b.rs.options.Count)
		for r := range out {
			for k := range columns {
				one[k] = sums[k][r]
			}
			out[r] = value(one)
		}
		*into, err = b.rs.Interval(point, out)
		return err
	}, columns...)
}

// Mean is Resamples.Mean, into an interval that Run fills in.
func (b *Batch) Mean(what string, into *Interval, x []float64) {
	b.mean(what, into, x, func(iv Interval) (Interval, error) { return iv, nil })
}

// mean is Mean with an interval that is changed at last.
func (b *Batch) mean(what string, into *Interval, x []float64, change func(Interval) (Interval, error)) {
	b.meanOf(what, x, func(means []float64) error {
		iv, err := b.rs.Interval(sum(x)/float64(b.rs.records), means)
		if err == nil {
			*into, err = change(iv)
		}
		return err
	})
}

// meanOf passes on the means of x over the resamples.
func (b *Batch) meanOf(what string, x []float64, finish func(means []float64) error) {
	if b.rs.clusters == b.rs.records {
		b.add(what, func(sums [][]float64) error {
			means := slices.Clone(sums[0])
			for r := range means {
				means[r] /= float64(b.rs.records)
			}
			return finish(means)
		}, x)
		return
	}
	b.add(what, func(sums [][]float64) error {
		means := slices.Clone(sums[0])
		for r, n := range sums[1] {
			means[r] /= n
		}
		return finish(means)
	}, x, b.rs.ones())
}

// Difference is Resamples.Difference, into an interval that Run fills in.
func (b *Batch) Difference(what string, into *Interval, x, y []float64) {
	d := make([]float64, len(x))
	for i := range x {
		d[i] = x[i] - y[i]
	}
	b.Mean(what, into, d)
}

// Saved is Resamples.Saved, into an interval that Run fills in.
func (b *Batch) Saved(what string, into *Interval, cost, master []float64) {
	b.Of(what, into, func(s []float64) float64 { return 100 * (1 - s[0]/s[1]) }, cost, master)
}

// RateOf is Resamples.RateOf, into an interval that Run fills in.
func (b *Batch) RateOf(what string, into *Interval, x []float64) {
	rs := b.rs
	if len(x) != rs.records || x[0] != 0 && x[0] != 1 ||
		slices.ContainsFunc(x, func(v float64) bool { return v != x[0] }) {
		b.Mean(what, into, x)
		return
	}
	b.add(what, func([][]float64) error {
		iv, err := ClopperPearson(int(x[0])*rs.clusters, rs.clusters, rs.options.Level)
		iv.N = rs.records
		*into = iv
		return err
	})
}

// MeanWithin is Mean for values in [low, high]. Where all of them are at one
// end, the interval is that of a rate, scaled to the range: a record at the end
// has at most probability (mean − low)/(high − low), so the bound for a rate
// holds for the mean of any values in the range. low or high may be infinite:
// an infinite end is never reached, and no bound follows from the other.
func (b *Batch) MeanWithin(what string, into *Interval, x []float64, low, high float64) {
	b.mean(what, into, x, func(iv Interval) (Interval, error) { return b.rs.within(iv, x, low, high) })
}

// within gives the interval of a mean of values in [low, high] a width where all
// of them are at one end.
func (rs *Resamples) within(iv Interval, x []float64, low, high float64) (Interval, error) {
	width := high - low
	if math.IsInf(width, 0) || !(width > 0) {
		return iv, nil
	}
	least, most := slices.Min(x), slices.Max(x)
	slack := float64(edgeSlack * width)
	var hits int
	switch {
	case least >= high-slack:
		hits = rs.clusters
	case most > low+slack:
		return iv, nil
	}
	rate, err := ClopperPearson(hits, rs.clusters, rs.options.Level)
	if err != nil {
		return iv, err
	}
	iv.Low, iv.High, iv.Method = low+float64(width*rate.Low), low+float64(width*rate.High), MethodClopperPearson
	iv.Low, iv.High = min(iv.Low, iv.Value), max(iv.High, iv.Value)
	return iv, nil
}
