package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/harness/fault"
	"infnet/harness/store"
)

// urls are those of the model's servers. Servers that the study starts have one name in their place, since they get new
// ports in every run.
func (s *servers) urls() []string {
	r, _ := s.model.Config.Remote()
	if r.Launch != nil {
		return []string{s.at("")}
	}
	return r.URLs
}

// at is the name under which the store knows who answers at a URL.
func (s *servers) at(url string) string {
	if s.model.launch() == nil {
		return url
	}
	return "started as " + engine.Identity(s.model.task())
}

// confirmations are the names that servers gave in replies, by hash of the URL. A later one
// replaces an earlier one.
type confirmations map[string]string

// confirmations reads the confirmed names of the model.
func (s *servers) confirmations() (confirmations, error) {
	all, err := s.model.study.store.Confirmed(s.model.known.ID)
	if err != nil {
		return nil, fault.Store.Wrap(err)
	}
	by := confirmations{}
	for _, c := range all {
		if c.Served == s.model.served() {
			by[c.URL] = c.Model
		}
	}
	return by, nil
}

// has reports whether it is known which model answers at a URL.
func (c confirmations) has(url string) bool {
	_, known := c[address(url)]
	return known
}

// unknown counts the URLs for which it is unknown which model answers.
func (c confirmations) unknown(urls []string) (n int) {
	for _, u := range urls {
		if !c.has(u) {
			n++
		}
	}
	return n
}

// address is a URL as its hash is taken.
func address(text string) string {
	text = strings.TrimSpace(text)
	if u, err := url.Parse(text); err == nil {
		text = u.String()
	}
	return store.URLHash(strings.TrimRight(text, "/"))
}

// confirm finds out which model answers at each URL that the store does not know, and stores it.
// needed says that the use of answers on disk depends on it, so at least one URL has to answer.
func (s *servers) confirm(ctx context.Context, c backends.Confirmer, needed bool) error {
	by, err := s.confirmations()
	unknown := by.unknown(s.urls())
	if err != nil || c == nil || unknown == 0 {
		return err
	}
	sure := len(s.urls()) > unknown
	var last error
	for _, found := range c.Confirm(ctx, func(url string) bool { return by.has(s.at(url)) }) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var f *backends.Failure
		switch {
		case errors.As(found.Err, &f) && f.Cause == backends.OtherModel:
			return fault.Model.Wrap(fmt.Errorf("model %s: %s", s.model.Name, f.Message))
		case found.Err != nil:
			s.model.study.events.Warn("a server cannot be asked now who answers there", "model", s.model.Name, "url",
				found.URL, "cause", found.Err.Error())
			last = found.Err
			continue
		}
		if err := s.changed(by, found); err != nil {
			return fault.Model.Wrap(err)
		}
		c := store.Confirmed{Served: s.model.served(), URL: address(s.at(found.URL)), Model: found.Model}
		if err := s.model.study.store.AddConfirmed(s.model.known.ID, c); err != nil {
			return fault.Store.Wrap(err)
		}
		sure = true
	}
	if needed && !sure && last != nil {
		return fault.Model.Wrap(fmt.Errorf("model %s: its answers on disk came from other servers than the study names, "+
			"and these cannot be asked who answers there: %w; "+
			"start them, or go on with --offline (or infnet analyze), whose tables say that it is not confirmed",
			s.model.Name, last))
	}
	return nil
}

// answered reports whether a URL gave an answer that the study uses, and not a batch file.
func (s *servers) answered() (bool, error) {
	for _, d := range s.model.study.Datasets {
		if !s.model.canAnswer(d) {
			continue
		}
		answers, err := s.model.answers(d)
		if err != nil {
			return false, err
		}
		live := false
		for i := 0; i < d.Sheet.Len() && !live && err == nil; i++ {
			var r store.Record
			var ok bool
			r, ok, err = answers.Get(s.model.request(d, i).Key())
			live = ok && r.Answer.Batch == ""
		}
		answers.Close()
		if live || err != nil {
			return live, err
		}
	}
	return false, nil
}

// changed refuses a name in replies that is neither the served name, nor one of its snapshots, nor
// the name confirmed before: a llama.cpp server replies with its file's name, whatever name was
// requested.
func (s *servers) changed(by confirmations, found backends.Confirmation) error {
	served := s.model.served()
	if found.Model == "" || strings.HasPrefix(found.Model, served) || strings.HasPrefix(served, found.Model) {
		return nil
	}
	for _, before := range by {
		if before != "" && !slices.Contains(slices.Collect(maps.Values(by)), found.Model) {
			return fmt.Errorf("model %s: %q answers at %s as %q, and %q did before: serve the model as before, or give it a "+
				"revision of its own", s.model.Name, found.Model, found.URL, served, before)
		}
	}
	return nil
}

// noteUnconfirmed notes, for every remote model, at how many of its URLs it is unknown which model
// answers.
func noteUnconfirmed(st *Study) error {
	for _, m := range st.Models {
		if m.served() == "" || !m.available {
			continue
		}
		by, err := m.servers.confirmations()
		if err != nil {
			return err
		}
		m.known.Unconfirmed = ""
		silent := slices.ContainsFunc(m.servers.urls(), func(u string) bool { return by.has(u) && by[address(u)] == "" })
		switch n, all := by.unknown(m.servers.urls()), len(m.servers.urls()); {
		case n == all && m.launch() != nil:
			m.known.Unconfirmed = "no server that the study starts has answered yet"
		case n == all:
			m.known.Unconfirmed = "nobody asked who answers at the URLs that the study names"
		case n > 0:
			m.known.Unconfirmed = fmt.Sprintf("nobody could ask who answers at %d of the %d URLs that the study names", n, all)
		case silent:
			m.known.Unconfirmed = "the replies of its server name no model"
		}
	}
	return nil
}

// reconfirm confirms, once for each model, the URLs that the store does not know, before answers on
// disk are used for the model served there.
func reconfirm(ctx context.Context, st *Study) error {
	for _, m := range st.Models {
		if m.served() == "" || !calls(st, m.Name) || m.launch() != nil {
			continue
		}
		by, err := m.servers.confirmations()
		if err != nil {
			return err
		}
		if by.unknown(m.servers.urls()) == 0 {
			continue
		}
		used, err := m.servers.answered()
		if err != nil {
			return fault.Store.Wrap(err)
		}
		if !used {
			continue // a server that is asked for more is confirmed then
		}
		model, err := m.opener(ctx)()
		if err != nil {
			return err
		}
		c, _ := backends.Ability[backends.Confirmer](model)
		if err := m.servers.confirm(ctx, c, true); err != nil {
			return err
		}
	}
	return nil
}
