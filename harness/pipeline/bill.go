package pipeline

import (
	"context"
	"iter"
	"slices"

	"infnet/backends"
	"infnet/harness/collect"
)

// Bill is the total usage and price of a plan's calls.
type Bill struct {
	collect.Planned                    // the sums of its counts
	TFLOPs          float64            // of the calls
	Unshaped        bool               // there are calls of a model whose shape is not known
	Price           map[string]float64 // by currency
	Unpriced        bool               // there are calls of a model without prices
}

// Bill adds up a plan's jobs.
func (p *Plan) Bill() Bill {
	b := Bill{Price: map[string]float64{}}
	for _, j := range p.Jobs {
		b.Total, b.OnDisk, b.Calls, b.Earlier = b.Total+j.Total, b.OnDisk+j.OnDisk, b.Calls+j.Calls, b.Earlier+j.Earlier
		b.PromptTokens, b.CompletionTokens = b.PromptTokens+j.PromptTokens, b.CompletionTokens+j.CompletionTokens
		if j.Calls == 0 {
			continue
		}
		tflops, ok := j.TFLOPs()
		b.TFLOPs, b.Unshaped = b.TFLOPs+tflops, b.Unshaped || !ok
		if price := j.Price(); price != nil {
			b.Price[price.Currency] += price.Amount
		} else {
			b.Unpriced = true
		}
	}
	return b
}

// Joint plans several studies together: a request that several of them make is asked once.
type Joint struct {
	RetryFailed bool
	Seen        map[backends.Key]bool // requests of the studies so far
}

// Plan plans a study: all of its own calls, and those that no earlier study makes.
func (a *Joint) Plan(ctx context.Context, st *Study) (own, fresh Plan, err error) {
	own.Unknown = unknownJobs(st)
	fresh.Unknown = own.Unknown
	answers := jobsOf(ctx, st)
	plan := func(p *Plan, j collect.Job, further bool) error {
		planned, err := collect.Plan(ctx, st.store, []collect.Job{j}, collect.Options{RetryFailed: a.RetryFailed})
		if err == nil {
			p.Jobs = append(p.Jobs, PlannedJob{planned[0], st.Model(j.Name), further})
		}
		return err
	}
	for k, j := range slices.Concat(answers, signalJobs(ctx, st, true)) {
		further := k >= len(answers)
		requests, news := map[backends.Key]bool{}, map[backends.Key]bool{}
		for it, err := range j.Items {
			if err != nil {
				return own, fresh, err
			}
			k := it.Request.Key()
			requests[k] = true
			if !a.Seen[k] {
				news[k] = true
			}
		}
		if err := plan(&own, j, further); err != nil {
			return own, fresh, err
		}
		switch len(news) {
		case 0:
		case len(requests): // none was asked before
			fresh.Jobs = append(fresh.Jobs, own.Jobs[len(own.Jobs)-1])
		default:
			j.Items = only(j.Items, news)
			if err := plan(&fresh, j, further); err != nil {
				return own, fresh, err
			}
		}
		for k := range news {
			a.Seen[k] = true
		}
	}
	return own, fresh, nil
}

// only keeps the requests with these keys.
func only(items iter.Seq2[collect.Item, error], keys map[backends.Key]bool) iter.Seq2[collect.Item, error] {
	return func(yield func(collect.Item, error) bool) {
		for it, err := range items {
			if err == nil && !keys[it.Request.Key()] {
				continue
			}
			if !yield(it, err) {
				return
			}
		}
	}
}
