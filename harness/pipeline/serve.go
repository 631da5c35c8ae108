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
	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/serving"
)

// session is a part of a command in which models may be called: a collection, or an examination. The servers that the
// study starts live no longer.
type session struct {
	ctx   context.Context
	fleet *serving.Fleet
}

// begin starts a session. No server is started yet. end stops those that were.
func begin(ctx context.Context, st *Study) (end func() error) {
	launched := launched(st)
	if len(launched) == 0 {
		return func() error { return nil }
	}
	st.session = &session{ctx: ctx,
		fleet: serving.New(filepath.Join(st.options.Out, folder.Servers, st.options.Shard.Word()), st.events)}
	return func() error {
		err := stopServers(st)
		st.session = nil
		return err
	}
}

// stopServers stops the servers that run.
func stopServers(st *Study) error {
	if st.session == nil {
		return nil
	}
	for _, m := range launched(st) {
		m.open, m.running = nil, nil
	}
	return fault.Model.Wrap(st.session.fleet.Stop())
}

// launched lists the models whose servers the study starts.
func launched(st *Study) (list []*Model) {
	for _, m := range st.everyModel() {
		if m.launch() != nil {
			list = append(list, m)
		}
	}
	return list
}

// launch says how the model's servers are started; nil = they run, or there are none.
func (m *Model) launch() *backends.Launch {
	r, _ := m.Config.Remote()
	return r.Launch
}

// task is what the model's servers are started for.
func (m *Model) task() engine.Task {
	r, _ := m.Config.Remote()
	t := engine.Task{Launch: r.Launch, Served: r.Served, Role: engine.Answers, Top: r.Top}
	switch m {
	case m.study.embedder:
		t.Role = engine.Embeds
	case m.study.scorer:
		t.Role = engine.Scores
	}
	return t
}

// lacks says what this machine lacks of what the model's servers need.
func lacks(ctx context.Context, m *Model) (problems []error) {
	if err := engine.Check(m.launch()); err != nil {
		problems = append(problems, err)
	}
	if _, err := serving.Deal(ctx, m.launch()); err != nil {
		problems = append(problems, err)
	}
	return problems
}

// started starts the model's servers, if the study does, and returns the configuration that calls them.
func started(m *Model, cfg backends.Config) (backends.Config, error) {
	if m.launch() == nil {
		return cfg, nil
	}
	if m.study.session == nil {
		return cfg, fmt.Errorf("model %s: its server is started while a study collects answers or is examined, and not now",
			m.Name)
	}
	s := m.study.session
	servers, err := s.fleet.Serve(s.ctx, serving.Model{Name: m.Name, Task: m.task(),
		Ready: func(ctx context.Context, url string, key backends.Secret) error {
			return answersAt(ctx, m, url, key)
		}})
	if err != nil {
		return cfg, err
	}
	m.running = servers
	return cfg.At(servers.URLs(), servers.Key()), nil
}

// answersAt asks a server that just started for one answer. It may take minutes, so only the context ends the wait.
func answersAt(ctx context.Context, m *Model, url string, key backends.Secret) error {
	cfg := m.config.Cold(url, key)
	const text = "The sky is"
	switch m.task().Role {
	case engine.Embeds:
		e, err := open.Embedder(cfg)
		if err != nil {
			return err
		}
		_, err = e.Embed(ctx, []string{text})
		return err
	case engine.Scores:
		s, err := open.Scorer(cfg)
		if err != nil {
			return err
		}
		_, err = s.Score(ctx, []backends.Pair{{Source: text, Target: "blue"}})
		return err
	}
	model, err := open.Model(cfg)
	if err != nil {
		return err
	}
	r, _ := m.Config.Remote()
	answers, err := model.Answer(ctx, []backends.Request{{Model: cfg.Model, Mode: m.Mode, Prompt: text, MaxTokens: 8,
		Served: r.Served, Settings: r.Engine()}})
	if err != nil {
		return err
	}
	if f := answers[0].Failure; f != nil && !f.Cause.Unsaid() {
		return f
	}
	return nil
}

// steadily makes a call to the model's servers, and makes it again where one died under it.
func steadily(ctx context.Context, m *Model, call func() error) error {
	if m.running == nil {
		return call()
	}
	return m.running.Do(ctx, call)
}

// preflight refuses, before anything is asked or started, engines that are not on this machine and GPUs that are not
// there, for those models that have something to be asked.
func preflight(ctx context.Context, st *Study, retryFailed bool) error {
	if len(launched(st)) == 0 {
		return nil
	}
	p, err := st.Plan(ctx, PlanOptions{RetryFailed: retryFailed, Shard: st.options.Shard, Quick: true})
	if err != nil || st.session == nil {
		return err
	}
	var problems []error
	for _, m := range launched(st) {
		if !slices.ContainsFunc(p.Jobs, func(j PlannedJob) bool { return j.model == m && j.Calls > 0 }) &&
			!slices.ContainsFunc(p.Derived, func(d PlannedDerived) bool { return d.model == m && d.Missing > 0 }) {
			continue
		}
		for _, err := range lacks(ctx, m) {
			problems = append(problems, fmt.Errorf("model %s: %w", m.Name, err))
		}
	}
	return fault.Model.Wrap(errors.Join(problems...))
}
