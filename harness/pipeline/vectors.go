package pipeline

import (
	"context"
	"iter"

	"infnet/backends"
	"infnet/backends/lexical"
	"infnet/backends/open"
	"infnet/backends/retry"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/question"
	"infnet/harness/store"
	"infnet/harness/task"
)

// texts is a study whose texts are embedded and scored.
type texts struct{ *Study }

// derived describes what one model computes from texts: embeddings, or scores of pairs of texts.
type derived struct {
	study *Study
	model *Model // nil = the built-in embedder
	name  string
	makes string // "embeddings", "scores"
	what  string // "texts to embed", "pairs to score"
	left  string // "texts are to be embedded", "pairs are to be scored"

	count   func(*store.Store) (collect.Counted, error)
	collect func(context.Context, collect.Options, collect.Progress) error
	open    func() (any, error)                 // an embedder or a scorer, without retries
	adds    func(*Dataset, collect.Planned) int // at most so many new texts or pairs come with planned calls
}

// derived lists the embeddings and scores that the study needs.
func (st texts) derived() (list []*derived) {
	if embeds(st.Spec) {
		list = append(list, st.embeddings())
	}
	if scores(st.Spec) {
		list = append(list, st.scores())
	}
	return list
}

// known reports whether the model and all texts are known.
func (v *derived) known() bool { return (v.model == nil || v.model.available) && v.study.loaded() }

// served is the name by which servers know the model; "" where there are none.
func (v *derived) served() string {
	if v.model == nil {
		return ""
	}
	return v.model.served()
}

// embedder is the study's embedder as the store knows it.
func (st texts) embedderID() backends.ModelID {
	if st.embedder == nil {
		return lexical.ID()
	}
	return st.embedder.known.ID
}

// embeddings covers the references and answers of every dataset that needs them, and all inputs if
// they are used.
func (st texts) embeddings() *derived {
	m := st.embedder
	job := collect.EmbedJob{Embedder: st.embedderID(), Name: st.Spec.Embedder.Name(), Texts: st.textsToEmbed(),
		Open: st.openEmbedder}
	if m != nil {
		job.Served, job.Price = m.served(), m.price()
		if r, ok := m.Config.Remote(); ok { // as many texts go to disk together as its calls in flight hold
			job.Batch = r.EmbedBatch * max(1, r.Concurrency)
		}
	}
	return &derived{
		study: st.Study, model: m, name: job.Name, makes: "embeddings", what: "texts to embed",
		left:  "texts are to be embedded",
		count: job.Count,
		collect: func(ctx context.Context, o collect.Options, p collect.Progress) error {
			_, err := collect.Embed(ctx, st.store, job, o, p)
			return err
		},
		open: func() (any, error) { return opened(m, open.Embedder) },
		adds: func(d *Dataset, p collect.Planned) int {
			if !question.Embeds(d.Dataset) {
				return 0
			}
			return p.Calls
		},
	}
}

// openEmbedder opens the study's embedder, with retries around a server's.
func (st texts) openEmbedder() (backends.Embedder, error) {
	m := st.embedder
	if m == nil {
		e, err := open.Embedder(backends.Config{Model: lexical.ID()})
		return e, fault.Model.Wrap(err)
	}
	inner, err := opened(m, open.Embedder)
	if err != nil || !m.config.Traits().Remote {
		return inner, err
	}
	if m.running != nil {
		if err := m.confirmStarted(inner); err != nil {
			return nil, err
		}
		inner = m.running.Embedder(inner)
	}
	return retry.NewEmbedder(inner, m.retries("texts")), nil
}

// scores covers every reference with every answer to its example.
func (st texts) scores() *derived {
	m := st.scorer
	job := collect.ScoreJob{Scorer: m.known.ID, Served: m.served(), Name: m.Name, Pairs: st.pairsToScore(),
		Open: st.openScorer}
	return &derived{
		study: st.Study, model: m, name: m.Name, makes: "scores", what: "pairs to score", left: "pairs are to be scored",
		count: job.Count,
		collect: func(ctx context.Context, o collect.Options, p collect.Progress) error {
			_, err := collect.Score(ctx, st.store, job, o, p)
			return err
		},
		open: func() (any, error) { return opened(m, open.Scorer) },
		adds: func(d *Dataset, p collect.Planned) int {
			most := 0 // references of one example
			if st.Spec.Scores(d.Dataset) {
				for _, e := range d.Sheet.Set.Examples {
					most = max(most, len(e.References))
				}
			}
			return (p.Total - p.OnDisk) * most
		},
	}
}

