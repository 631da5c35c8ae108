package infer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// Options of a bootstrap. The zero value is the default of every study.
type Options struct {
	Count int     // resamples; 0 = 2,000
	Level float64 // of the intervals, in (0,1); 0 = 0.95
	Keep  int     // bytes of draws that may stay in memory; 0 = 512 MiB, for 2,000 of 536,870 clusters; negative = none
}

// Resamples is one set of bootstrap resamples of a dataset's records, shared
// by all policies and metrics, so that their differences can be taken resample
// by resample. Records of one cluster are drawn together.
//
// It holds how often each cluster was drawn in each resample, in a byte each up
// to 64 MiB and in half a byte up to Options.Keep, from the first use on. Beyond
// that the draws are made again, from the same streams, whenever they are gone
// through: then statistics computed together (SumsOf, Several) take less
// time than one after the other. Neither this nor the number of CPUs changes a
// bit of the results. Safe for concurrent use. gonum has samplers, but no
// bootstrap.
type Resamples struct {
	options  Options
	records  int
	cluster  []int // of each record
	clusters int
	seed     uint64
	once     sync.Once
	plain    []uint8 // all draws, a row of clusters each; nil = see packed
	packed   *packed // all draws; nil = they are made again whenever they are gone through
	counting sync.Once
	one      []float64 // see ones
}

// NewResamples draws resamples of len(groups) records. groups[i] names the
// cluster of record i; "" is a cluster of its own. The random stream gives the
// seed and nothing else: all draws of resample r come from a stream numbered r.
func NewResamples(rng *rand.Rand, groups []string, o Options) (*Resamples, error) {
	o = Options{cmp.Or(o.Count, 2000), cmp.Or(o.Level, 0.95), cmp.Or(o.Keep, 512<<20)}
	if o.Count < 0 || !(o.Level > 0 && o.Level < 1) {
		return nil, fmt.Errorf("bootstrap of %d resamples at level %v: want a positive count and a level between 0 and 1",
			o.Count, o.Level)
	}
	if len(groups) == 0 {
		return nil, errors.New("bootstrap of no records: the test part is empty")
	}
	rs := &Resamples{options: o, records: len(groups), seed: rng.Uint64()}
	rs.cluster, rs.clusters = Units(groups, len(groups))
	return rs, nil
}

// Units numbers the clusters of n records in order of appearance: groups[i] names the
// cluster of record i; "", or no groups at all, is a cluster of its own.
func Units(groups []string, n int) (of []int, count int) {
	of = make([]int, n)
	seen := map[string]int{}
	for i := range of {
		c, ok := count, false
		if groups != nil && groups[i] != "" {
			if c, ok = seen[groups[i]]; !ok {
				c = count
				seen[groups[i]] = c
			}
		}
		if of[i] = c; !ok {
			count++
		}
	}
	return of, count
}

// Records returns how many records are resampled.
func (rs *Resamples) Records() int { return rs.records }

// Clusters returns the number of clusters; equal to Records where every record is
// its own cluster.
func (rs *Resamples) Clusters() int { return rs.clusters }

// Level returns the level of the intervals.
func (rs *Resamples) Level() float64 { return rs.options.Level }

// Together returns the same resamples for n intervals that hold together at this level: each at 1 − (1 − level)/n, by
// Bonferroni's inequality.
func (rs *Resamples) Together(n int) *Resamples {
	o := rs.options
	o.Level = 1 - (1-o.Level)/float64(max(1, n))
	return &Resamples{options: o, records: rs.records, cluster: rs.cluster, clusters: rs.clusters, seed: rs.seed}
}

// undefined is the error of a statistic without a value.
func undefined(value float64) error {
	return fmt.Errorf("the statistic is undefined on the records: %v", value)
}

// Interval returns the percentile interval around value, the statistic on the
// records themselves, from its values on the resamples; it holds value. A value that is not a
// number is an error: the statistic is undefined on some resample.
func (rs *Resamples) Interval(value float64, resampled []float64) (Interval, error) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Interval{}, undefined(value)
	}
	for r, v := range resampled {
		if math.IsInf(v, 0) {
			return Interval{}, fmt.Errorf("the statistic is undefined on resample %d: %v", r+1, v)
		}
	}
	low, high, err := rs.Range(resampled)
	return Interval{Value: value, Low: min(value, low), High: max(value, high), Level: rs.options.Level, N: rs.records,
		Method: rs.Method()}, err
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

// extended is Quantile for values among which there may be infinities: between
// a finite value and an infinite one lies the infinite one.
func extended(x []float64, p float64) float64 {
	at := p * float64(len(x)-1)
	i := int(at)
	switch {
	case i+1 >= len(x):
		return x[len(x)-1]
	case at == float64(i) || x[i] == x[i+1] || math.IsInf(x[i], -1):
		return x[i]
	}
	return Quantile(x, p)
}

// Several returns, for each of width values, those of all resamples in order. prepare is called once for
// every goroutine and returns the function that fills out, so that the function
// may keep working memory of its own.
func (rs *Resamples) Several(width int, prepare func() func(counts []uint8, out []float64)) [][]float64 {
	values := make([][]float64, width)
	for k := range values {
		values[k] = make([]float64, rs.options.Count)
	}
	parallel(rs.options.Count, func(lo, hi int) {
		f, out := prepare(), make([]float64, width)
		ofRecords(rs, lo, hi, func(r int, counts []uint8) {
			f(counts, out)
			for k, v := range out {
				values[k][r] = v
			}
		})
	})
	return values
}

// Method is that of percentile intervals.
func (rs *Resamples) Method() string {
	if rs.clusters < rs.records {
		return MethodClusterBootstrap
	}
	return MethodBootstrap
}

// parallel splits n items among the CPUs and waits for all.
func parallel(n int, work func(lo, hi int)) {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		work(0, n)
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { work(n*w/workers, n*(w+1)/workers) })
	}
	wg.Wait()
}
