package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/backends/retry"
	"infnet/harness/fault"
	"infnet/harness/store"
)

// servers is what is known about a model's servers.
type servers struct {
	model     *Model
	labelMode backends.LabelMode // how they are asked for classifications; "" = not known, or not probed
}

// probed reports whether probing its servers decides how the model is asked.
func (s *servers) probed() bool {
	r, ok := s.model.Config.Remote()
	return ok && r.Probed
}

// labelMode returns how the model with this name is asked for classifications, "" if its servers
// were not probed.
func (st *Study) labelMode(model string) backends.LabelMode {
	if m := st.answering(model); m != nil {
		return m.servers.labelMode
	}
	return ""
}

// readFindings reads what earlier runs found out about the model's servers. The first finding
// decides how classifications are asked, and so which stored answers belong to them.
func (s *servers) readFindings() error {
	if !s.probed() && s.model.launch() == nil {
		return nil
	}
	all, err := s.model.study.store.Served(s.model.known.ID)
	s.setFindings(all)
	return err
}

// setFindings keeps those findings that count.
func (s *servers) setFindings(all []store.Served) {
	found := store.ServedFor(all, s.model.served())
	if s.probed() {
		s.labelMode = ""
		for _, f := range found { // one lacks a mode that failed when it was not needed
			s.labelMode = cmp.Or(s.labelMode, f.Labels[s.model.Mode])
		}
	}
	now := s.startedWith()
	s.model.known.Served = slices.DeleteFunc(slices.Clone(found), func(f store.Served) bool { return f.Settings != now })
	if len(s.model.known.Served) > 0 && s.labelMode != "" { // by which all are asked
		first := &s.model.known.Served[0]
		labels := map[backends.Mode]backends.LabelMode{}
		maps.Copy(labels, first.Labels)
		labels[s.model.Mode] = s.labelMode
		first.Labels = labels
	}
}

// startedWith says what of the launch of the model's servers changes answers; "" = nothing, or they are not launched.
// Servers that were started with other settings gave none of the answers that count now.
func (s *servers) startedWith() string {
	l := s.model.launch()
	if l == nil {
		return ""
	}
	var list []string
	for _, set := range l.Settings {
		list = append(list, fmt.Sprintf("%q=%q", set.Name, set.Value))
	}
	return strings.Join(list, " ")
}

// unasked reports whether the servers have to be probed before it is known which answers are missing.
func (s *servers) unasked() bool { return s.probed() && s.labelMode == "" && s.model.classifies() }

// probeServers probes servers that were never probed, because the keys of their answers depend on
// the label mode.
func probeServers(ctx context.Context, st *Study) error {
	for _, m := range st.everyModel() {
		if !m.servers.unasked() || m.launch() != nil || !calls(st, m.Name) { // those are probed when it is their turn
			continue
		}
		if _, err := m.opener(ctx)(); err != nil {
			return err
		}
	}
	return nil
}

// probe stores what the model's servers support next to its answers.
func (s *servers) probe(ctx context.Context, model backends.Model) error {
	found, err := s.ask(ctx, model)
	if err != nil || found == nil {
		return err
	}
	all, err := s.model.study.store.AddServed(s.model.known.ID, *found)
	if err != nil {
		return fault.Store.Wrap(err)
	}
	s.setFindings(all)
	return nil
}

// ask finds out what a model's servers are and support, and refuses those that no longer support the way that was used
// before. It is nil where nothing is to be asked.
func (s *servers) ask(ctx context.Context, model backends.Model) (*store.Served, error) {
	server, ok := backends.Ability[backends.Probed](model)
	if !ok {
		return nil, nil
	}
	var found backends.Server
	probed := false
	err := retry.Do(ctx, s.model.retries("requests"), func(ctx context.Context) (err error) {
		found, probed, err = server.Server(ctx, s.model.Mode)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("model %s: ask its servers what they offer: %w", s.model.Name, err)
	}
	if !probed {
		return nil, nil
	}
	offered := found.Labels[s.model.Mode]
	if len(offered) == 0 {
		other := backends.Chat
		if s.model.Mode == backends.Chat {
			other = backends.Raw
		}
		return nil, fmt.Errorf("model %s: its server does not answer in mode %q, and does in mode %q: set mode = %q for the "+
			"model", s.model.Name, s.model.Mode, other, other)
	}
	if s.labelMode != "" && !slices.Contains(offered, s.labelMode) {
		return nil, fmt.Errorf("model %s: its classifications were asked by %q before, and its server (%s %s) offers only "+
			"%v now: serve it as before, or give the model a revision of its own, or say how: labels = %q in its backend",
			s.model.Name, s.labelMode, found.Name, found.Version, offered, offered[0])
	}
	out := &store.Served{Name: s.model.served(), Server: found.Name, Version: found.Version,
		Fingerprint: found.Fingerprint, Labels: map[backends.Mode]backends.LabelMode{}, Settings: s.startedWith()}
	for mode, ways := range found.Labels {
		out.Labels[mode] = ways[0]
	}
	if s.model.launch() != nil {
		out.Launch = engine.Describe(s.model.task(), os.Environ())
	}
	return out, nil
}
