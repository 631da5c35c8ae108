package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/backends/open"
	"infnet/harness/batch"
	"infnet/harness/collect"
	"infnet/harness/cost"
	"infnet/harness/fault"
	"infnet/harness/policy"
)

// BatchOptions say what a batch asks.
type BatchOptions struct {
	Format     batch.Format
	Dir        string             // where the files go
	Labels     backends.LabelMode // how classifications are asked where the study leaves it to a probe; "" = by default
	SkipFailed bool               // leave out what failed before
	Requests   int                // most requests of a file, below the format's own limit; 0 = that one
	How        batch.How          // for the manifest
}

// WrittenBatch says what a batch asks, and what it does not.
type WrittenBatch struct {
	*batch.Manifest
	Skipped    []SkippedModel
	Unaskable  int    // requests that no call can ask
	Unasked    string // why, of the first
	Command    map[string]string
	Replaced   bool   // an earlier batch was in the folder
	OverBudget string // which spending limits the calls exceed; "" = none
}

// SkippedModel is a model that a batch does not ask, and why.
type SkippedModel struct{ Model, Why string }

// defaultLabels is how a batch asks classifications unless something says otherwise.
const defaultLabels = backends.LabelsTopLogprobs

// WriteBatch writes the requests that have no answer into files for a provider's batch interface. It calls no model.
// Where nothing is to be asked it writes nothing.
func (st *Study) WriteBatch(ctx context.Context, o BatchOptions) (*WrittenBatch, error) {
	defer st.frugal(false)()
	if st.Spec.Cost.Model == cost.Latency || st.Spec.Policy.Objective == policy.Latency {
		return nil, fault.Spec.Wrap(fmt.Errorf("the study counts the time of every answer (cost.model or policy.objective = "+
			"%q), which nobody measures in a batch: ask live, or count something else", cost.Latency))
	}
	if _, err := (collection{st}).prepare(ctx, CollectOptions{Offline: true}); err != nil {
		return nil, err
	}
	old, err := batch.ReadManifest(o.Dir)
	if err != nil && !batch.Absent(err) {
		return nil, fault.Usage.Wrap(err)
	}
	if old != nil && old.Study != st.Spec.Name {
		return nil, fault.Usage.Wrap(fmt.Errorf("%s holds a batch of the study %s, whose manifest would be lost: name "+
			"another "+
			"folder with --out", o.Dir, old.Study))
	}
	w := &batchWriter{Study: st, o: o, limits: o.Format.Limits(), seen: map[backends.Key]bool{},
		out: &WrittenBatch{Command: map[string]string{},
			Manifest: &batch.Manifest{Study: st.Spec.Name, SpecHash: st.Spec.Hash, How: o.How, Format: o.Format}}}
	if r := &w.limits.Requests; o.Requests > 0 && (*r == 0 || o.Requests < *r) {
		*r = o.Requests
	}
	if err := w.all(ctx); err != nil {
		return nil, err
	}
	if len(w.out.Models) == 0 {
		return w.out, nil
	}
	if err := w.out.Manifest.Write(o.Dir); err != nil {
		return nil, fault.Store.Wrap(err)
	}
	w.out.Replaced = old != nil
	return w.out, w.tidy(old)
}

// batchWriter writes the batch of a study.
type batchWriter struct {
	*Study
	o      BatchOptions
	limits batch.Limits
	seen   map[backends.Key]bool // requests that are written
	out    *WrittenBatch
}

// all writes the files of every model. Whether all can be asked is known before the first file is written.
func (w *batchWriter) all(ctx context.Context) error {
	jobs := map[string][]collect.Job{}
	for _, j := range (collection{w.Study}).jobs(ctx) {
		jobs[j.Name] = append(jobs[j.Name], j)
	}
	asked := map[*Model]backends.Batch{}
	var refused []error
	for _, m := range w.Models {
		why := ""
		switch kind := m.Config.Model.Kind; {
		case len(jobs[m.Name]) == 0:
			continue
		case m.Recording != nil:
			why = "its answers are recorded"
		case kind.InProcess():
			why = fmt.Sprintf("it is computed in this process (%s)", kind)
		case !open.Batches(kind):
			why = fmt.Sprintf("a model of kind %q has no batch files", kind)
		}
		if why != "" {
			w.out.Skipped = append(w.out.Skipped, SkippedModel{m.Name, why})
			continue
		}
		b, err := m.batch(w.o.Format, w.o.Labels)
		if err != nil {
			refused = append(refused, err)
			continue
		}
		asked[m] = b
	}
	if err := errors.Join(refused...); err != nil {
		return fault.Model.Wrap(err)
	}
	if len(asked) == 0 && len(w.out.Skipped) > 0 {
		return fault.Model.Wrap(fmt.Errorf("no model of the study %s can be asked by batch: %s: %s; infnet run asks "+
			"them live",
			w.Spec.Name, w.out.Skipped[0].Model, w.out.Skipped[0].Why))
	}
	var need collect.Need
	for _, m := range w.Models {
		if asked[m] == nil {
			continue
		}
		n, err := w.model(ctx, m, asked[m], jobs[m.Name])
		if err != nil {
			return fmt.Errorf("model %s: %w", m.Name, err)
		}
		need.Tokens, need.Cost, need.Currency = need.Tokens+n.Tokens, need.Cost+n.Cost, n.Currency
	}
	w.out.OverBudget = collect.Limits(w.Spec.Collect.Spending).Over(need, 0)
	return nil
}

