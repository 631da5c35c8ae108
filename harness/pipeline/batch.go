package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"infnet/backends"
	"infnet/backends/engine"
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

// WriteBatch writes the requests that have no answer into files for a provider's batch interface. It calls no model.
func (st *Study) WriteBatch(ctx context.Context, o batch.Options) (*batch.Written, error) {
	defer frugal(st)()
	if st.Spec.Cost.Model == cost.Latency {
		return nil, fault.Spec.Wrap(fmt.Errorf("the study counts the time of every answer (cost.model = %q), "+
			"which nobody measures in a batch: ask live, or count something else", cost.Latency))
	}
	if err := prepare(ctx, st, CollectOptions{Offline: true}); err != nil {
		return nil, err
	}
	old, err := batch.Earlier(o.Dir, st.Spec.Name)
	if err != nil {
		return nil, err
	}
	models, err := batched(ctx, st, func(m *Model) (backends.Batch, error) { return openBatch(m, o.Format, o.Labels) })
	if err != nil {
		return nil, fault.Model.Wrap(err)
	}
	return batch.Write(ctx, &batch.Study{Name: st.Spec.Name, Hash: st.Spec.Hash, Store: st.store,
		Limits: collect.Limits(st.Spec.Collect.Spending), Models: models}, old, o)
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
		r, _ := m.Config.Remote()
		s := batch.Subject{Name: m.Name, ID: m.known.ID, Jobs: jobs[m.Name], Served: r.Served, Mode: m.Mode,
			Command: func(requests string) string { return runBatch(m, requests) },
			Checked: func(dataset string, answers backends.Model) backends.Model {
				return checked(m, st.Dataset(dataset), answers)
			}}
		switch kind := m.Config.Model.Kind; {
		case m.Recording != nil:
			s.Why = "its answers are recorded"
		case kind.InProcess():
			s.Why = fmt.Sprintf("it is computed in this process (%s)", kind)
		case !open.Batches(kind):
			s.Why = fmt.Sprintf("its kind of backend, %q, has no batch interface", kind)
		default:
			s.Batch, err = opened(m)
			s.LabelMode, refused = batchLabels(m, ""), append(refused, err)
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
	modes, err := batch.LabelModes(manifests)
	if err != nil {
		return came, err
	}
	var settled []*Model // whose label mode the batch decides
	models, err := batched(ctx, st, func(m *Model) (backends.Batch, error) {
		mode, said := modes[m.Name]
		switch known := m.servers.labelMode; {
		case !m.classifies() || !m.servers.probed():
		case known != "" && said && known != mode:
			return nil, fault.Data.Wrap(fmt.Errorf("model %s: the batch asked its classifications by %q, and the answers in "+
				"%s were asked by %q, which is part of their keys: write the batch again, or give the model a revision of its "+
				"own and both", m.Name, mode, st.Store(), known))
		case known == "" && said:
			m.servers.labelMode, settled = mode, append(settled, m)
		case known == "":
			came.Unsure = append(came.Unsure, m.Name)
		}
		labels := batchLabels(m, "")
		if labels != "" && !labels.Batched() { // answers that came live
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
	size := func(collect.Job) (total, done int) { return 0, 0 } // each job says so when it begins
	progress := &progress{ctx: ctx, events: st.events, whole: newWhole(unspent, jobs, size)}
	came.Report, err = collect.Run(ctx, st.store, jobs, collect.Options{RetryFailed: true, GiveUp: -1,
		Hurry: st.options.Hurry}, progress)
	warnUnreported(st, came.Report)
	return came, err
}

// another is the error of an output without a single answer to the study.
func another(st *Study, came batch.Came, manifests []*batch.Manifest) error {
	why := "it is the output of another batch, or the study was changed since: its prompts, models and data are in " +
		"the keys"
	switch {
	case !loaded(st):
		why = "the rows of a dataset on the hub are not on this machine: infnet batch write fetches them"
	case len(came.Unsure) > 0:
		why = fmt.Sprintf("how a batch asks the classifications of %s is written in its manifest, which was not found: name "+
			"the folder that infnet batch write made with --batch", came.Unsure[0])
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

// openBatch opens the model for batch files. declared is how classifications are asked where nothing else says it.
func openBatch(m *Model, f batch.Format, declared backends.LabelMode) (backends.Batch, error) {
	labels := batchLabels(m, declared)
	known := m.servers.labelMode
	if m.servers.probed() && m.classifies() && known != "" && declared != "" && declared != known {
		return nil, fmt.Errorf("model %s: its classifications were asked by %q before, and the batch is to ask by %q: leave "+
			"--labels out, or give the model a revision of its own", m.Name, known, declared)
	}
	if l := m.launch(); l != nil && f == batch.VLLM && l.Engine != backends.VLLM {
		return nil, fmt.Errorf("model %s: the study starts it with %s, whose settings are part of every answer's key, and "+
			"vllm run-batch is another engine: set engine = \"vllm\", or ask live", m.Name, engine.Name(l))
	}
	if err := f.Refuses(m.Mode, labels); err != nil {
		return nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	if labels == backends.LabelsText && slices.ContainsFunc(m.study.Datasets, m.defersOn) {
		return nil, fmt.Errorf("model %s: its confidence decides in a cascade, and labels = %q gives none: ask by %q",
			m.Name, labels, defaultLabels)
	}
	if m.servers.unasked() {
		m.servers.labelMode = labels
	}
	return mailed(m, labels)
}

// batchLabels is how a batch asks the model's classifications; "" = it has none.
func batchLabels(m *Model, declared backends.LabelMode) backends.LabelMode {
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
	case declared != "":
		return declared
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

// runBatch is the command that answers a file of requests with vLLM.
func runBatch(m *Model, in string) string {
	out := in[:len(in)-len(filepath.Ext(in))] + ".out.jsonl"
	t := m.task()
	if t.Launch == nil || t.Launch.Engine != backends.VLLM {
		t.Launch = &backends.Launch{Engine: backends.VLLM, Weights: m.known.ID.ID, GPUs: 1}
	}
	return engine.RunBatch(t, in, out).Shell()
}