// openScorer opens the study's scorer, with retries around a server's.
func (st texts) openScorer() (backends.Scorer, error) {
	m := st.scorer
	inner, err := opened(m, open.Scorer)
	if err != nil || !m.config.Traits().Remote {
		return inner, err
	}
	if m.running != nil {
		if err := m.confirmStarted(inner); err != nil {
			return nil, err
		}
		inner = m.running.Scorer(inner)
	}
	return retry.NewScorer(inner, m.retries("pairs")), nil
}

// opened opens an embedder or a scorer.
func opened[T any](m *Model, how func(backends.Config) (T, error)) (T, error) {
	var none T
	cfg, err := m.withHeaders()
	if err == nil {
		cfg, err = m.started(cfg)
	}
	if err != nil {
		return none, fault.Model.Wrap(err)
	}
	out, err := how(cfg)
	if err != nil {
		return none, fault.Model.Wrap(m.inFolder(err))
	}
	return out, nil
}

// holding counts what is on disk.
func (v *derived) holding() (Holding, error) {
	n, err := v.count(v.study.store)
	return Holding{model: v.model, Of: v.makes, had: n.Had}, fault.Store.Wrap(err)
}

// confirm finds out which model the servers of the embedder or scorer serve, if it has servers.
func (v *derived) confirm(ctx context.Context) error {
	if v.served() == "" || v.model.launch() != nil { // that one is confirmed when it was started
		return nil
	}
	h, err := v.holding()
	if err != nil {
		return err
	}
	server, err := v.open()
	if err != nil {
		return err
	}
	c, _ := server.(backends.Confirmer)
	return v.model.servers.confirm(ctx, c, h.had > 0)
}

// planned counts the work once every answer is on disk. It is an upper bound: every missing answer
// counts as a new text.
func (v *derived) planned(jobs []collect.Planned) (PlannedDerived, error) {
	p := PlannedDerived{Model: v.name, What: v.what, Left: v.left, Unknown: !v.known()}
	if p.Unknown {
		return p, nil
	}
	n, err := v.count(v.study.store)
	if err != nil {
		return p, err
	}
	p.OnDisk, p.Missing = n.Had, n.Missing
	for _, j := range jobs {
		if d := v.study.Dataset(j.Dataset); d != nil {
			p.Missing += v.adds(d, j)
		}
	}
	return p, nil
}

// textsToEmbed yields references, answers and inputs, repeats included.
func (st texts) textsToEmbed() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, d := range st.Datasets {
			if question.Embeds(d.Dataset) {
				for _, e := range d.Sheet.Set.Examples {
					for _, text := range e.References {
						if !yield(text) {
							return
						}
					}
				}
				if !st.answered(d, func(_ int, text string) bool { return yield(text) }) {
					return
				}
			}
			if !embedsInputs(st.Spec) {
				continue
			}
			for i := range d.Sheet.Len() {
				if !yield(d.Sheet.Input(i)) {
					return
				}
			}
		}
	}
}

// pairsToScore yields every pair of a reference and an answer.
func (st texts) pairsToScore() iter.Seq[backends.Pair] {
	return func(yield func(backends.Pair) bool) {
		for _, d := range st.Datasets {
			if !st.Spec.Scores(d.Dataset) {
				continue
			}
			ok := st.answered(d, func(i int, text string) bool {
				for _, reference := range d.Sheet.Set.Examples[i].References {
					if !yield(backends.Pair{Source: reference, Target: text}) {
						return false
					}
				}
				return true
			})
			if !ok {
				return
			}
		}
	}
}

// answered yields the stored answers to a dataset's examples, in the form that is graded.
func (st texts) answered(d *Dataset, yield func(example int, text string) bool) bool {
	for _, m := range st.Models {
		if !m.answersFor(d) {
			continue
		}
		answers, err := m.answers(d)
		if err != nil {
			return true // analysis reads the same file and reports it
		}
		for i := range d.Sheet.Len() {
			r, ok, err := answers.Get(m.request(d, i).Key())
			if err == nil && ok && !yield(i, task.Extract(r.Answer.Text, d.Stop)) {
				answers.Close()
				return false
			}
		}
		answers.Close()
	}
	return true
}
