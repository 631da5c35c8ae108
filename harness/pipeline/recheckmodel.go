package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/backends/retry"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/recheck"
	"infnet/harness/store"
)

// notAsked is the cause of answers that the recheck did not come to.
const notAsked = "not-asked"

// recheckModel asks one model again. What its server or a limit prevents is the model's trouble; the error is for what
// ends the recheck. stop is the error that has ended it already: nothing is asked then.
func (r *rechecker) recheckModel(ctx context.Context, s *sample, stop error) (out recheck.Model, err error) {
	m := s.model
	out = recheck.Model{ModelReport: recheck.ModelReport{Name: m.Name, ID: m.known.ID.ID, Kind: string(m.known.ID.Kind),
		Exact: m.repeats(), Stored: s.stored}, Score: string(r.scoreName(s)), Items: make([]recheck.Item, len(s.items))}
	for i, it := range s.items {
		out.Items[i] = recheck.Item{ID: it.dataset.Sheet.Set.Examples[it.example].ID, Dataset: it.dataset.Name,
			Random: i < recheck.Noisy(len(s.items)), Cause: notAsked}
	}
	if stop != nil {
		out.Trouble = "the recheck ended before"
		return out, nil
	}
	before := r.spending.Spent()
	open := sync.OnceValues(func() (backends.Model, error) { return r.open(ctx, m, &out) })
	stop, err = r.pass(ctx, s, &out, open, r.first, 0)
	if err == nil && stop == nil && !out.Exact {
		stop, err = r.pass(ctx, s, &out, open, r.second, 1)
	}
	if err != nil {
		return out, err
	}
	r.spent(before, &out)
	r.replies(s, &out)
	return out, stop
}

// repeats reports whether the model gives the same bits whenever it is asked.
func (m *Model) repeats() bool {
	return m.known.ID.Kind == backends.Local || m.known.ID.Kind == backends.Simulated
}

// pass asks for the n-th fresh answers, and reads them. stop is an error that ends the recheck, with all that was
// received in the report.
func (r *rechecker) pass(ctx context.Context, s *sample, out *recheck.Model, open func() (backends.Model, error),
	to *store.Store, n int) (stop, err error) {
	want := make([]int, len(s.items))
	for i := range want {
		want[i] = i
	}
	if n > 0 {
		want = recheck.Again(out.Items, r.o.Tolerance)
	}
	if len(want) == 0 {
		return nil, nil
	}
	options := collection{r.Study}.limited(r.spending)
	options.RetryFailed = true
	p := &progress{ctx: ctx, events: r.events, whole: r.whole}
	if n > 0 {
		p.suffix = ", once more"
	}
	report, failed := collect.Run(ctx, to, r.jobs(s, want, open), options, p)
	for _, j := range report.Jobs {
		out.Calls += j.Asked + j.Failed
	}
	if failed != nil {
		var f *backends.Failure
		if errors.As(failed, &f) && f.Cause == backends.OtherModel {
			out.Other = f.Message
		}
		if out.Trouble = r.trouble(failed); out.Trouble == "" {
			return failed, r.read(s, out, want, to, n)
		}
	}
	return nil, r.read(s, out, want, to, n)
}

// trouble says why a model could not be asked, where others can; "" = the error ends the recheck.
func (r *rechecker) trouble(err error) string {
	var known *fault.Error
	var failure *backends.Failure
	var gaveUp *collect.GaveUpError
	switch {
	case errors.Is(err, context.Canceled), errors.As(err, new(*collect.SpendingError)), ofStore(err):
		return ""
	case errors.As(err, &gaveUp):
		return fmt.Sprintf("the last %d requests all failed, the last one with %v", gaveUp.Failures, &gaveUp.Last)
	case errors.As(err, &known) && known.Kind == fault.Model, errors.As(err, &failure):
		return err.Error()
	}
	return ""
}

