package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"infnet/backends"
	"infnet/backends/open"
	"infnet/backends/retry"
	"infnet/harness/collect"
	"infnet/harness/dataset/hub"
	"infnet/harness/fault"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/regular"
	"infnet/harness/seed"
	"infnet/harness/serving"
	"infnet/harness/spec"
	"infnet/harness/store"
	"infnet/harness/task"
)

// Model is a model of an opened study.
type Model struct {
	*spec.Model
	study *Study

	fetched  bool          // a download was attempted
	download *hub.Download // nil = not on the hub, or not downloaded

	available bool            // its identity is known: its folder is on this machine, or it needs none
	known     records.Facts   // its identity, and what else is known
	config    backends.Config // the spec's, with the revision and the folder filled in
	facts     backends.Facts  // what its folder says about it; nil = nothing
	shapeless error           // why its shape cannot be read from what its engine reads; nil = it was, or there is none

	servers *servers
	running *serving.Servers // that the study started; nil = none
	open    func() (backends.Model, error)
}

// newModel returns a model of the spec, not opened or identified yet.
func newModel(st *Study, m *spec.Model) *Model {
	out := &Model{Model: m, study: st}
	out.servers = &servers{model: out}
	return out
}

// answersFor reports whether some cascade or pool has the model answer the dataset.
func (m *Model) answersFor(d *Dataset) bool {
	return slices.ContainsFunc(m.study.Spec.Asked(), func(c spec.Cascade) bool {
		return slices.Contains(c.Models, m.Name) && slices.Contains(c.Datasets, d.Name)
	})
}

// defersOn reports whether the model's log-probabilities decide on the dataset: some cascade has it
// before its last model, and it does not vote.
func (m *Model) defersOn(d *Dataset) bool {
	return m.Samples == nil && m.before(m.study.Spec.Cascades, d)
}

// classifies reports whether the model gets a classification.
func (m *Model) classifies() bool {
	return m.judges() || m.asksItself() || slices.ContainsFunc(m.study.Datasets,
		func(d *Dataset) bool { return d.Task == task.Classification && m.answersFor(d) })
}

// canAnswer reports whether the model answers the dataset, and both are on
// this machine.
func (m *Model) canAnswer(d *Dataset) bool { return m.available && d.Sheet != nil && m.answersFor(d) }

// served is the name by which servers know the model; "" where none does.
func (m *Model) served() string { return question.Served(m.Model) }

// request is the model's request for example i of a dataset, the first one of samples.
func (m *Model) request(d *Dataset, i int) backends.Request {
	return d.Sheet.Request(i, m.known.ID, m.Model)
}

// answers opens the model's answers to a dataset.
func (m *Model) answers(d *Dataset) (*store.Answers, error) {
	return m.study.store.Answers(store.ID{Model: m.known.ID, Dataset: d.source, Name: d.Name})
}

// given is what the model said to example i of a dataset, of the answers that are stored.
func (m *Model) given(d *Dataset, i int, stored *store.Answers) (question.Given, error) {
	return d.Sheet.Given(i, m.known.ID, m.Model, func(key backends.Key) (backends.Answer, bool, error) {
		r, ok, err := stored.Get(key)
		return r.Answer, ok, err
	})
}

// placed adds to an error about a model's folder or recorded answers the line of the spec that
// names them. Errors of the store or the hub's cache, and interruptions, are not mistakes in the
// spec.
func (m *Model) placed(err error) error {
	ofStore := fault.Store.Of(err) || store.Unusable(err) || errors.As(err, new(*hub.CacheError))
	if ofStore || errors.Is(err, context.Canceled) {
		return err
	}
	return m.study.Spec.At(spec.OfModels, m.Name, err, "", "path", "answers", "id")
}

// identify completes a model's identity: the content hash of a folder, the stated distribution of a
// simulated model. No server is called: its model is what the spec says.
func (m *Model) identify(ctx context.Context) error {
	cfg, ok, err := located(ctx, m)
	if err != nil || !ok {
		return err
	}
	if m.Recording != nil {
		if cfg.Model.Revision, err = recordedRevision(m); err != nil {
			return fault.Data.Wrap(fmt.Errorf("model %s: answers: %w", m.Name, err))
		}
	}
	if m.facts, err = open.Inspect(cfg); err != nil {
		return fmt.Errorf("model %s: folder %s: %w", m.Name, m.Path, err)
	}
	m.known = records.Facts{ID: cfg.Model, Shape: m.Shape}
	if m.facts != nil {
		shape := m.facts.Shape()
		m.known.Shape = &shape
	}
	files, in := m.study.Spec.FS, m.ShapeIn
	if l := m.launch(); in == "" && l != nil && l.Local && m.Shape == nil {
		files, in = nil, l.Weights
	}
	if in != "" {
		if files == nil {
			files = regular.DirFS(in)
		} else if files, err = fs.Sub(files, in); err != nil {
			return err
		}
		shape, err := open.Shape(files)
		if m.shapeless = err; err == nil {
			m.known.Shape = &shape
		}
	}
	m.config, m.available = cfg, true
	return fault.Store.Wrap(m.servers.readFindings())
}

