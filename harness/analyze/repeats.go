package analyze

import (
	"context"
	"fmt"
	"math"

	"infnet/harness/result"
	"infnet/metrics/infer"
)

// resamples is how many the intervals rest on. A repeated split has none: its
// rows count by their values alone.
func (b *Bench) resamples() int {
	if b.Repeat > 0 {
		return 1
	}
	return b.in.Study.Report.Bootstrap
}

// repeats measures all rows again on every further split that the study asks
// for, with everything fitted anew, and fills in their mean and spread.
func (b *Bench) repeats(ctx context.Context) error {
	k := b.Dataset.Split.Repeats
	if k < 2 {
		return nil
	}
	splits := [][]result.Row{b.out.Rows}
	out := &result.Repeats{Count: k, Splits: []string{b.Roles.Graph.Hash}}
	for r := 1; r < k; r++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		again, err := b.Repeated(r)
		n := &Bench{Records: again, in: b.in}
		if err == nil {
			err = n.analyze(ctx)
		}
		if err != nil {
			return fmt.Errorf("split %d of %d: %w", r+1, k, err)
		}
		splits = append(splits, n.out.Rows)
		out.Splits = append(out.Splits, n.Roles.Graph.Hash)
	}
	for at := range b.out.Rows {
		row, err := overSplits(at, splits)
		if err != nil {
			return err
		}
		out.Rows = append(out.Rows, row)
	}
	b.out.Repeats = out
	return nil
}

// overSplits is a row over all splits, which have the same rows in the same
// order.
func overSplits(at int, splits [][]result.Row) (result.Repeated, error) {
	first := &splits[0][at]
	out := result.Repeated{Policy: first.Policy, Title: first.Title, Metrics: map[string]result.Spread{}}
	for r, rows := range splits {
		if at >= len(rows) || rows[at].Policy != first.Policy {
			return out, fmt.Errorf("split %d has no row %s where the first has it", r+1, first.Policy)
		}
	}
	over := func(of func(r *result.Row) infer.Interval) result.Spread {
		var values []float64
		for _, rows := range splits {
			values = append(values, of(&rows[at]).Value)
		}
		return spread(values)
	}
	for name := range first.Metrics {
		out.Metrics[name] = over(func(r *result.Row) infer.Interval { return r.Metrics[name] })
	}
	out.Error = over(func(r *result.Row) infer.Interval { return r.Error })
	out.Deferred = over(func(r *result.Row) infer.Interval { return r.Deferred })
	out.Saved = over(func(r *result.Row) infer.Interval { return r.Saved })
	out.SavedPerQuery = over(func(r *result.Row) infer.Interval { return r.SavedPerQuery })
	return out, nil
}

// spread is the mean and the standard deviation (n−1) of two numbers or more.
func spread(values []float64) result.Spread {
	s := result.Spread{Mean: average(values), Values: values}
	var square float64
	for _, v := range values {
		d := v - s.Mean
		square += float64(d * d)
	}
	s.SD = math.Sqrt(square / float64(len(values)-1))
	return s
}
