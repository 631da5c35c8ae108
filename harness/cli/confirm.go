package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/backends/openai"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/question"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// holding is what the store has of a server's model and a study asks for.
type holding struct {
	model *spec.Model
	what  string // the dataset, or "embeddings", "scores"
	path  string
	had   int
	old   int // of had: stored before keys held the served name
}

// accepts reports whether answers stored before keys held the served name count
// as the model's: where nothing else could have been asked for by its id, or
// the user says so.
func (st *study) accepts(m *spec.Model) bool {
	return question.Served(m) == m.Config.Model.ID || st.flags.AcceptUnconfirmed
}

// holdings lists what is on disk of the models behind servers.
func (st *study) holdings() (list []holding, err error) {
	for i := range st.spec.Models {
		m := &st.spec.Models[i]
		for j := range st.spec.Datasets {
			d := &st.spec.Datasets[j]
			if question.Served(m) == "" || !st.asked(m.Name, d.Name) || !st.here(m, d) {
				continue
			}
			h, err := st.holding(m, d)
			if err != nil {
				return nil, fault.Store.Wrap(err)
			}
			list = append(list, h)
		}
	}
	if m := st.spec.Embedder.Model; question.Served(m) != "" && st.needsVectors() && st.allHere() {
		h, err := st.heldTexts(m, st.embedJob(), "embeddings")
		if err != nil {
			return nil, fault.Store.Wrap(err)
		}
		list = append(list, h)
	}
	if m := st.spec.Scorer; question.Served(m) != "" && st.needsScores() && st.allHere() {
		h, err := st.heldTexts(m, st.scoreJob(), "scores")
		if err != nil {
			return nil, fault.Store.Wrap(err)
		}
		list = append(list, h)
	}
	return list, nil
}

// allHere reports whether every dataset is on this machine.
func (st *study) allHere() bool {
	return !slices.ContainsFunc(st.spec.Datasets, func(d spec.Dataset) bool { return st.sheets[d.Name] == nil })
}

func (st *study) holding(m *spec.Model, d *spec.Dataset) (holding, error) {
	h := holding{model: m, what: d.Name}
	id, sheet := st.models[m.Name].ID, st.sheets[d.Name]
	answers, err := st.store.Answers(store.ID{Model: id, Dataset: st.sources[d.Name], Name: d.Name})
	if err != nil {
		return h, err
	}
	defer answers.Close()
	if h.path = answers.Path(); answers.Len() == 0 {
		return h, nil
	}
	for i := range sheet.Len() {
		r := sheet.Request(i, id, m)
		if len(r.Labels) > 0 && r.LabelMode == "" {
			r.LabelMode = st.olderModes[m.Name]
		}
		if _, old, ok := answers.Find(r); ok {
			h.had++
			if old {
				h.old++
			}
		}
	}
	return h, nil
}

// counter is a job whose texts or pairs can be looked up in the store.
type counter interface {
	Count(*store.Store) (collect.Counted, error)
}

func (st *study) heldTexts(m *spec.Model, j counter, what string) (holding, error) {
	n, err := j.Count(st.store)
	return holding{model: m, what: what, path: n.Path, had: n.Had, old: n.Old}, err
}

// older says aloud how many answers were stored before keys held the served
// name, and refuses those that may be another model's.
func (st *study) older(held []holding) error {
	var refused []error
	for _, h := range held {
		switch {
		case h.old == 0:
		case !st.accepts(h.model):
			refused = append(refused, errors.New(h.refusal()))
		case !st.toldOlder:
			st.screen.log.Warn("answers on disk were stored without the name by which the server knows the model: they count as the model's, with a footnote, and are not asked again",
				"model", h.model.Name, "of", h.what, "answers", h.old)
		}
	}
	st.toldOlder = true
	return fault.Store.Wrap(errors.Join(refused...))
}

