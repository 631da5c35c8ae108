package cli

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"infnet/backends"
	"infnet/backends/open"
	"infnet/backends/retry"
	"infnet/harness/fault"
	"infnet/harness/records"
	"infnet/harness/regular"
	"infnet/harness/seed"
	"infnet/harness/spec"
)

// identify completes a model's identity: the content hash of a folder, the
// stated distribution of a simulated model. A server is not asked: its model is
// what the spec says.
func (st *study) identify(ctx context.Context, m *spec.Model) error {
	cfg, here, err := st.located(ctx, m)
	if err != nil || !here {
		return err
	}
	if st.flags.Jobs > 0 {
		cfg = cfg.WithThreads(st.flags.Jobs)
	}
	if m.Answers != nil {
		if cfg.Model.Revision, err = st.replayRevision(m); err != nil {
			return fault.Data.Wrap(fmt.Errorf("model %s: answers: %w", m.Name, err))
		}
	}
	facts, err := open.Inspect(cfg)
	if err != nil {
		return fmt.Errorf("model %s: folder %s: %w", m.Name, m.Path, err)
	}
	known := records.Facts{ID: cfg.Model, Shape: m.Shape}
	if facts != nil {
		shape := facts.Shape()
		known.Shape, st.facts[m.Name] = &shape, facts
	}
	if known.Served, err = st.recall(m, cfg.Model); err != nil {
		return fault.Store.Wrap(err)
	}
	st.models[m.Name], st.configs[m.Name] = known, cfg
	return nil
}

// located returns how a model is opened, with its revision, and with the folder
// of its weights if it has one. here is false where that is on the hub, and the
// command does without it.
func (st *study) located(ctx context.Context, m *spec.Model) (cfg backends.Config, here bool, err error) {
	cfg, here, err = st.withFolder(ctx, m)
	if err != nil {
		return cfg, false, fmt.Errorf("model %s: %w", m.Name, err)
	}
	if m.Hub != "" {
		return cfg, here, nil
	}
	stated := cfg.Model.Revision
	if cfg.Model.Revision, err = open.Revision(cfg); err != nil {
		return cfg, false, fmt.Errorf("model %s: folder %s: %w", m.Name, m.Path, err)
	}
	if found := cfg.Model.Revision; cfg.Traits().Folder && stated != "" && stated != found {
		return cfg, false, fmt.Errorf("model %s: the folder %s has content %s, the spec asks for revision %s", m.Name, m.Path, found, stated)
	}
	return cfg, true, nil
}

// withFolder fills in where the folder of a model's weights is. One on the hub
// is fetched, and its commit is the model's revision.
func (st *study) withFolder(ctx context.Context, m *spec.Model) (cfg backends.Config, here bool, err error) {
	cfg = m.Config
	switch {
	case m.Hub != "":
		d, here, err := st.fetchModel(ctx, m)
		if err != nil || !here {
			return cfg, false, err
		}
		cfg.Model.Revision, cfg.Files = d.Commit, regular.DirFS(d.Dir)
	case m.FS != nil:
		cfg.Files, err = fs.Sub(m.FS, cfg.Folder())
	case cfg.Traits().Folder:
		cfg.Files = regular.DirFS(cfg.Folder())
	}
	return cfg, true, err
}

// openModel opens a model ready to be asked, with retries around it.
func (st *study) openModel(m *spec.Model) (backends.Model, error) {
	cfg, err := st.ready(m)
	if err == nil && m.Answers != nil {
		cfg.Replay, err = st.recordings(m)
	}
	if err != nil {
		return nil, fault.Model.Wrap(err)
	}
	inner, err := open.Model(cfg)
	if err != nil {
		return nil, fault.Model.Wrap(inFolder(m, err))
	}
	return retry.New(inner, st.persistence(m)), nil
}

// ready returns how a model is opened, with the headers for its servers.
func (st *study) ready(m *spec.Model) (backends.Config, error) {
	cfg, known := st.configs[m.Name]
	if !known {
		return cfg, fmt.Errorf("model %q: its folder is not on this machine: infnet collect fetches it", m.Name)
	}
	values, err := headers(m)
	if err != nil || values == nil {
		return cfg, err
	}
	return cfg.WithHeaders(values), nil
}

// inFolder adds to an error which folder is meant.
func inFolder(m *spec.Model, err error) error {
	if m.Config.Traits().Folder {
		return fmt.Errorf("model folder %s: %w", m.Path, err)
	}
	return err
}

// persistence is how often a model's server is asked again.
func (st *study) persistence(m *spec.Model) retry.Options {
	return retry.Options{
		Tries: st.spec.Collect.Retries + 1,
		Rand:  seed.Stream(st.spec.Seed, "retry", m.Name),
		Notify: func(n int, failure backends.Failure, wait time.Duration) {
			st.screen.log.Warn("asking again", "model", m.Name, "requests", n, "cause", failure.Cause, "wait", wait)
		},
	}
}
