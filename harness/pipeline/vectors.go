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
)

// derived is what one model or program makes of texts: embeddings, scores of pairs of texts, or grades of answers.
type derived struct {
	study *Study
	model *Model // nil = the built-in embedder, or a program
	name  string
	makes string // "embeddings", "scores", "grades"
	what  string // "texts to embed", "pairs to score", "answers to grade"

	count   func(*store.Store) (collect.Computed, error)
	collect func(context.Context, *store.Store, collect.Options, collect.Progress) (collect.Computed, error)
	adds    func(*Dataset, collect.Planned) int // at most so many new texts or pairs come with planned answers
	further func(*Dataset) int                  // and with those of signals; nil = none
}

// derive fills in what depends on the job.
func derive[T, V any](st *Study, m *Model, job collect.TextJob[T, V], d derived) *derived {
	if m != nil {
		job.Model, job.Name, job.Served = m.known.ID, m.Name, m.served()
	}
	d.study, d.model, d.name, d.makes = st, m, job.Name, job.Makes
	d.count, d.collect = job.Count, job.Run
	return &d
}

// derivedOf lists the embeddings, scores and grades that the study needs.
func derivedOf(st *Study) (list []*derived) {
	if embeds(st.Spec) {
		list = append(list, embedding(st))
	}
	if scores(st.Spec) {
		list = append(list, scoring(st))
	}
	for _, d := range st.Datasets {
		if d.grader != nil {
			list = append(list, grading(st, d))
		}
	}
	return list
}

// known reports whether the model and all texts are known.
func (v *derived) known() bool { return (v.model == nil || v.model.available) && loaded(v.study) }

// served is the name by which servers know the model; "" where there are none.
func (v *derived) served() string {
	if v.model == nil {
		return ""
	}
	return v.model.served()
}

// embedding covers the references and answers of every dataset that needs them, and all inputs if
// they are used.
func embedding(st *Study) *derived {
	m := st.embedder
	job := collect.TextJob[string, []float32]{Making: collect.Embeddings, Model: lexical.ID(),
		Name: st.Spec.Embedder.Name(), All: textsToEmbed(st),
		Open: func() (func(context.Context, []string) ([][]float32, error), error) {
			e, err := openEmbedder(st)
			if err != nil {
				return nil, err
			}
			return e.Embed, nil
		}}
	if m != nil {
		job.Price = m.price()
		if r, ok := m.Config.Remote(); ok { // as many texts go to disk together as its calls in flight hold
			job.Batch = r.EmbedBatch * max(1, r.Concurrency)
		}
	}
	return derive(st, m, job, derived{
		what: "texts to embed",
		adds: func(d *Dataset, p collect.Planned) int {
			if !question.Embeds(d.Dataset) {
				return 0
			}
			return p.Calls
		},
		further: func(d *Dataset) (n int) {
			toCompare(st, d, func(string) bool { return true }, func() { n++ })
			return n
		},
	})
}

// openEmbedder opens the study's embedder, with retries around a server's.
func openEmbedder(st *Study) (backends.Embedder, error) {
	m := st.embedder
	if m == nil {
		e, err := open.Embedder(backends.Config{Model: lexical.ID()})
		return e, fault.Model.Wrap(err)
	}
	return reached(m, open.Embedder, m.retries("texts"), func(e backends.Embedder, o retry.Options) backends.Embedder {
		return retry.NewEmbedder(e, o)
	})
}

// scoring covers every reference with every answer to its example.
func scoring(st *Study) *derived {
	m := st.scorer
	job := collect.TextJob[backends.Pair, float64]{Making: collect.Scores, All: pairsToScore(st),
		Open: func() (func(context.Context, []backends.Pair) ([]float64, error), error) {
			s, err := openScorer(st)
			if err != nil {
				return nil, err
			}
			return s.Score, nil
		}}
	return derive(st, m, job, derived{
		what: "pairs to score",
		adds: func(d *Dataset, p collect.Planned) int {
			most := 0 // references of one example
			if st.Spec.Scores(d.Dataset) {
				for _, e := range d.Sheet.Set.Examples {
					most = max(most, len(e.References))
				}
			}
			return (p.Total - p.OnDisk) * most
		},
	})
}

