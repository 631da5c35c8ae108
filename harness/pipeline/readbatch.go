package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"infnet/backends"
	"infnet/backends/open"
	"infnet/harness/batch"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/store"
	"infnet/harness/task"
)

// ReadBatch is what the output of a batch brought.
type ReadBatch struct {
	collect.Report
	Unasked map[string]int // requests that the provider never asked, by why
	Foreign int            // lines about requests that the study does not make
	First   string         // custom_id of one of them
	Unsure  []string       // models of which it is not known how the batch asked classifications
}

// ReadBatch puts the answers of a batch's output into the store, as a collection does: each reply
// passes the checks of a live one, what failed is recorded, and what is there already stays. The
// report covers what was done even if there is an error.
func (st *Study) ReadBatch(ctx context.Context, out *batch.Output,
	manifests []*batch.Manifest) (rep ReadBatch, err error) {
	defer st.frugal(false)()
	rep.Unasked = map[string]int{}
	if _, err := (collection{st}).prepare(ctx, CollectOptions{Offline: true}); err != nil {
		return rep, err
	}
	modes, err := declared(manifests)
	if err != nil {
		return rep, err
	}
	r := &batchReader{Study: st, out: out, modes: modes, mine: map[backends.Key]bool{}}
	if err := r.find(ctx); err != nil {
		return rep, err
	}
	r.foreign(&rep)
	rep.Unsure = r.unsure
	if len(r.mine) == 0 {
		return rep, r.another(rep, manifests)
	}
	if err := r.declare(); err != nil {
		return rep, err
	}
	unspent := collect.NewSpending(collect.Limits{}) // what is read was paid for before
	defer unspent.Close()
	size := func(collect.Job) (total, done int) { return 0, 0 } // each job says so when it begins
	progress := &progress{ctx: ctx, events: st.events, whole: newWhole(unspent, r.jobs, size)}
	rep.Report, err = collect.Run(ctx, st.store, r.jobs, collect.Options{RetryFailed: true, GiveUp: -1,
		Hurry: st.options.Hurry}, progress)
	collection{st}.warnUnreported(rep.Report)
	return rep, err
}

// batchReader finds the requests that an output is about.
type batchReader struct {
	*Study
	out     *batch.Output
	modes   map[string]backends.LabelMode // that manifests name, by model
	mine    map[backends.Key]bool         // keys of the output that the study asks
	jobs    []collect.Job                 // those that something came for
	settled []*Model                      // whose label mode the batch decides
	unsure  []string                      // models of which it is not known how the batch asked them
}

// find lists the study's requests that the output has lines about.
func (r *batchReader) find(ctx context.Context) error {
	opened := map[string]backends.Batch{}
	for _, j := range (collection{r.Study}).jobs(ctx) {
		m := r.Model(j.Name)
		if m.Recording != nil || !open.Batches(m.Config.Model.Kind) {
			continue
		}
		b := opened[m.Name]
		if b == nil {
			labels, err := r.labels(m)
			if err != nil {
				return err
			}
			if b, err = m.mailed(labels); err != nil {
				return fault.Model.Wrap(err)
			}
			opened[m.Name] = b
		}
		n := 0
		for it, err := range j.Items {
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			k := it.Request.Key()
			if r.out.Has(k) {
				n++
			} else if r.out.Unasked(k) == "" {
				continue
			}
			r.mine[k] = true
		}
		if n == 0 {
			continue
		}
		j.Items, j.Before, j.After = r.answered(j.Items), nil, nil
		j.Open = r.opener(m, j.Dataset, b)
		r.jobs = append(r.jobs, j)
	}
	return nil
}

// answered keeps the requests that the output answers.
func (r *batchReader) answered(items iter.Seq2[collect.Item, error]) iter.Seq2[collect.Item, error] {
	return func(yield func(collect.Item, error) bool) {
		for it, err := range items {
			if (err != nil || r.out.Has(it.Request.Key())) && !yield(it, err) {
				return
			}
		}
	}
}

// opener opens the output as a model.
func (r *batchReader) opener(m *Model, dataset string, b backends.Batch) func() (backends.Model, error) {
	return func() (backends.Model, error) {
		var model backends.Model = &mailbox{out: r.out, batch: b}
		if m.defersOn(r.Dataset(dataset)) {
			model = &student{Model: model, name: m.Name}
		}
		return model, nil
	}
}