// model writes one model's files.
func (w *batchWriter) model(ctx context.Context, m *Model, b backends.Batch, jobs []collect.Job) (collect.Need, error) {
	r, _ := m.Config.Remote()
	asked := batch.Asked{Model: m.Name, ID: m.known.ID, Served: r.Served, Mode: m.Mode, LabelMode: m.batchLabels("")}
	var err error
	if asked.Files, err = batch.WriteParts(w.o.Dir, m.Name, w.limits, w.requests(ctx, b, jobs, &asked)); err != nil {
		return collect.Need{}, err
	}
	if len(asked.Files) == 0 {
		return collect.Need{}, nil
	}
	planned, err := collect.Plan(ctx, w.store, jobs, collect.Options{RetryFailed: !w.o.SkipFailed})
	if err != nil {
		return collect.Need{}, err
	}
	for _, p := range planned {
		asked.TokensIn, asked.TokensOut = asked.TokensIn+p.PromptTokens, asked.TokensOut+p.CompletionTokens
		if p.Calls > 0 {
			asked.Basis = fmt.Sprintf("prompt tokens by %s; new tokens: %s", p.PromptBasis, p.CompletionBasis)
		}
	}
	sum := PlannedJob{collect.Planned{PromptTokens: asked.TokensIn, CompletionTokens: asked.TokensOut}, m}
	if price, currency, ok := sum.Price(); ok {
		asked.Price = &batch.Money{Amount: price, Currency: currency}
	}
	if price, currency, ok := sum.BatchPrice(); ok {
		asked.ByBatch = &batch.Money{Amount: price, Currency: currency}
	}
	if w.o.Format == batch.VLLM {
		w.out.Command[m.Name] = m.runBatch(filepath.Join(w.o.Dir, asked.Files[0].Name))
	}
	w.out.Models = append(w.out.Models, asked)
	return collect.Needed(jobs, planned), nil
}

// requests yields the requests of a model that have no answer, each once: two datasets may hold the same text, and a
// model may have two names.
func (w *batchWriter) requests(ctx context.Context, b backends.Batch, jobs []collect.Job,
	asked *batch.Asked) iter.Seq2[batch.Request, error] {
	return func(yield func(batch.Request, error) bool) {
		stop := errors.New("no more is wanted")
		for _, j := range jobs {
			err := collect.Lacking(ctx, w.store, j, func(it collect.Item, failed *backends.Failure) error {
				key := it.Request.Key()
				if w.seen[key] || failed != nil && w.o.SkipFailed {
					return nil
				}
				w.seen[key] = true
				call, f := b.Call(ctx, it.Request)
				switch {
				case ctx.Err() != nil:
					return context.Cause(ctx)
				case f != nil:
					if w.out.Unaskable++; w.out.Unaskable == 1 {
						w.out.Unasked = fmt.Sprintf("%s on %s, record %s: %s", j.Name, j.Dataset, it.ID, f.Message)
					}
					return nil
				}
				if asked.Requests++; failed != nil {
					asked.Failed++
				}
				asked.URL = call.URL
				if !yield(batch.Request{Example: it.ID, Key: key, Call: call}, nil) {
					return stop
				}
				return nil
			})
			if errors.Is(err, stop) {
				return
			}
			if err != nil {
				yield(batch.Request{}, err)
				return
			}
		}
	}
}

// tidy removes the files of the folder's earlier batch that this one did not write anew.
func (w *batchWriter) tidy(old *batch.Manifest) error {
	if old == nil {
		return nil
	}
	now := map[string]bool{}
	for _, m := range w.out.Models {
		for _, p := range m.Files {
			now[p.Name] = true
		}
	}
	for _, m := range old.Models {
		for _, p := range m.Files {
			if now[p.Name] || p.Name != filepath.Base(p.Name) {
				continue
			}
			if err := os.Remove(filepath.Join(w.o.Dir, p.Name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fault.Store.Wrap(err)
			}
		}
	}
	return nil
}

// batch opens the model for batch files. declared is how classifications are asked where nothing else says it.
func (m *Model) batch(f batch.Format, declared backends.LabelMode) (backends.Batch, error) {
	labels := m.batchLabels(declared)
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
	opened, err := m.mailed(labels)
	return opened, fault.Model.Wrap(err)
}

// batchLabels is how a batch asks the model's classifications; "" = it has none.
func (m *Model) batchLabels(declared backends.LabelMode) backends.LabelMode {
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
func (m *Model) mailed(labels backends.LabelMode) (backends.Batch, error) {
	if r, _ := m.Config.Remote(); labels == "" {
		if labels = defaultLabels; !r.Probed && r.Labels == backends.LabelsAuto {
			labels = backends.LabelsText // as no_logprobs wants; nothing is asked by it
		}
	}
	return open.Batch(m.config, labels)
}

// runBatch is the command that answers a file of requests with vLLM.
func (m *Model) runBatch(in string) string {
	out := in[:len(in)-len(filepath.Ext(in))] + ".out.jsonl"
	t := m.task()
	if t.Launch == nil || t.Launch.Engine != backends.VLLM {
		t.Launch = &backends.Launch{Engine: backends.VLLM, Weights: m.known.ID.ID, GPUs: 1}
	}
	return engine.RunBatch(t, in, out).Shell()
}

// declared are the label modes that manifests name, by model.
func declared(manifests []*batch.Manifest) (map[string]backends.LabelMode, error) {
	out := map[string]backends.LabelMode{}
	for _, m := range manifests {
		for _, a := range m.Models {
			if before := out[a.Model]; before != "" && a.LabelMode != "" && before != a.LabelMode {
				return nil, fault.Data.Wrap(fmt.Errorf("two batches ask model %s by %q and by %q: read them one after the other",
					a.Model, before, a.LabelMode))
			}
			if a.LabelMode != "" {
				out[a.Model] = a.LabelMode
			}
		}
	}
	return out, nil
}