// jobs are the requests of these items of a sample, a job for each dataset.
func (r *rechecker) jobs(s *sample, want []int, open func() (backends.Model, error)) (jobs []collect.Job) {
	m := s.model
	for _, d := range r.Datasets {
		items := func(yield func(collect.Item, error) bool) {
			for _, i := range want {
				it := s.items[i]
				if it.dataset != d {
					continue
				}
				item := collect.Item{ID: d.Sheet.Set.Examples[it.example].ID, Request: m.request(d, it.example)}
				if !yield(item, nil) {
					return
				}
			}
		}
		if empty(items) {
			continue
		}
		jobs = append(jobs, collect.Job{Model: m.known.ID, Name: m.Name, Dataset: d.Name, Hash: d.source,
			Items: items, Open: open, Concurrency: m.concurrency(), Price: m.price()})
	}
	return jobs
}

func empty(items iter.Seq2[collect.Item, error]) bool {
	for range items {
		return false
	}
	return true
}

// read reads the n-th fresh answers to these items, and with the first the stored ones.
func (r *rechecker) read(s *sample, out *recheck.Model, want []int, from *store.Store, n int) error {
	for _, d := range r.Datasets {
		if !slices.ContainsFunc(want, func(i int) bool { return s.items[i].dataset == d }) {
			continue
		}
		if err := r.readDataset(s, out, want, d, from, n); err != nil {
			return fault.Store.Wrap(err)
		}
	}
	return nil
}

func (r *rechecker) readDataset(s *sample, out *recheck.Model, want []int, d *Dataset, from *store.Store, n int) error {
	m := s.model
	fresh, err := from.Answers(store.ID{Model: m.known.ID, Dataset: d.source, Name: d.Name})
	if err != nil {
		return err
	}
	defer fresh.Close()
	stored, err := m.answers(d)
	if err != nil {
		return err
	}
	defer stored.Close()
	look := r.reader(m, d)
	for _, i := range want {
		if s.items[i].dataset != d {
			continue
		}
		it := &out.Items[i]
		request := m.request(d, s.items[i].example)
		was, ok, err := stored.Get(s.items[i].key)
		if err != nil || !ok {
			return errors.Join(err, fmt.Errorf("the answer to example %q is no longer in %s", it.ID, stored.Path()))
		}
		now, ok, err := fresh.Get(request.Key())
		if err != nil {
			return err
		}
		if !ok {
			if f, failed, err := fresh.Failure(request.Key()); err != nil {
				return err
			} else if failed && n == 0 {
				it.Cause = string(f.Failure.Cause)
				if f.Failure.Cause == backends.OtherModel {
					out.Other = f.Failure.Message
				}
			}
			continue
		}
		if n == 0 {
			it.Stored, it.Cause = look.reading(was.Answer), ""
			it.Same = identical(was.Answer, now.Answer)
			it.Decisions = look.decisions(it.ID, was.Answer, now.Answer)
			s.items[i].stored, s.items[i].fresh = was.Answer, now.Answer
		} else {
			it.Repeats = identical(s.items[i].fresh, now.Answer)
		}
		it.Fresh = append(it.Fresh, look.reading(now.Answer))
	}
	return nil
}

// identical reports whether two answers say the same to the last bit.
func identical(a, b backends.Answer) bool {
	return a.Text == b.Text && len(a.Tokens) == len(b.Tokens) && len(a.Labels) == len(b.Labels) &&
		(len(a.Tokens) == 0 || reflect.DeepEqual(a.Tokens, b.Tokens)) && slices.Equal(a.Labels, b.Labels)
}

// spent fills in what finding out took, with what the round took before it was stopped.
func (r *rechecker) spent(before collect.Spent, out *recheck.Model) {
	now := r.spending.Spent()
	out.Tokens = now.Tokens() - before.Tokens()
	out.Seconds = (now.Time - before.Time).Seconds()
	if p := r.Model(out.Name).price(); p.Currency != "" {
		out.Cost = &recheck.Money{Amount: now.Cost - before.Cost, Currency: p.Currency}
	}
	for _, e := range r.earlier.Models {
		if e.Name != out.Name {
			continue
		}
		out.Calls, out.Tokens, out.Seconds = out.Calls+e.Calls, out.Tokens+e.Tokens, out.Seconds+e.Seconds
		if e.Cost != nil && out.Cost != nil && e.Cost.Currency == out.Cost.Currency {
			out.Cost.Amount += e.Cost.Amount
		}
	}
}

