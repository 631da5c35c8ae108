package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"time"

	"infnet/backends"
	"infnet/backends/all"
	"infnet/backends/bart"
	"infnet/backends/encoder"
	"infnet/backends/local"
	"infnet/backends/retry"
	"infnet/harness/analyze"
	"infnet/harness/fault"
	"infnet/harness/regular"
	"infnet/harness/seed"
	"infnet/harness/spec"
)

// identify completes a model's identity: the content hash of a local folder,
// the stated distribution of a simulated model. A server is not asked: its
// model is what the spec says.
func (st *study) identify(ctx context.Context, m *spec.Model) error {
	cfg := m.Config
	known := analyze.Model{}
	switch cfg.Model.Kind {
	case backends.Local:
		revision, here, err := st.weights(ctx, m)
		if err != nil || !here {
			return err
		}
		cfg.Model.Revision = revision
		files, err := st.folder(m)
		if err != nil {
			return fmt.Errorf("model %s: %w", m.Name, err)
		}
		copied := *cfg.Local
		if st.flags.Jobs > 0 {
			copied.Threads = st.flags.Jobs
		}
		cfg.Local = &copied
		facts, err := local.InspectFS(files)
		if err != nil {
			return fmt.Errorf("model %s: folder %s: %w", m.Name, m.Path, err)
		}
		known.Shape, st.facts[m.Name] = &facts.Shape, facts
	case backends.Encoder:
		revision, here, err := st.weights(ctx, m)
		if err != nil || !here {
			return err
		}
		cfg.Model.Revision = revision
		copied := *cfg.Encoder
		if st.flags.Jobs > 0 {
			copied.Threads = st.flags.Jobs
		}
		cfg.Encoder = &copied
	case backends.BART:
		revision, here, err := st.weights(ctx, m)
		if err != nil || !here {
			return err
		}
		cfg.Model.Revision = revision
		copied := *cfg.Scorer
		if st.flags.Jobs > 0 {
			copied.Threads = st.flags.Jobs
		}
		cfg.Scorer = &copied
	case backends.Simulated:
		text, err := json.Marshal(cfg.Simulated)
		if err != nil {
			return fmt.Errorf("model %s: %w", m.Name, err)
		}
		sum := sha256.Sum256(text)
		cfg.Model.Revision = hex.EncodeToString(sum[:8])
	case backends.Replay:
		revision, err := st.replayRevision(m)
		if err != nil {
			return fault.Data.Wrap(fmt.Errorf("model %s: answers: %w", m.Name, err))
		}
		cfg.Model.Revision, known.Shape = revision, m.Shape
	default:
		known.Shape = m.Shape
	}
	var err error
	if known.Served, err = st.recall(m, cfg.Model); err != nil {
		return fault.Store.Wrap(err)
	}
	known.ID = cfg.Model
	st.models[m.Name], st.configs[m.Name] = known, cfg
	return nil
}

// weights returns the version of a local model's folder, which it brings here
// where it is on the hub: its commit there, else the hash of its content. It
// returns false where the command does without it.
func (st *study) weights(ctx context.Context, m *spec.Model) (string, bool, error) {
	if m.Hub != "" {
		d, here, err := st.fetchModel(ctx, m)
		if err != nil {
			return "", false, fmt.Errorf("model %s: %w", m.Name, err)
		}
		if !here {
			return "", false, nil
		}
		st.folders[m.Name] = d.Dir
		return d.Commit, true, nil
	}
	files, err := st.folder(m)
	if err != nil {
		return "", false, fmt.Errorf("model %s: %w", m.Name, err)
	}
	hash := local.RevisionFS
	if m.Config.Encoder != nil {
		hash = encoder.Revision
	}
	if m.Config.Scorer != nil {
		hash = bart.Revision
	}
	revision, err := hash(files)
	if err != nil {
		return "", false, fmt.Errorf("model %s: folder %s: %w", m.Name, m.Path, err)
	}
	if want := m.Config.Model.Revision; want != "" && want != revision {
		return "", false, fmt.Errorf("model %s: the folder %s has content %s, the spec asks for revision %s", m.Name, m.Path, revision, want)
	}
	return revision, true, nil
}

// folder returns the folder of a local model or an encoder as a file system.
func (st *study) folder(m *spec.Model) (fs.FS, error) {
	if dir := st.folders[m.Name]; dir != "" {
		return regular.DirFS(dir), nil
	}
	var path string
	switch c := m.Config; {
	case c.Local != nil:
		path = c.Local.Path
	case c.Encoder != nil:
		path = c.Encoder.Path
	case c.Scorer != nil:
		path = c.Scorer.Path
	}
	if m.FS != nil {
		return fs.Sub(m.FS, path)
	}
	return regular.DirFS(path), nil
}

// openModel opens a model ready to be asked, with retries around it.
func (st *study) openModel(m *spec.Model) (backends.Model, error) {
	cfg := st.configs[m.Name]
	var inner backends.Model
	var err error
	if cfg.Model.Kind == backends.Local {
		var files fs.FS
		if files, err = st.folder(m); err != nil {
			return nil, err
		}
		if inner, err = local.OpenFS(files, cfg); err != nil {
			err = fmt.Errorf("model folder %s: %w", m.Path, err)
		}
	} else {
		if cfg.OpenAI != nil {
			copied := *cfg.OpenAI
			copied.Headers, err = headers(m)
			cfg.OpenAI = &copied
		}
		if m.Answers != nil {
			cfg.Replay, err = st.recordings(m)
		}
		if err == nil {
			inner, err = all.Open(cfg)
		}
	}
	if err != nil {
		return nil, fault.Model.Wrap(err)
	}
	return retry.New(inner, st.persistence(m)), nil
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
