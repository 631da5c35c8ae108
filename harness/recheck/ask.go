package recheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"sync"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/store"
)

// notAsked is the cause of answers that the recheck did not come to.
const notAsked = "not-asked"

// ask asks one model again. What its server or a limit prevents is the model's trouble; the error is for what ends the
// recheck. ended is the error that has ended it already: nothing is asked then.
func (r *Round) ask(ctx context.Context, m *Model, ended error, progress func(again bool) collect.Progress) error {
	if ended != nil {
		m.Trouble = "the recheck ended before"
		return nil
	}
	before := r.study.Collect.Spending.Spent()
	open := sync.OnceValues(func() (backends.Model, error) { return r.open(ctx, m) })
	stop, err := r.pass(ctx, m, open, 0, progress(false))
	if err == nil && stop == nil && !m.Exact {
		stop, err = r.pass(ctx, m, open, 1, progress(true))
	}
	if err != nil {
		return err
	}
	now := r.study.Collect.Spending.Spent()
	m.Tokens, m.Seconds = now.Tokens()-before.Tokens(), (now.Time - before.Time).Seconds()
	if c := m.subject.Sets[0].Job.Price.Currency; c != "" {
		m.Cost = &backends.Money{Amount: now.Cost - before.Cost, Currency: c}
	}
	for _, e := range r.earlier.Models { // what the round took before it was stopped
		if e.Name != m.Name {
			continue
		}
		m.Calls, m.Tokens, m.Seconds = m.Calls+e.Calls, m.Tokens+e.Tokens, m.Seconds+e.Seconds
		if e.Cost != nil && m.Cost != nil && e.Cost.Currency == m.Cost.Currency {
			m.Cost.Amount += e.Cost.Amount
		}
	}
	m.replies()
	return stop
}

// pass asks for the n-th fresh answers, and reads them. stop is an error that ends the recheck, with all that was
// received in the report.
func (r *Round) pass(ctx context.Context, m *Model, open func() (backends.Model, error), n int,
	progress collect.Progress) (stop, err error) {
	var want []int // nil = all
	if n > 0 {
		if want = Again(m.Items, r.report.Tolerance); len(want) == 0 {
			return nil, nil
		}
	}
	options := r.study.Collect
	options.RetryFailed = true
	report, failed := collect.Run(ctx, r.fresh[n], m.jobs(want, open), options, progress)
	for _, j := range report.Jobs {
		m.Calls += j.Asked + j.Failed
	}
	if failed != nil {
		var f *backends.Failure
		if errors.As(failed, &f) && f.Cause == backends.OtherModel {
			m.Other = f.Message
		}
		if m.Trouble = trouble(failed); m.Trouble == "" {
			stop = failed
		}
	}
	for set, mine := range m.bySet(want) {
		if err := r.read(m, set, mine, n); err != nil {
			return stop, fault.Store.Wrap(err)
		}
	}
	return stop, nil
}

// trouble says why a model could not be asked, where others can; "" = the error ends the recheck.
func trouble(err error) string {
	var failure *backends.Failure
	var gaveUp *collect.GaveUpError
	switch {
	case errors.Is(err, context.Canceled), errors.As(err, new(*collect.SpendingError)), store.Unusable(err):
		return ""
	case errors.As(err, &gaveUp):
		return fmt.Sprintf("the last %d requests all failed, the last one with %v", gaveUp.Failures, &gaveUp.Last)
	case fault.Model.Of(err), errors.As(err, &failure):
		return err.Error()
	}
	return ""
}

// bySet yields these of the items, which ascend, by their dataset; nil = all.
func (m *Model) bySet(want []int) iter.Seq2[*Set, []*Item] {
	return func(yield func(*Set, []*Item) bool) {
		for k := range m.subject.Sets {
			set, mine := &m.subject.Sets[k], []*Item(nil)
			for i := range m.Items {
				_, wanted := slices.BinarySearch(want, i)
				if it := &m.Items[i]; it.set == set && (want == nil || wanted) {
					mine = append(mine, it)
				}
			}
			if mine != nil && !yield(set, mine) {
				return
			}
		}
	}
}

