package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/recheck"
	"infnet/harness/store"
)

// Recheck asks a random sample of the stored answers again and judges whether the served models are still those that
// were measured. Fresh answers go to stores of their own; nothing stored is touched. The report covers what was done
// even if there is an error. A round that was stopped goes on where it stopped.
func (st *Study) Recheck(ctx context.Context, o recheck.Asking) (report *recheck.Report, err error) {
	if err := st.Check(); err != nil {
		return nil, err
	}
	if st.Spec.Recorded() {
		return nil, fault.Usage.Wrap(errors.New("every answer of the study is a recorded one: there is no model to be " +
			"asked again; infnet verify makes the run again from the files"))
	}
	spending := collect.NewSpending(collect.Limits(st.Spec.Collect.Spending))
	defer spending.Close()
	r, err := recheck.Begin(ctx, &recheck.Study{
		Study: st.Spec, Store: st.store, Policies: filepath.Join(st.Out(), folder.Policies), Models: subjects(ctx, st),
		Collect: limited(st, spending), Warn: st.events.Warn, Notice: st.torn,
	}, o)
	if err != nil {
		return nil, err
	}
	end := begin(ctx, st)
	defer func() { err = errors.Join(err, end()) }()
	if err := startable(ctx, st, func(m *Model) bool { return r.Asks(m.Name) }); err != nil {
		return nil, err
	}
	whole := newWhole(spending, r.Jobs(), func(j collect.Job) (total, done int) {
		for range j.Items {
			total++
		}
		return total, 0
	})
	defer (&progress{events: st.events, whole: whole}).watch()()
	return r.Ask(ctx, func(again bool) collect.Progress {
		p := &progress{ctx: ctx, events: st.events, whole: whole}
		if again {
			p.suffix = ", once more"
		}
		return p
	})
}

// subjects are the models that a recheck may ask.
func subjects(ctx context.Context, st *Study) (list []recheck.Subject) {
	jobs := jobsOf(ctx, st)
	for _, m := range st.Models {
		if !calls(st, m.Name) {
			continue
		}
		s := recheck.Subject{Model: m.Model, ID: m.known.ID, Served: m.known.Served,
			Open:  func(ctx context.Context) (backends.Model, *store.Served, error) { return openAgain(ctx, m) },
			Close: func() error { return stopServers(st) }}
		for _, j := range jobs {
			if d := st.Dataset(j.Dataset); j.Name == m.Name {
				s.Sets = append(s.Sets, recheck.Set{Dataset: d.Dataset, Sheet: d.Sheet, Job: j})
			}
		}
		list = append(list, s)
	}
	return list
}

// openAgain opens the model, and returns what its servers say of themselves; nil = nothing.
func openAgain(ctx context.Context, m *Model) (model backends.Model, now *store.Served, err error) {
	if model, err = m.Open(); err != nil {
		return nil, nil, err
	}
	err = steadily(ctx, m, func() (err error) {
		now, err = m.servers.ask(ctx, model)
		return err
	})
	if err != nil {
		return nil, nil, fault.Model.Wrap(err)
	}
	if c, ok := backends.Ability[backends.Confirmer](model); ok {
		for _, found := range c.Confirm(ctx, func(string) bool { return false }) {
			var f *backends.Failure
			if errors.As(found.Err, &f) && f.Cause == backends.OtherModel {
				return nil, nil, fault.Model.Wrap(fmt.Errorf("model %s: %w", m.Name, f))
			}
		}
	}
	return model, now, nil
}
