package recheck

import (
	"context"
	"errors"
	"fmt"
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
func (r *Round) ask(ctx context.Context, s *sample, ended error,
	progress func(again bool) collect.Progress) (out Model, err error) {
	out = Model{ModelReport: ModelReport{Name: s.Name, ID: s.ID.ID, Kind: string(s.ID.Kind), Stored: s.stored},
		Items: make([]Item, len(s.items))}
	var scores []string
	for k := range s.Sets {
		name := string(r.study.score(&s.Sets[k]))
		if !slices.Contains(scores, name) && len(s.of(&s.Sets[k], s.all())) > 0 {
			scores = append(scores, name)
		}
	}
	out.Score = strings.Join(scores, ", ")
	out.Exact = s.ID.Kind == backends.Local || s.ID.Kind == backends.Simulated // they repeat themselves bit for bit
	for i, it := range s.items {
		out.Items[i] = Item{ID: it.id(), Dataset: it.set.Name, Random: i < Noisy(len(s.items)), Cause: notAsked}
	}
	if ended != nil {
		out.Trouble = "the recheck ended before"
		return out, nil
	}
	before := r.study.Collect.Spending.Spent()
	open := sync.OnceValues(func() (backends.Model, error) { return r.open(ctx, s, &out) })
	stop, err := r.pass(ctx, s, &out, open, 0, progress(false))
	if err == nil && stop == nil && !out.Exact {
		stop, err = r.pass(ctx, s, &out, open, 1, progress(true))
	}
	if err != nil {
		return out, err
	}
	r.spent(before, s, &out)
	out.replies(s)
	return out, stop
}

// all are the indices of all items.
func (s *sample) all() []int {
	want := make([]int, len(s.items))
	for i := range want {
		want[i] = i
	}
	return want
}

// pass asks for the n-th fresh answers, and reads them. stop is an error that ends the recheck, with all that was
// received in the report.
func (r *Round) pass(ctx context.Context, s *sample, out *Model, open func() (backends.Model, error), n int,
	progress collect.Progress) (stop, err error) {
	want := s.all()
	if n > 0 {
		want = Again(out.Items, r.asking.Tolerance)
	}
	if len(want) == 0 {
		return nil, nil
	}
	options := r.study.Collect
	options.RetryFailed = true
	report, failed := collect.Run(ctx, r.fresh[n], s.jobs(want, open), options, progress)
	for _, j := range report.Jobs {
		out.Calls += j.Asked + j.Failed
	}
	if failed != nil {
		var f *backends.Failure
		if errors.As(failed, &f) && f.Cause == backends.OtherModel {
			out.Other = f.Message
		}
		if out.Trouble = trouble(failed); out.Trouble == "" {
			stop = failed
		}
	}
	return stop, fault.Store.Wrap(r.read(s, out, want, n))
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

// jobs are the requests of these items, a job for each dataset.
func (s *sample) jobs(want []int, open func() (backends.Model, error)) (jobs []collect.Job) {
	for k := range s.Sets {
		set := &s.Sets[k]
		mine := s.of(set, want)
		if len(mine) == 0 {
			continue
		}
		j := set.Job
		j.Open, j.Before, j.After = open, nil, nil
		j.Items = func(yield func(collect.Item, error) bool) {
			for _, i := range mine {
				it := &s.items[i]
				if !yield(collect.Item{ID: it.id(), Request: s.request(set, it.example)}, nil) {
					return
				}
			}
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// of are those of the items that belong to a dataset.
func (s *sample) of(set *Set, want []int) []int {
	return slices.DeleteFunc(slices.Clone(want), func(i int) bool { return s.items[i].set != set })
}

// read reads the n-th fresh answers to these items, and with the first the stored ones.
func (r *Round) read(s *sample, out *Model, want []int, n int) error {
	for k := range s.Sets {
		if mine := s.of(&s.Sets[k], want); len(mine) > 0 {
			if err := r.readSet(s, out, &s.Sets[k], mine, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Round) readSet(s *sample, out *Model, set *Set, want []int, n int) error {
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
	look := &answerReader{Set: set, score: r.study.score(set), seed: r.study.Seed,
		policies: r.study.deployed(s.Subject, set)}
	for _, i := range want {
		it, mine := &out.Items[i], &s.items[i]
		key := s.request(set, mine.example).Key()
		was, ok, err := stored.Get(mine.key)
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
					out.Other = f.Failure.Message
				}
			}
			continue
		}
		if n == 0 {
			it.Stored, it.Cause = look.reading(was.Answer), ""
			it.Same = identical(was.Answer, now.Answer)
			it.Decisions = look.decisions(it.ID, was.Answer, now.Answer)
			mine.stored, mine.fresh = was.Answer, now.Answer
		} else {
			it.Repeats = identical(mine.fresh, now.Answer)
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
func (r *Round) spent(before collect.Spent, s *sample, out *Model) {
	now := r.study.Collect.Spending.Spent()
	out.Tokens = now.Tokens() - before.Tokens()
	out.Seconds = (now.Time - before.Time).Seconds()
	if c := s.Sets[0].Job.Price.Currency; c != "" {
		out.Cost = &backends.Money{Amount: now.Cost - before.Cost, Currency: c}
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

// open opens the model, notes what its servers say of themselves in the round's own store, and compares it with what
// they said when the stored answers were asked.
func (r *Round) open(ctx context.Context, s *sample, out *Model) (backends.Model, error) {
	model, now, err := s.Open(ctx)
	if err != nil || now == nil {
		return model, err
	}
	if _, err := r.fresh[0].AddServed(s.ID, *now); err != nil {
		return nil, fault.Store.Wrap(err)
	}
	var names, prints []string
	for _, f := range s.Served {
		names, prints = append(names, serverName(f)), append(prints, f.Fingerprint)
	}
	out.differs("server", names, []string{serverName(*now)})
	if len(out.Identity) == 0 {
		out.differs("fingerprint", prints, []string{now.Fingerprint})
	}
	return model, nil
}

func serverName(f store.Served) string {
	if name := strings.TrimSpace(f.Server + " " + f.Version); name != "" {
		return name
	}
	return "does not say"
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
func (m *Model) replies(s *sample) {
	var models, systems [2][]string // of the stored and the fresh answers
	said := func(list *[]string, text string) {
		if text != "" {
			*list = append(*list, text)
		}
	}
	without := 0
	for i, it := range m.Items {
		if len(it.Fresh) == 0 {
			continue // not answered now
		}
		for k, a := range []backends.Answer{s.items[i].stored, s.items[i].fresh} {
			said(&models[k], a.Model)
			said(&systems[k], a.System)
		}
		if it.Stored.Scored && !it.Fresh[0].Scored {
			without++
		}
	}
	m.differs("model in replies", models[0], models[1])
	m.differs("system", systems[0], systems[1])
	if without > 0 {
		m.Identity = append(m.Identity, Identity{What: "confidence", Before: "there",
			Now: fmt.Sprintf("missing in %d of the answers: the server gives no log-probabilities", without)})
	}
}
