package cli

import (
	"strconv"
	"time"

	"infnet/backends"
	"infnet/backends/lexical"
	"infnet/backends/open"
	"infnet/backends/retry"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/question"
	"infnet/harness/seed"
	"infnet/harness/spec"
)

// embedder identifies the study's embedder.
func (st *study) embedder() backends.ModelID {
	if m := st.spec.Embedder.Model; m != nil {
		return st.models[m.Name].ID
	}
	return lexical.ID()
}

// openEmbedder opens the study's embedder, with retries around a server's.
func (st *study) openEmbedder() (backends.Embedder, error) {
	e, err := st.embedderOf(st.spec.Embedder.Model)
	return e, fault.Model.Wrap(err)
}

func (st *study) embedderOf(m *spec.Model) (backends.Embedder, error) {
	if m == nil {
		return open.Embedder(backends.Config{Model: lexical.ID()})
	}
	cfg, err := st.ready(m)
	if err != nil {
		return nil, err
	}
	inner, err := open.Embedder(cfg)
	if err != nil || !cfg.Traits().Remote {
		return inner, inFolder(m, err)
	}
	return retry.NewEmbedder(inner, st.retries(m, "texts")), nil
}

// retries says how a server's embedder or scorer is asked again.
func (st *study) retries(m *spec.Model, what string) retry.Options {
	return retry.Options{
		Tries: st.spec.Collect.Retries + 1,
		Rand:  seed.Stream(st.spec.Seed, "retry", m.Name),
		Notify: func(n int, failure backends.Failure, wait time.Duration) {
			st.screen.log.Warn("asking again", "model", m.Name, what, n, "cause", failure.Cause, "wait", wait)
		},
	}
}

// embedBatch is how many texts go to disk together: of a server's, as many as
// its calls in flight hold.
func (st *study) embedBatch() int {
	if m := st.spec.Embedder.Model; m != nil {
		if r, ok := m.Config.Remote(); ok {
			return r.EmbedBatch * max(1, r.Concurrency)
		}
	}
	return 0
}

// planEmbeddings is the plan's line of texts to embed, if the study has any,
// and their number: those that are known and not on disk, and one for every
// answer that is not on disk yet.
func (st *study) planEmbeddings(planned []collect.Planned) (lines [][]string, texts int, err error) {
	if !st.needsVectors() {
		return nil, 0, nil
	}
	line := []string{st.spec.Embedder.Name(), "texts to embed", unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown}
	known := true
	if m := st.spec.Embedder.Model; m != nil {
		_, known = st.models[m.Name]
	}
	for i := range st.spec.Datasets {
		known = known && st.sheets[st.spec.Datasets[i].Name] != nil
	}
	if !known {
		return [][]string{line}, 0, nil
	}
	p, err := st.embedJob().Count(st.store)
	if err != nil {
		return nil, 0, err
	}
	texts = p.Missing
	for _, j := range planned {
		if d, ok := st.spec.Dataset(j.Dataset); ok && question.Embeds(d) {
			texts += j.Calls
		}
	}
	line[2], line[3], line[4] = strconv.Itoa(texts+p.Had), strconv.Itoa(p.Had), strconv.Itoa(texts)
	return [][]string{line}, texts, nil
}
