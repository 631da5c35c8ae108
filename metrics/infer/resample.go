package infer

import (
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
	Keep  int     // bytes of draws that may stay in memory; 0 = 512 MiB, negative = none
}

func (o Options) withDefaults() (Options, error) {
	if o.Count == 0 {
		o.Count = 2000
	}
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Keep == 0 {
		o.Keep = 512 << 20 // 2,000 resamples of 536,870 clusters
	}
	if o.Count < 0 || !(o.Level > 0 && o.Level < 1) {
		return o, fmt.Errorf("bootstrap of %d resamples at level %v: want a positive count and a level between 0 and 1",
			o.Count, o.Level)
	}
	return o, nil
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

// Resamples by what is done with them: how they are drawn, and the three kinds of intervals that no percentile gives.
type (
	draws       Resamples
	jackknifed  Resamples
	studentised Resamples
	shares      Resamples
)

// NewResamples draws resamples of len(groups) records. groups[i] names the
// cluster of record i; "" is a cluster of its own. The random stream gives the
// seed and nothing else: all draws of resample r come from a stream numbered r.
func NewResamples(rng *rand.Rand, groups []string, o Options) (*Resamples, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
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
	if len(resampled) != rs.options.Count {
		return Interval{}, fmt.Errorf("interval from %d values of a statistic, but there are %d resamples", len(resampled),
			rs.options.Count)
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Interval{}, undefined(value)
	}
	x := slices.Clone(resampled)
	for r, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Interval{}, fmt.Errorf("the statistic is undefined on resample %d: %v", r+1, v)
		}
	}
	slices.Sort(x)
	tail := float64((1 - rs.options.Level) / 2)
	return Interval{
		Value: value, Low: min(value, Quantile(x, tail)), High: max(value, Quantile(x, 1-tail)),
		Level: rs.options.Level, N: rs.records, Method: rs.Method(),
	}, nil
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