// showOlder says what a plan's run does with answers stored before keys held
// the served name.
func (st *study) showOlder(w io.Writer) error {
	held, err := st.holdings()
	if err != nil {
		return err
	}
	for _, h := range held {
		switch {
		case h.old == 0:
		case st.accepts(h.model):
			fmt.Fprintf(w, "\n%s, %s: %d of the answers on disk were stored without the name by which the server knows the model.\nThey count as the model's, with a footnote, and are not asked again.\n", h.model.Name, h.what, h.old)
		default:
			fmt.Fprintf(w, "\nWarning: a run stops before the first call, with exit code %d:\n%s\n", ExitStore, h.refusal())
		}
	}
	return nil
}

// refusal says why old answers do not count.
func (h *holding) refusal() string {
	return fmt.Sprintf("model %s, %s: %d answers in %s were stored by an earlier version, without the name by which the server knows the model; "+
		"the spec asks for served = %q, which is not the model's id %q, so they may be of another model: --accept-unconfirmed counts them as this one's, with a footnote; "+
		"a revision of its own for the model, or another --store, asks and pays for them again", h.model.Name, h.what, h.old, h.path, question.Served(h.model), h.model.Config.Model.ID)
}

// confirmations are who answers as the model, by the hash of the URL. A later
// finding replaces an earlier one.
func (st *study) confirmations(m *spec.Model) (map[string]string, error) {
	all, err := st.store.Confirmed(st.models[m.Name].ID)
	if err != nil {
		return nil, fault.Store.Wrap(err)
	}
	by := map[string]string{}
	for _, c := range all {
		if c.Served == question.Served(m) {
			by[c.URL] = c.Model
		}
	}
	return by, nil
}

// address is a URL as its hash is taken.
func address(text string) string {
	text = strings.TrimSpace(text)
	if u, err := url.Parse(text); err == nil {
		text = u.String()
	}
	return store.URLHash(strings.TrimRight(text, "/"))
}

// urls are those of a model's servers.
func urls(m *spec.Model) []string {
	r, _ := m.Config.Remote()
	return r.URLs
}

// unknownURLs counts the model's URLs of which the store does not know who
// answers there.
func unknownURLs(m *spec.Model, by map[string]string) (n int) {
	for _, u := range urls(m) {
		if _, known := by[address(u)]; !known {
			n++
		}
	}
	return n
}

// reconfirm asks, once for each model, who answers at URLs of which the store
// does not know it, before answers on disk are used for what is served there.
func (st *study) reconfirm(ctx context.Context, held []holding) error {
	done := map[string]bool{}
	for _, h := range held {
		if h.had == 0 || done[h.model.Name] || h.model == st.spec.Embedder.Model || h.model == st.spec.Scorer {
			continue
		}
		done[h.model.Name] = true
		by, err := st.confirmations(h.model)
		if err != nil {
			return err
		}
		if unknownURLs(h.model, by) == 0 {
			continue
		}
		c, err := st.confirmer(ctx, h)
		if err != nil {
			return err
		}
		if err := st.confirm(ctx, h.model, c, true); err != nil {
			return err
		}
	}
	return nil
}

// confirmer opens whoever can be asked who answers.
func (st *study) confirmer(ctx context.Context, h holding) (backends.Confirmer, error) {
	if h.model != st.spec.Embedder.Model && h.model != st.spec.Scorer {
		m, err := st.opened(ctx, h.model)()
		if err != nil {
			return nil, err
		}
		c, _ := backends.Ability[backends.Confirmer](m)
		return c, nil
	}
	cfg := st.configs[h.model.Name]
	copied, err := *cfg.OpenAI, error(nil)
	if copied.Headers, err = headers(h.model); err != nil {
		return nil, fault.Model.Wrap(err)
	}
	cfg.OpenAI = &copied
	if h.model == st.spec.Embedder.Model {
		e, err := openai.OpenEmbedder(cfg)
		return e, fault.Model.Wrap(err)
	}
	m, err := openai.Open(cfg)
	return m, fault.Model.Wrap(err)
}