// jobs are the requests of these items, a job for each dataset; nil = of all.
func (m *Model) jobs(want []int, open func() (backends.Model, error)) (jobs []collect.Job) {
	for set, mine := range m.bySet(want) {
		j := set.Job
		j.Open, j.Before, j.After = open, nil, nil
		j.Items = func(yield func(collect.Item, error) bool) {
			for _, it := range mine {
				if !yield(collect.Item{ID: it.ID, Request: m.subject.request(set, it.example)}, nil) {
					return
				}
			}
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// read reads the n-th fresh answers to these items of a dataset, and with the first the stored ones.
func (r *Round) read(m *Model, set *Set, items []*Item, n int) error {
	fresh, err := set.answers(r.fresh[n])
	if err != nil {
		return err
	}
	defer fresh.Close()
	stored, err := set.answers(r.study.Store)
	if err != nil {
		return err
	}
	defer stored.Close()
	policies := r.study.deployed(m.subject, set)
	for _, it := range items {
		key := m.subject.request(set, it.example).Key()
		was, ok, err := stored.Get(it.key)
		if err != nil || !ok {
			return errors.Join(err, fmt.Errorf("the answer to example %q is no longer in %s", it.ID, stored.Path()))
		}
		now, ok, err := fresh.Get(key)
		if err != nil {
			return err
		}
		if !ok {
			if f, failed, err := fresh.Failure(key); err != nil {
				return err
			} else if failed && n == 0 {
				it.Cause = string(f.Failure.Cause)
				if f.Failure.Cause == backends.OtherModel {
					m.Other = f.Failure.Message
				}
			}
			continue
		}
		it.Fresh = append(it.Fresh, r.study.reading(set, now.Answer))
		if n == 0 {
			it.Stored, it.Cause = r.study.reading(set, was.Answer), ""
			it.Decisions = it.decisions(policies, r.study.Seed)
		}
	}
	return nil
}

// identical reports whether two answers say the same to the last bit.
func identical(x, y *Reading) bool {
	a, b := &x.Given, &y.Given
	return a.Text == b.Text && len(a.Tokens) == len(b.Tokens) && len(a.Labels) == len(b.Labels) &&
		(len(a.Tokens) == 0 || reflect.DeepEqual(a.Tokens, b.Tokens)) && slices.Equal(a.Labels, b.Labels)
}

// open opens the model, notes what its servers say of themselves in the round's own store, and compares it with what
// they said when the stored answers were asked.
func (r *Round) open(ctx context.Context, m *Model) (backends.Model, error) {
	model, now, err := m.subject.Open(ctx)
	if err != nil || now == nil {
		return model, err
	}
	if _, err := r.fresh[0].AddServed(m.subject.ID, *now); err != nil {
		return nil, fault.Store.Wrap(err)
	}
	name := func(f store.Served) string {
		return cmp.Or(strings.TrimSpace(f.Server+" "+f.Version), "does not say")
	}
	var names, prints []string
	for _, f := range m.subject.Served {
		names, prints = append(names, name(f)), append(prints, f.Fingerprint)
	}
	m.differs("server", names, []string{name(*now)})
	if len(m.Identity) == 0 {
		m.differs("fingerprint", prints, []string{now.Fingerprint})
	}
	return model, nil
}

// differs notes what is said now and was never said before.
func (m *Model) differs(what string, before, now []string) {
	if len(before) == 0 || !slices.ContainsFunc(now, func(s string) bool { return !slices.Contains(before, s) }) {
		return
	}
	list := func(names []string) string {
		slices.Sort(names)
		return strings.Join(slices.Compact(names), ", ")
	}
	m.Identity = append(m.Identity, Identity{What: what, Before: list(before), Now: list(now)})
}

// replies compares what the replies say of who answered.
func (m *Model) replies() {
	var models, systems [2][]string // of the stored and the fresh answers
	said := func(list *[]string, text string) {
		if text != "" {
			*list = append(*list, text)
		}
	}
	without := 0
	for i := range m.Items {
		it := &m.Items[i]
		if len(it.Fresh) == 0 {
			continue // not answered now
		}
		for k, a := range []*Reading{&it.Stored, &it.Fresh[0]} {
			said(&models[k], a.Given.Model)
			said(&systems[k], a.Given.System)
		}
		without += tell(it.Stored.Scored && !it.Fresh[0].Scored)
	}
	m.differs("model in replies", models[0], models[1])
	m.differs("system", systems[0], systems[1])
	if without > 0 {
		m.Identity = append(m.Identity, Identity{What: "confidence", Before: "there",
			Now: fmt.Sprintf("missing in %d of the answers: the server gives no log-probabilities", without)})
	}
}
