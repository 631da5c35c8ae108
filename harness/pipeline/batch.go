package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/backends/open"
	"infnet/harness/batch"
	"infnet/harness/collect"
	"infnet/harness/cost"
	"infnet/harness/fault"
	"infnet/harness/store"
	"infnet/harness/task"
)

// defaultLabels is how a batch asks classifications unless something says otherwise.
const defaultLabels = backends.LabelsTopLogprobs

// WriteBatch writes the requests that have no answer into files of a folder. It calls no model.
func (st *Study) WriteBatch(ctx context.Context, dir string, how batch.How) (*batch.Written, error) {
	defer frugal(st)()
	if st.Spec.Cost.Model == cost.Latency {
		return nil, fault.Spec.Wrap(fmt.Errorf("the study counts the time of every answer (cost.model = %q), "+
			"which nobody measures in a batch: ask live, or count something else", cost.Latency))
	}
	if err := prepare(ctx, st, CollectOptions{Offline: true}); err != nil {
		return nil, err
	}
	models, err := batched(ctx, st, openBatch)
	if err != nil {
		return nil, fault.Model.Wrap(err)
	}
	return batch.Write(ctx, st.store, &batch.Manifest{Study: st.Spec.Name, SpecHash: st.Spec.Hash, How: how}, models, dir)
}

// batched lists the models that have work, opened for batch files where there are any for them.
func batched(ctx context.Context, st *Study, opened func(*Model) (backends.Batch, error)) (list []batch.Subject,
	err error) {
	jobs := map[string][]collect.Job{}
	for _, j := range jobsOf(ctx, st) {
		jobs[j.Name] = append(jobs[j.Name], j)
	}
	var refused []error
	for _, m := range st.Models {
		if jobs[m.Name] == nil {
			continue
		}
		s := batch.Subject{Name: m.Name, Jobs: jobs[m.Name],
			Checked: func(dataset string, answers backends.Model) backends.Model {
				return checked(m, st.Dataset(dataset), answers)
			}}
		switch kind := m.Config.Model.Kind; {
		case m.Recording != nil:
			s.Why = "its answers are recorded"
		case !open.Batches(kind):
			s.Why = fmt.Sprintf("its kind of backend, %q, has no batch files", kind)
		default:
			s.Batch, err = opened(m)
			s.LabelMode, refused = batchLabels(m), append(refused, err)
		}
		list = append(list, s)
	}
	return list, errors.Join(refused...)
}

// ReadBatch puts the answers of a batch's output into the store, as a collection does: each reply
// passes the checks of a live one, what failed is recorded, and what is there already stays. The
// report covers what was done even if there is an error.
func (st *Study) ReadBatch(ctx context.Context, out *batch.Output,
	manifests []*batch.Manifest) (came batch.Came, err error) {
	defer frugal(st)()
	if err := prepare(ctx, st, CollectOptions{Offline: true}); err != nil {
		return came, err
	}
	var settled []*Model // whose label mode the batch decides
	models, err := batched(ctx, st, func(m *Model) (backends.Batch, error) {
		labels := batchLabels(m)
		if m.servers.unasked() {
			m.servers.labelMode, settled = labels, append(settled, m)
		}
		if batch.Refuses(labels) != nil { // answers that came live
			labels = defaultLabels
		}
		return mailed(m, labels)
	})
	if err != nil {
		return came, fault.Model.Wrap(err)
	}
	models = slices.DeleteFunc(models, func(s batch.Subject) bool { return s.Why != "" })
	jobs, err := came.Match(ctx, out, models)
	if err != nil {
		return came, err
	}
	if came.Ours == 0 {
		return came, another(st, came, manifests)
	}
	if err := declare(st, settled, jobs); err != nil {
		return came, err
	}
	unspent := collect.NewSpending(collect.Limits{}) // what is read was paid for before
	defer unspent.Close()
	progress := &progress{ctx: ctx, events: st.events}
	came.Report, err = collect.Run(ctx, st.store, jobs, collect.Options{RetryFailed: true, Persist: true,
		Hurry: st.options.Hurry}, progress)
	return came, err
}

// another is the error of an output without a single answer to the study.
func another(st *Study, came batch.Came, manifests []*batch.Manifest) error {
	why := "it is the output of another batch, or the study was changed since: its prompts, models and data are in " +
		"the keys"
	switch {
	case !loaded(st):
		why = "the rows of a dataset on the hub are not on this machine: infnet batch write fetches them"
	case len(manifests) > 0 && manifests[0].SpecHash != st.Spec.Hash:
		why = fmt.Sprintf("the study was changed since the batch was written (its hash was %.12s and is %.12s): write the "+
			"batch again, or read it with the study as it was", manifests[0].SpecHash, st.Spec.Hash)
	}
	return fault.Data.Wrap(fmt.Errorf("none of the %d requests in the output is one of the study %s (one is %q): %s; "+
		"nothing was stored", came.Foreign, st.Spec.Name, came.First, why))
}

// batchServer stands for the provider in what is known about a model's servers.
const batchServer = "batch files"

// declare stores how classifications were asked, where the batch decides it for all later runs.
func declare(st *Study, settled []*Model, jobs []collect.Job) error {
	for _, m := range settled {
		if !slices.ContainsFunc(jobs, func(j collect.Job) bool {
			return j.Name == m.Name && st.Dataset(j.Dataset).Task == task.Classification
		}) {
			continue
		}
		mode := m.servers.labelMode
		all, err := st.store.AddServed(m.known.ID, store.Served{Name: m.served(), Server: batchServer,
			Fingerprint: "asked by " + string(mode), Labels: map[backends.Mode]backends.LabelMode{m.Mode: mode},
			Settings: m.servers.startedWith()})
		if err != nil {
			return fault.Store.Wrap(err)
		}
		m.servers.setFindings(all)
	}
	return nil
}

// openBatch opens the model for batch files.
func openBatch(m *Model) (backends.Batch, error) {
	labels := batchLabels(m)
	if err := batch.Refuses(labels); err != nil {
		return nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	if m.servers.unasked() {
		m.servers.labelMode = labels
	}
	return mailed(m, labels)
}

// batchLabels is how a batch asks the model's classifications; "" = it has none.
func batchLabels(m *Model) backends.LabelMode {
	r, _ := m.Config.Remote()
	switch {
	case !m.classifies():
		return ""
	case r.Labels != backends.LabelsAuto:
		return r.Labels
	case !r.Probed: // it gives no log-probabilities
		return backends.LabelsText
	case m.servers.labelMode != "":
		return m.servers.labelMode
	}
	return defaultLabels
}

// mailed opens the model for batch files.
func mailed(m *Model, labels backends.LabelMode) (backends.Batch, error) {
	if r, _ := m.Config.Remote(); labels == "" {
		if labels = defaultLabels; !r.Probed && r.Labels == backends.LabelsAuto {
			labels = backends.LabelsText // as no_logprobs wants; nothing is asked by it
		}
	}
	return open.Batch(m.config, labels)
}
