package analyze

import (
	"context"
	"fmt"
	"math"

	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/metrics/infer"
)

// repeats measures all rows again on every further split of the study, with
// everything refitted, and returns their mean and spread; nil = the study has one
// split.
func repeats(ctx context.Context, in Input, a *Analysed) (*result.Repeats, error) {
	k := a.Records.Dataset.Split.Repeats
	if k < 2 {
		return nil, nil
	}
	splits := [][]result.Row{a.Result.Rows}
	out := &result.Repeats{Count: k, Splits: []string{a.Records.Roles.Graph.Hash}}
	for n := 1; n < k; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := records.Vary(a.Records, records.Variation{Study: a.Records.Study, Repeat: n})
		var again *table
		if err == nil {
			again, err = newTable(ctx, in, r)
		}
		if err != nil {
			return nil, fmt.Errorf("split %d of %d: %w", n+1, k, err)
		}
		splits = append(splits, again.rows.results())
		out.Splits = append(out.Splits, r.Roles.Graph.Hash)
	}
	for at := range a.Result.Rows {
		x, err := overSplits(at, splits)
		if err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, x)
	}
	return out, nil
}

// overSplits summarises a row over all splits, which have the same rows in the same
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
		var x result.Spread
		for _, rows := range splits {
			x.Values = append(x.Values, of(&rows[at]).Value)
		}
		x.Mean = average(x.Values)
		for _, v := range x.Values {
			d := v - x.Mean
			x.SD += float64(d * d)
		}
		x.SD = math.Sqrt(x.SD / float64(len(x.Values)-1))
		return x
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
