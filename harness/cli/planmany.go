package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/cost"
)

// bill is what some calls amount to.
type bill struct {
	requests, disk, calls, prompt, completion int

	tflops     float64
	unshaped   bool // calls of a model whose shape is not known
	price      map[string]float64
	unpriced   bool // calls of a model without prices
	incomplete bool // something is not on this machine, and not counted
}

// several prints a line for each study, as if it were the only one, and the
// sum, in which a request that several studies make is asked once.
func (c *planCommand) several(ctx context.Context, s *streams) error {
	all := &shared{seen: map[backends.Key]bool{}, known: map[[sha256.Size]byte]collect.Planned{}, options: collect.Options{RetryFailed: c.RetryFailed}, bases: map[string]bool{}}
	lines := [][]string{{"STUDY", "", "REQUESTS", "ON DISK", "CALLS", "SHARED", "TOKENS IN", "OUT", "TFLOPS", "PRICE"}}
	var total bill
	var missing []away
	var fits []training
	var studies []*study
	for _, name := range c.Specs {
		st, err := (&studyFlags{Spec: name, askedFlags: c.askedFlags}).open(ctx, s, looked)
		if err != nil {
			return err
		}
		studies = append(studies, st)
		own, fresh, err := all.plan(ctx, st)
		st.screen.wait()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		tuners := st.tuners(true)
		if err := tuners.check(ctx); err != nil { // notes encoders that are away, too
			return fmt.Errorf("%s: %w", name, err)
		}
		trained, err := tuners.planned(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, t := range trained {
			t.cascade = st.spec.Name + ", " + t.cascade
			fits = append(fits, t)
		}
		lines = append(lines, own.line(st.spec.Name, own.calls-fresh.calls))
		total.add(fresh)
		for _, a := range st.away {
			if !slices.Contains(missing, a) {
				missing = append(missing, a)
			}
		}
	}
	last := total.line("all of them", 0)
	last[5] = ""
	if err := printColumns(s.out, append(lines, last)); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "\nSHARED: calls of a study that one above it makes too; the last line counts them once.")
	if bases := sorted(all.bases); len(bases) > 0 {
		fmt.Fprintln(s.out, "Tokens by "+strings.Join(bases, "; ")+".")
	}
	if total.incomplete {
		fmt.Fprintln(s.out, "≥: more, as something is not on this machine yet.")
	}
	for _, st := range studies {
		if err := st.showOlder(s.out); err != nil {
			return err
		}
	}
	if err := (&study{away: missing}).showAway(s.out); err != nil {
		return err
	}
	return showTraining(s.out, fits)
}

// shared is what several studies ask together.
type shared struct {
	seen    map[backends.Key]bool
	known   map[[sha256.Size]byte]collect.Planned // by all requests of a job
	options collect.Options
	bases   map[string]bool // how tokens were counted
}

// plan bills a study: what it asks by itself, and what no study before it
// asks.
func (a *shared) plan(ctx context.Context, st *study) (own, fresh bill, err error) {
	own.incomplete = len(st.unplanned()) > 0
	fresh.incomplete = own.incomplete
	for _, j := range st.jobs(ctx) {
		digest, news, err := a.look(j)
		if err != nil {
			return own, fresh, err
		}
		p, known := a.known[digest]
		if !known {
			if p, err = a.one(ctx, st, j); err != nil {
				return own, fresh, err
			}
			a.known[digest] = p
		}
		own.count(st, p)
		switch {
		case len(news) == p.Total-p.Shared: // none was asked before
			fresh.count(st, p)
		case len(news) > 0:
			j.Items = only(j.Items, news)
			if p, err = a.one(ctx, st, j); err != nil {
				return own, fresh, err
			}
			fresh.count(st, p)
		}
		for k := range news {
			a.seen[k] = true
		}
	}
	return own, fresh, nil
}

func (a *shared) one(ctx context.Context, st *study, j collect.Job) (collect.Planned, error) {
	planned, err := collect.Plan(ctx, st.store, []collect.Job{j}, a.options)
	if err != nil {
		return collect.Planned{}, err
	}
	if p := planned[0]; p.Calls > 0 {
		a.bases[string(p.PromptBasis)], a.bases[string(p.CompletionBasis)] = true, true
	}
	return planned[0], nil
}

// look goes through a job's requests: a digest of all, and those that no study
// has asked so far.
func (a *shared) look(j collect.Job) (digest [sha256.Size]byte, news map[backends.Key]bool, err error) {
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

// count adds a job.
func (b *bill) count(st *study, p collect.Planned) {
	b.requests += p.Total
	b.disk += p.OnDisk
	b.calls += p.Calls
	b.prompt += p.PromptTokens
	b.completion += p.CompletionTokens
	if p.Calls == 0 {
		return
	}
	if shape := st.models[p.Model].Shape; shape == nil {
		b.unshaped = true
	} else if flops, err := cost.FLOPs(*shape, p.PromptTokens/p.Calls, max(1, p.CompletionTokens/p.Calls)); err == nil {
		b.tflops += flops * float64(p.Calls) / 1e12
	}
	m, _ := st.spec.Model(p.Model)
	if !m.Priced {
		b.unpriced = true
		return
	}
	if b.price == nil {
		b.price = map[string]float64{}
	}
	b.price[m.Currency] += (float64(p.PromptTokens)*m.PriceIn + float64(p.CompletionTokens)*m.PriceOut) / 1e6
}

func (b *bill) add(o bill) {
	b.requests, b.disk, b.calls = b.requests+o.requests, b.disk+o.disk, b.calls+o.calls
	b.prompt, b.completion, b.tflops = b.prompt+o.prompt, b.completion+o.completion, b.tflops+o.tflops
	b.unshaped, b.unpriced, b.incomplete = b.unshaped || o.unshaped, b.unpriced || o.unpriced, b.incomplete || o.incomplete
	for currency, v := range o.price {
		if b.price == nil {
			b.price = map[string]float64{}
		}
		b.price[currency] += v
	}
}

// line prints a bill.
func (b *bill) line(name string, again int) []string {
	least := ""
	if b.incomplete {
		least = "≥ "
	}
	count := func(n int) string {
		if n == 0 && b.incomplete {
			return unknown
		}
		return least + strconv.Itoa(n)
	}
	work := unknown
	if !b.unshaped && b.calls > 0 {
		work = least + fmt.Sprintf("%.4g", b.tflops)
	}
	price := unknown
	if !b.unpriced && b.calls > 0 {
		var parts []string
		for _, currency := range slices.Sorted(maps.Keys(b.price)) {
			parts = append(parts, fmt.Sprintf("%.4f %s", b.price[currency], currency))
		}
		price = least + strings.Join(parts, " + ")
	}
	return []string{name, "", count(b.requests), strconv.Itoa(b.disk), count(b.calls), strconv.Itoa(again), count(b.prompt), count(b.completion), work, price}
}