// openScorer opens the study's scorer, with retries around a server's.
func openScorer(st *Study) (backends.Scorer, error) {
	return reached(st.scorer, open.Scorer, st.scorer.retries("pairs"),
		func(s backends.Scorer, o retry.Options) backends.Scorer { return retry.NewScorer(s, o) })
}

// reached opens an embedder or a scorer, and wraps that of a server with retries: steadily where the study started it.
func reached[T any](m *Model, how func(backends.Config) (T, error), o retry.Options,
	retried func(T, retry.Options) T) (T, error) {
	inner, err := opened(m, how)
	if err != nil || !m.config.Traits().Remote {
		return inner, err
	}
	if c, can := any(inner).(backends.Confirmer); can {
		if err := m.servers.confirm(context.Background(), c, false); err != nil {
			return inner, err
		}
	}
	if m.running != nil {
		o.Steady = m.running.Do
	}
	return retried(inner, o), nil
}

// opened opens an embedder or a scorer.
func opened[T any](m *Model, how func(backends.Config) (T, error)) (T, error) {
	var none T
	cfg, err := withHeaders(m)
	if err == nil {
		cfg, err = started(m, cfg)
	}
	if err != nil {
		return none, fault.Model.Wrap(err)
	}
	out, err := how(cfg)
	if err != nil {
		return none, fault.Model.Wrap(inFolder(m, err))
	}
	return out, nil
}

// planned counts the work once every answer is on disk, those of the given jobs and those of signals. It is an upper
// bound: every missing answer counts as a new text.
func (v *derived) planned(jobs []collect.Planned) (PlannedDerived, error) {
	p := PlannedDerived{Model: v.name, What: v.what, Unknown: !v.known(), model: v.model}
	if p.Unknown {
		return p, nil
	}
	n, err := v.count(v.study.store)
	if err != nil {
		return p, err
	}
	p.OnDisk, p.Missing = n.OnDisk, n.Calls
	for _, j := range jobs {
		if d := v.study.Dataset(j.Dataset); d != nil {
			p.Missing += v.adds(d, j)
		}
	}
	for _, d := range v.study.Datasets {
		if v.further != nil {
			p.Missing += v.further(d)
		}
	}
	return p, nil
}

// textsToEmbed yields references, answers, samples and inputs, repeats included.
func textsToEmbed(st *Study) iter.Seq[string] {
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
				if !answered(st, d, func(_ int, text string, _ bool) bool { return yield(text) }) {
					return
				}
			}
			if !toCompare(st, d, yield, func() {}) {
				return
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
func pairsToScore(st *Study) iter.Seq[backends.Pair] {
	return func(yield func(backends.Pair) bool) {
		for _, d := range st.Datasets {
			if !st.Spec.Scores(d.Dataset) {
				continue
			}
			ok := answered(st, d, func(i int, text string, _ bool) bool {
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

// answered yields the stored answers to a dataset's examples, in the form that is graded, and whether one was found in
// the reply.
func answered(st *Study, d *Dataset, yield func(example int, text string, found bool) bool) bool {
	for _, m := range st.Models {
		if !m.answersFor(d) {
			continue
		}
		answers, err := m.answers(d)
		if err != nil {
			return true // analysis reads the same file and reports it
		}
		for i := range d.Sheet.Len() {
			given, err := m.given(d, i, answers)
			if err != nil || given.Lacks != nil {
				continue
			}
			texts := []backends.Answer{given.Answer}
			if question.Programmed(d.Dataset) { // which judges every sample
				texts = append(texts, given.Samples...)
			}
			for _, a := range texts {
				if said, found := d.Sheet.Said(a); !yield(i, said.Text, found) {
					answers.Close()
					return false
				}
			}
		}
		answers.Close()
	}
	return true
}