// confirm finds out who answers at the model's URLs, where the store does not
// know it, and writes it down. needed says that answers on disk are used on the
// strength of it, so that at least one URL has to answer.
func (st *study) confirm(ctx context.Context, m *spec.Model, c backends.Confirmer, needed bool) error {
	by, err := st.confirmations(m)
	if err != nil || c == nil || unknownURLs(m, by) == 0 {
		return err
	}
	sure := len(urls(m)) > unknownURLs(m, by)
	var last error
	for _, found := range c.Confirm(ctx, func(url string) bool { _, known := by[address(url)]; return known }) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var f *backends.Failure
		switch {
		case errors.As(found.Err, &f) && f.Cause == backends.OtherModel:
			return fault.Model.Wrap(fmt.Errorf("model %s: %s", m.Name, f.Message))
		case found.Err != nil:
			st.screen.log.Warn("a server cannot be asked now who answers there", "model", m.Name, "url", found.URL, "cause", found.Err.Error())
			last = found.Err
			continue
		}
		if err := changed(m, by, found); err != nil {
			return fault.Model.Wrap(err)
		}
		if err := st.store.AddConfirmed(st.models[m.Name].ID, store.Confirmed{Served: question.Served(m), URL: address(found.URL), Model: found.Model}); err != nil {
			return fault.Store.Wrap(err)
		}
		sure = true
	}
	if needed && !sure && last != nil {
		return fault.Model.Wrap(fmt.Errorf("model %s: its answers on disk came from other servers than the study names, and these cannot be asked who answers there: %w; "+
			"start them, or go on with --offline (or infnet analyze), whose tables say that it is not confirmed", m.Name, last))
	}
	return nil
}

// changed refuses a name in replies that is neither the served name, nor one of
// its snapshots, nor the name that answered before: a llama.cpp server answers
// by the name of its file, whatever name it is asked by.
func changed(m *spec.Model, by map[string]string, found backends.Confirmation) error {
	served := question.Served(m)
	if found.Model == "" || strings.HasPrefix(found.Model, served) || strings.HasPrefix(served, found.Model) {
		return nil
	}
	for _, before := range by {
		if before == found.Model {
			return nil
		}
	}
	for _, before := range by {
		if before != "" {
			return fmt.Errorf("model %s: %q answers at %s as %q, and %q did before: serve the model as before, or give it a revision of its own", m.Name, found.Model, found.URL, served, before)
		}
	}
	return nil
}

// unconfirmed says of every server's model what the store does not know of who
// answers where the study would ask it.
func (st *study) unconfirmed() error {
	for i := range st.spec.Models {
		m := &st.spec.Models[i]
		known, here := st.models[m.Name]
		if question.Served(m) == "" || !here {
			continue
		}
		by, err := st.confirmations(m)
		if err != nil {
			return err
		}
		known.Unconfirmed = ""
		silent := slices.ContainsFunc(urls(m), func(u string) bool { name, ok := by[address(u)]; return ok && name == "" })
		switch n, all := unknownURLs(m, by), len(urls(m)); {
		case n == all:
			known.Unconfirmed = "nobody asked who answers at the URLs that the study names"
		case n > 0:
			known.Unconfirmed = fmt.Sprintf("nobody could ask who answers at %d of the %d URLs that the study names", n, all)
		case silent:
			known.Unconfirmed = "the replies of its server name no model"
		}
		st.models[m.Name] = known
	}
	return nil
}

// confirmVectors finds out who answers as the embedder and the scorer, where
// they are behind servers and there is a use for them.
func (st *study) confirmVectors(ctx context.Context, offline bool) error {
	for _, v := range []struct {
		model *spec.Model
		needs bool
		job   func() counter
	}{
		{st.spec.Embedder.Model, st.needsVectors(), func() counter { return st.embedJob() }},
		{st.spec.Scorer, st.needsScores(), func() counter { return st.scoreJob() }},
	} {
		if offline || !v.needs || question.Served(v.model) == "" {
			continue
		}
		h, err := st.heldTexts(v.model, v.job(), "")
		if err != nil {
			return fault.Store.Wrap(err)
		}
		c, err := st.confirmer(ctx, h)
		if err == nil {
			err = st.confirm(ctx, v.model, c, h.had > 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
