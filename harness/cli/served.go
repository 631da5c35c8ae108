package cli

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"infnet/backends"
	"infnet/backends/retry"
	"infnet/harness/fault"
	"infnet/harness/question"
	"infnet/harness/spec"
	"infnet/harness/store"
	"infnet/harness/task"
)

// probed reports whether how a model is asked is found by asking its servers.
func probed(m *spec.Model) bool {
	r, ok := m.Config.Remote()
	return ok && r.Probed
}

// recall reads what an earlier run found behind a model's servers: the first
// finding says how classifications are asked, and so which answers are theirs.
func (st *study) recall(m *spec.Model, id backends.ModelID) ([]store.Served, error) {
	if !probed(m) {
		return nil, nil
	}
	all, err := st.store.Served(id)
	found := store.ServedFor(all, question.Served(m), st.accepts(m))
	if older := store.ServedFor(all, question.Served(m), true); len(older) > 0 {
		st.olderModes[m.Name] = firstFound(older, m.Mode)
	}
	if err == nil {
		st.labelModes[m.Name] = firstFound(found, m.Mode)
	}
	return found, err
}

// firstFound is how the first finding that knows the mode says classifications
// are asked; a finding lacks a mode that failed when nobody needed it.
func firstFound(found []store.Served, mode backends.Mode) backends.LabelMode {
	for _, f := range found {
		if way := f.Labels[mode]; way != "" {
			return way
		}
	}
	return ""
}

// settle finds out how the study's classifications are asked of servers that
// nobody has asked yet: their answers' keys say how.
func (st *study) settle(ctx context.Context) error {
	for i := range st.spec.Models {
		m := &st.spec.Models[i]
		if !probed(m) || st.labelModes[m.Name] != "" || !st.classifies(m) {
			continue
		}
		if _, err := st.opened(ctx, m)(); err != nil {
			return err
		}
	}
	return nil
}

// classifies reports whether the model is asked a classification.
func (st *study) classifies(m *spec.Model) bool {
	return slices.ContainsFunc(st.spec.Datasets, func(d spec.Dataset) bool {
		return d.Task == task.Classification && st.asked(m.Name, d.Name)
	})
}

// opened opens a model when it is first called, once in a run, and meets its
// servers.
func (st *study) opened(ctx context.Context, m *spec.Model) func() (backends.Model, error) {
	if open := st.opens[m.Name]; open != nil {
		return open
	}
	open := sync.OnceValues(func() (backends.Model, error) {
		model, err := st.openModel(m)
		if err != nil {
			return nil, err
		}
		if err := st.meet(ctx, m, model); err != nil {
			return nil, fault.Model.Wrap(err)
		}
		if c, ok := backends.Ability[backends.Confirmer](model); ok {
			err = st.confirm(ctx, m, c, false)
		}
		return model, err
	})
	st.opens[m.Name] = open
	return open
}

// meet asks a model's servers what they offer, writes it down beside the
// answers, and refuses servers that cannot be asked as they were before.
func (st *study) meet(ctx context.Context, m *spec.Model, model backends.Model) error {
	server, ok := backends.Ability[backends.Probed](model)
	if !ok {
		return nil
	}
	var found backends.Server
	asked := false
	err := retry.Do(ctx, st.persistence(m), func(ctx context.Context) (err error) {
		found, asked, err = server.Server(ctx, m.Mode)
		return err
	})
	if err != nil {
		return fmt.Errorf("model %s: ask its servers what they offer: %w", m.Name, err)
	}
	if !asked {
		return nil
	}
	if len(found.Labels[m.Mode]) == 0 {
		other := backends.Chat
		if m.Mode == backends.Chat {
			other = backends.Raw
		}
		return fmt.Errorf("model %s: its server does not answer in mode %q, and does in mode %q: set mode = %q for the model", m.Name, m.Mode, other, other)
	}
	known := st.models[m.Name]
	if before := st.labelModes[m.Name]; before != "" && !slices.Contains(found.Labels[m.Mode], before) {
		return fmt.Errorf("model %s: its classifications were asked by %q before, and its server (%s %s) offers only %v now: serve it as before, "+
			"or give the model a revision of its own, or say how: labels = %q in its backend", m.Name, before, found.Name, found.Version, found.Labels[m.Mode], found.Labels[m.Mode][0])
	}
	labels := map[backends.Mode]backends.LabelMode{}
	for mode, ways := range found.Labels {
		labels[mode] = ways[0]
	}
	all, err := st.store.AddServed(known.ID, store.Served{Name: question.Served(m), Server: found.Name, Version: found.Version, Fingerprint: found.Fingerprint, Labels: labels})
	if err != nil {
		return fault.Store.Wrap(err)
	}
	known.Served = store.ServedFor(all, question.Served(m), st.accepts(m))
	st.models[m.Name], st.labelModes[m.Name] = known, firstFound(known.Served, m.Mode)
	return nil
}