// open opens the model, and notes what its servers say of themselves, in the round's own store.
func (r *rechecker) open(ctx context.Context, m *Model, out *recheck.Model) (backends.Model, error) {
	model, err := m.Open()
	if err != nil {
		return nil, err
	}
	if err := m.steadily(ctx, func() error { return r.identify(ctx, m, model, out) }); err != nil {
		return nil, fault.Model.Wrap(err)
	}
	if c, ok := backends.Ability[backends.Confirmer](model); ok {
		for _, found := range c.Confirm(ctx, func(string) bool { return false }) {
			var f *backends.Failure
			if errors.As(found.Err, &f) && f.Cause == backends.OtherModel {
				return nil, fault.Model.Wrap(fmt.Errorf("model %s: %w", m.Name, f))
			}
		}
	}
	return model, nil
}

// identify probes the servers and compares what they say with what they said when the stored answers were asked.
func (r *rechecker) identify(ctx context.Context, m *Model, model backends.Model, out *recheck.Model) error {
	server, ok := backends.Ability[backends.Probed](model)
	if !ok {
		return nil
	}
	var now backends.Server
	probed := false
	err := retry.Do(ctx, m.retries("requests"), func(ctx context.Context) (err error) {
		now, probed, err = server.Server(ctx, m.Mode)
		return err
	})
	if err != nil || !probed {
		return err
	}
	found := store.Served{Name: m.served(), Server: now.Name, Version: now.Version, Fingerprint: now.Fingerprint,
		Settings: m.servers.startedWith()}
	if m.launch() != nil {
		found.Launch = engine.Describe(m.task(), os.Environ())
	}
	if _, err := r.first.AddServed(m.known.ID, found); err != nil {
		return fault.Store.Wrap(err)
	}
	if way := m.servers.labelMode; way != "" && !slices.Contains(now.Labels[m.Mode], way) {
		return fmt.Errorf("model %s: its classifications were asked by %q, and its server (%s) offers only %v now", m.Name,
			way, serverName(found), now.Labels[m.Mode])
	}
	var names, prints []string
	for _, f := range m.known.Served {
		names, prints = append(names, serverName(f)), append(prints, f.Fingerprint)
	}
	differs(out, "server", names, []string{serverName(found)})
	if len(out.Identity) == 0 {
		differs(out, "fingerprint", prints, []string{now.Fingerprint})
	}
	return nil
}

func serverName(f store.Served) string {
	if name := strings.TrimSpace(f.Server + " " + f.Version); name != "" {
		return name
	}
	return "does not say"
}

// differs notes what is said now and was never said before.
func differs(out *recheck.Model, what string, before, now []string) {
	if len(before) == 0 || !slices.ContainsFunc(now, func(s string) bool { return !slices.Contains(before, s) }) {
		return
	}
	list := func(names []string) string {
		slices.Sort(names)
		return strings.Join(slices.Compact(names), ", ")
	}
	out.Identity = append(out.Identity, recheck.Identity{What: what, Before: list(before), Now: list(now)})
}

// replies compares what the replies say of who answered.
func (r *rechecker) replies(s *sample, out *recheck.Model) {
	for _, what := range []struct {
		name string
		of   func(backends.Answer) string
	}{
		{"model in replies", func(a backends.Answer) string { return a.Model }},
		{"system", func(a backends.Answer) string { return a.System }},
	} {
		var before, now []string
		for _, it := range s.items {
			if it.fresh.Key == (backends.Key{}) {
				continue // not answered now
			}
			before, now = append(before, what.of(it.stored)), append(now, what.of(it.fresh))
		}
		said := func(list []string) []string {
			slices.Sort(list)
			return slices.DeleteFunc(slices.Compact(list), func(s string) bool { return s == "" })
		}
		differs(out, what.name, said(before), said(now))
	}
	without := 0
	for _, it := range out.Items {
		if len(it.Fresh) > 0 && it.Stored.Scored && !it.Fresh[0].Scored {
			without++
		}
	}
	if without > 0 {
		out.Identity = append(out.Identity, recheck.Identity{What: "confidence", Before: "there",
			Now: fmt.Sprintf("missing in %d of the answers: the server gives no log-probabilities", without)})
	}
}