// labels is how the batch asked a model's classifications.
func (r *batchReader) labels(m *Model) (backends.LabelMode, error) {
	mode, said := r.modes[m.Name]
	switch known := m.servers.labelMode; {
	case !m.classifies() || !m.servers.probed():
	case known != "" && said && known != mode:
		return "", fault.Data.Wrap(fmt.Errorf("model %s: the batch asked its classifications by %q, and the answers in %s "+
			"were asked by %q, which is part of their keys: write the batch again, or give the model a revision of its own "+
			"and both", m.Name, mode, r.Store(), known))
	case known == "" && said:
		m.servers.labelMode = mode
		r.settled = append(r.settled, m)
	case known == "":
		r.unsure = append(r.unsure, m.Name)
	}
	labels := m.batchLabels("")
	if labels != "" && !labels.Batched() { // answers that came live
		return defaultLabels, nil
	}
	return labels, nil
}

// foreign counts the lines about requests that are not the study's.
func (r *batchReader) foreign(rep *ReadBatch) {
	for k := range r.out.Keys() {
		if why := r.out.Unasked(k); r.mine[k] && why != "" {
			rep.Unasked[why]++
		}
		if r.mine[k] {
			continue
		}
		if rep.Foreign++; rep.First == "" || k.String() < rep.First {
			rep.First = k.String()
		}
	}
	rep.Foreign += len(r.out.Strange)
	for id := range r.out.Strange {
		if rep.First == "" || id < rep.First {
			rep.First = id
		}
	}
}

// another is the error of an output without a single answer to the study.
func (r *batchReader) another(rep ReadBatch, manifests []*batch.Manifest) error {
	why := "it is the output of another batch, or the study was changed since: its prompts, models and data are in " +
		"the keys"
	switch {
	case !r.loaded():
		why = "the rows of a dataset on the hub are not on this machine: infnet batch write fetches them"
	case len(r.unsure) > 0:
		why = fmt.Sprintf("how a batch asks the classifications of %s is written in its manifest, which was not found: name "+
			"the folder that infnet batch write made with --batch", r.unsure[0])
	case len(manifests) > 0 && manifests[0].SpecHash != r.Spec.Hash:
		why = fmt.Sprintf("the study was changed since the batch was written (its hash was %.12s and is %.12s): write the "+
			"batch again, or read it with the study as it was", manifests[0].SpecHash, r.Spec.Hash)
	}
	return fault.Data.Wrap(fmt.Errorf("none of the %d requests in the output is one of the study %s (one is %q): %s; "+
		"nothing was stored", rep.Foreign, r.Spec.Name, rep.First, why))
}

// batchServer stands for the provider in what is known about a model's servers.
const batchServer = "batch files"

// declare stores how classifications were asked, where the batch decides it for all later runs.
func (r *batchReader) declare() error {
	for _, m := range r.settled {
		some := false
		for _, j := range r.jobs {
			some = some || j.Name == m.Name && r.Dataset(j.Dataset).Task == task.Classification
		}
		if !some {
			continue
		}
		mode := m.servers.labelMode
		all, err := r.store.AddServed(m.known.ID, store.Served{Name: m.served(), Server: batchServer,
			Fingerprint: "asked by " + string(mode), Labels: map[backends.Mode]backends.LabelMode{m.Mode: mode},
			Settings: m.servers.startedWith()})
		if err != nil {
			return fault.Store.Wrap(err)
		}
		m.servers.setFindings(all)
	}
	return nil
}

// mailbox is the output of a batch as a model.
type mailbox struct {
	out   *batch.Output
	batch backends.Batch
}

// Answer reads the replies to requests. Of several lines about a request the first good one counts, else the last.
func (b *mailbox) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	answers := make([]backends.Answer, len(reqs))
	for i, r := range reqs {
		said, err := b.out.Of(r.Key())
		if err != nil {
			return nil, fault.Data.Wrap(err)
		}
		if len(said) == 0 {
			return nil, errors.New("a request was asked that the output has no line about")
		}
		for _, o := range said {
			a := backends.Answer{Key: r.Key(), Failure: o.Failure}
			if a.Failure == nil {
				a = b.batch.Answer(ctx, r, o.Reply)
			}
			a = backends.Pass(r, a)
			a.Batch = string(o.Format)
			if answers[i] = a; a.Failure == nil {
				break
			}
		}
	}
	return answers, ctx.Err()
}
