package pipeline

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"

	"infnet/backends"
	"infnet/harness/collect"
)

// Bill is the total usage and price of some calls.
type Bill struct {
	Requests, OnDisk, Calls, Prompt, Completion int

	TFLOPs     float64
	Unshaped   bool               // there are calls of a model whose shape is not known
	Price      map[string]float64 // by currency
	ByBatch    map[string]float64 // the same where batch files would be cheaper, by currency
	Discounted bool               // there are calls that would be cheaper in batch files
	Unpriced   bool               // there are calls of a model without prices
	Incomplete bool               // something is not on this machine, and not counted
}

// count adds a job.
func (b *Bill) count(j PlannedJob) {
	b.Requests += j.Total
	b.OnDisk += j.OnDisk
	b.Calls += j.Calls
	b.Prompt += j.PromptTokens
	b.Completion += j.CompletionTokens
	if j.Calls == 0 {
		return
	}
	if tflops, ok := j.TFLOPs(); ok {
		b.TFLOPs += tflops
	}
	b.Unshaped = b.Unshaped || j.model.known.Shape == nil
	price, currency, ok := j.Price()
	if !ok {
		b.Unpriced = true
		return
	}
	byBatch, _, cheaper := j.BatchPrice()
	b.Discounted = b.Discounted || cheaper
	b.pay(currency, price, byBatch)
}

func (b *Bill) pay(currency string, price, byBatch float64) {
	if b.Price == nil {
		b.Price, b.ByBatch = map[string]float64{}, map[string]float64{}
	}
	b.Price[currency] += float64(price)
	b.ByBatch[currency] += float64(byBatch)
}

// Add adds another bill.
func (b *Bill) Add(o Bill) {
	b.Requests, b.OnDisk, b.Calls = b.Requests+o.Requests, b.OnDisk+o.OnDisk, b.Calls+o.Calls
	b.Prompt, b.Completion, b.TFLOPs = b.Prompt+o.Prompt, b.Completion+o.Completion, b.TFLOPs+o.TFLOPs
	b.Discounted = b.Discounted || o.Discounted
	b.Unshaped, b.Unpriced, b.Incomplete = b.Unshaped || o.Unshaped, b.Unpriced || o.Unpriced, b.Incomplete || o.Incomplete
	for currency, v := range o.Price {
		b.pay(currency, v, o.ByBatch[currency])
	}
}

// Joint plans several studies together: a request that several of them make is asked once. The zero
// value is ready to use.
type Joint struct {
	RetryFailed bool
	Bases       map[string]bool // how tokens were counted

	seen  map[backends.Key]bool
	known map[[sha256.Size]byte]collect.Planned // by all requests of a job
}

// Bill bills a study: all of its own calls, and those that no earlier study makes.
func (a *Joint) Bill(ctx context.Context, st *Study) (own, fresh Bill, err error) {
	if a.seen == nil {
		a.seen, a.known, a.Bases = map[backends.Key]bool{}, map[[sha256.Size]byte]collect.Planned{}, map[string]bool{}
	}
	own.Incomplete = len(collection{st}.unknownJobs()) > 0
	fresh.Incomplete = own.Incomplete
	for _, j := range (collection{st}).jobs(ctx) {
		digest, news, err := a.look(j)
		if err != nil {
			return own, fresh, err
		}
		p, known := a.known[digest]
		if !known {
			if p, err = a.plan(ctx, st, j); err != nil {
				return own, fresh, err
			}
			a.known[digest] = p
		}
		m := st.Model(j.Name)
		own.count(PlannedJob{p, m})
		switch {
		case len(news) == p.Total-p.Shared: // none was asked before
			fresh.count(PlannedJob{p, m})
		case len(news) > 0:
			j.Items = only(j.Items, news)
			if p, err = a.plan(ctx, st, j); err != nil {
				return own, fresh, err
			}
			fresh.count(PlannedJob{p, m})
		}
		for k := range news {
			a.seen[k] = true
		}
	}
	return own, fresh, nil
}

func (a *Joint) plan(ctx context.Context, st *Study, j collect.Job) (collect.Planned, error) {
	planned, err := collect.Plan(ctx, st.store, []collect.Job{j}, collect.Options{RetryFailed: a.RetryFailed})
	if err != nil {
		return collect.Planned{}, err
	}
	if p := planned[0]; p.Calls > 0 {
		a.Bases[string(p.PromptBasis)], a.Bases[string(p.CompletionBasis)] = true, true
	}
	return planned[0], nil
}

// look returns a digest of a job's requests, and those that no study has made so far.
func (a *Joint) look(j collect.Job) (digest [sha256.Size]byte, news map[backends.Key]bool, err error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q", j.Hash, j.Name)
	news = map[backends.Key]bool{}
	for it, err := range j.Items {
		if err != nil {
			return digest, nil, err
		}
		k := it.Request.Key()
		h.Write(k[:])
		if !a.seen[k] {
			news[k] = true
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), news, nil
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