// located returns the configuration that opens the model, with its revision and the folder of its
// weights, if it has one. ok is false if that folder is on the hub and was not downloaded.
func located(ctx context.Context, m *Model) (cfg backends.Config, ok bool, err error) {
	cfg, ok, err = withFolder(ctx, m)
	if err != nil {
		return cfg, false, fmt.Errorf("model %s: %w", m.Name, err)
	}
	if m.Hub != "" {
		return cfg, ok, nil
	}
	stated := cfg.Model.Revision
	if cfg.Model.Revision, err = open.Revision(cfg); err != nil {
		return cfg, false, fmt.Errorf("model %s: folder %s: %w", m.Name, m.Path, err)
	}
	if found := cfg.Model.Revision; cfg.Traits().Folder && stated != "" && stated != found {
		return cfg, false, fmt.Errorf("model %s: the folder %s has content %s, the spec asks for revision %s", m.Name, m.Path,
			found, stated)
	}
	return cfg, true, nil
}

// withFolder fills in the folder of the model's weights. A folder on the hub is downloaded once,
// and its commit is the model's revision; ok is false if it was not downloaded.
func withFolder(ctx context.Context, m *Model) (cfg backends.Config, ok bool, err error) {
	cfg = m.Config
	switch {
	case m.Hub != "":
		if !m.fetched {
			if m.download, err = m.study.fetcher.model(ctx, m); err != nil {
				return cfg, false, err
			}
			m.fetched = true
		}
		if m.download == nil {
			return cfg, false, nil
		}
		cfg.Model.Revision, cfg.Files = m.download.Commit, regular.DirFS(m.download.Dir)
	case m.FS != nil:
		cfg.Files, err = fs.Sub(m.FS, cfg.Folder())
	case cfg.Traits().Folder:
		cfg.Files = regular.DirFS(cfg.Folder())
	}
	return cfg, true, err
}

// withHeaders returns the configuration that opens the model, with the headers for its servers.
func withHeaders(m *Model) (backends.Config, error) {
	if !m.available {
		return m.config, fmt.Errorf("model %q: its folder is not on this machine: infnet collect fetches it", m.Name)
	}
	values, err := headers(m)
	if err != nil || values == nil {
		return m.config, err
	}
	return m.config.WithHeaders(values), nil
}

// headers reads the values of a server's headers from the environment. The
// error names the variable that is not set, and holds no value.
func headers(m *Model) (map[string]backends.Secret, error) {
	if len(m.HeadersEnv) == 0 {
		return nil, nil
	}
	out := map[string]backends.Secret{}
	for _, header := range slices.Sorted(maps.Keys(m.HeadersEnv)) {
		variable := m.HeadersEnv[header]
		value := os.Getenv(variable)
		if value == "" {
			return nil, fmt.Errorf("model %s: the environment variable %s, the value of header %s, is not set", m.Name,
				variable, header)
		}
		out[header] = backends.Secret(value)
	}
	return out, nil
}

// Open opens the model with retries around it.
func (m *Model) Open() (backends.Model, error) {
	cfg, err := withHeaders(m)
	if err == nil && m.Recording != nil {
		cfg.Settings, err = joined(m)
	}
	if err == nil {
		cfg, err = started(m, cfg)
	}
	if err != nil {
		return nil, fault.Model.Wrap(err)
	}
	inner, err := open.Model(cfg)
	if err != nil {
		return nil, fault.Model.Wrap(inFolder(m, err))
	}
	if m.running != nil {
		inner = m.running.Model(inner)
	}
	if m.Recording != nil {
		return inner, nil // what was not recorded will not be at another try
	}
	return retry.New(inner, m.retries("requests")), nil
}

// opener returns a function that opens the model on its first call, probes its servers and confirms
// which models they serve. It starts the servers where the study does.
func (m *Model) opener(ctx context.Context) func() (backends.Model, error) {
	if m.open != nil {
		return m.open
	}
	m.open = sync.OnceValues(func() (backends.Model, error) {
		model, err := m.Open()
		if err != nil {
			return nil, err
		}
		if err := steadily(ctx, m, func() error { return m.servers.probe(ctx, model) }); err != nil {
			return nil, fault.Model.Wrap(err)
		}
		if c, ok := backends.Ability[backends.Confirmer](model); ok {
			err = m.servers.confirm(ctx, c, false)
		}
		return model, err
	})
	return m.open
}

// inFolder adds the folder's name to an error.
func inFolder(m *Model, err error) error {
	if err != nil && m.Config.Traits().Folder {
		return fmt.Errorf("model folder %s: %w", m.Path, err)
	}
	return err
}

// retries returns the retry options of a model's server; what names the retried items.
func (m *Model) retries(what string) retry.Options {
	return retry.Options{
		Tries: m.study.Spec.Collect.Retries + 1,
		Rand:  seed.Stream(m.study.Spec.Seed, "retry", m.Name),
		Notify: func(n int, failure backends.Failure, wait time.Duration) {
			m.study.events.Warn("asking again", "model", m.Name, what, n, "cause", failure.Cause, "wait",
				wait.Round(100*time.Millisecond))
		},
	}
}

// concurrency is the number of calls in flight to a server. An in-process model uses all cores by
// itself.
func (m *Model) concurrency() int {
	r, _ := m.Config.Remote()
	return r.Concurrency
}

// price is what the model's tokens cost, for a spending limit.
func (m *Model) price() collect.Price {
	if !m.Priced {
		return collect.Price{}
	}
	return collect.Price{In: m.PriceIn, Out: m.PriceOut, Currency: m.Currency}
}
