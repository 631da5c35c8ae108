// Package pipeline runs a study: it opens the models and datasets, collects answers, analyses them
// and writes the results. A program that embeds infnet calls Load and Open, then Collect, Analyze
// and Write. Plan, Check and Examine come before, Verify after.
//
// It owns the order of these steps, the state of each model and dataset, and the folder of a run.
// It refuses to know its caller: it has no flags, exit codes or terminal. It reports progress to
// Events, and errors by type (package fault, and the error types of other packages). It computes no
// numbers itself.
//
// Its opinion: everything that can be checked without calling a model is checked before the first
// call.
package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"infnet/harness/analyze"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// Options say what is not in the spec: where files are, and how to run the study.
type Options struct {
	Store   string          // folder of the answers, which studies share
	Out     string          // folder of the results; what is expensive is cached there, too
	Program string          // the program's version, which results name
	Hub     Hub             // datasets and models on the hub
	Events  Events          // nil = Silent
	Hurry   <-chan struct{} // closed to stop waiting for calls in flight; nil = never

	// Shard, if it is one, makes the study collect what hashes to the shard, into files of its own.
	Shard collect.Shard

	// Only are the models that are called; nil = all.
	Only []string
}

// Study is an opened study: a spec, with everything that can be known without calling a model.
type Study struct {
	Spec     *spec.Study
	Models   []*Model   // in the spec's order
	Datasets []*Dataset // in the spec's order

	embedder *Model // from the spec; nil = the built-in one, or none is needed
	scorer   *Model // nil = none is needed
	judge    *judge // nil = none is needed

	options  Options
	events   Events
	store    *store.Store
	asked    map[string]bool   // questions already shown, by text
	hashes   map[string]string // of files that were read, by path
	complete bool              // the store was seen to have every answer
	fetcher  *fetcher
	session  *session // nil = no model can be called whose servers the study starts

	mu      sync.Mutex
	damaged []string // files of the store whose last line is torn
}

// Open finds out what can be known about a study without calling a model: the identities of its
// models, and the rows of its datasets.
func Open(ctx context.Context, s *spec.Study, o Options) (_ *Study, err error) {
	st := &Study{Spec: s, options: o, events: o.Events, asked: map[string]bool{}, hashes: map[string]string{}}
	if st.events == nil {
		st.events = Silent{}
	}
	st.fetcher = &fetcher{hub: o.Hub, events: st.events, ask: st.ask}
	st.store = store.Open(o.Store, store.Options{Notice: st.torn, Shard: o.Shard.Word()})
	for _, w := range s.Warnings {
		st.events.Warn(w.String())
	}
	for i := range s.Models {
		st.Models = append(st.Models, newModel(st, &s.Models[i]))
	}
	for i := range s.Datasets {
		st.Datasets = append(st.Datasets, &Dataset{Dataset: &s.Datasets[i], study: st})
	}
	if m := s.Embedder.Model; m != nil && embeds(st.Spec) {
		st.embedder = newModel(st, m)
	}
	if m := s.Scorer; m != nil && scores(st.Spec) {
		st.scorer = newModel(st, m)
	}
	if judges(st.Spec) {
		if st.judge, err = newJudge(ctx, st); err != nil {
			return nil, err
		}
	}
	if err := checkOnly(st); err != nil {
		return nil, err
	}
	for _, m := range st.everyModel() {
		if err := m.identify(ctx); err != nil {
			return nil, fault.Model.Wrap(m.placed(err))
		}
	}
	if err := findGraders(st); err != nil {
		return nil, err
	}
	questionModels(st)
	defer frugal(st)()
	for _, d := range st.Datasets {
		if err := d.read(ctx); err != nil {
			return nil, fault.Data.Wrap(err)
		}
	}
	return st, nil
}

// Out is the folder of the study's results.
func (st *Study) Out() string { return st.options.Out }

// Store is the folder of the answers.
func (st *Study) Store() string { return st.store.Root() }

// Missing lists what is on the hub and was not downloaded.
func (st *Study) Missing() []Missing { return st.fetcher.missing }

// Damaged lists the torn last lines of the store's files that were read: FILE:LINE.
func (st *Study) Damaged() []string {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.Clone(st.damaged)
}

// torn notes that a file of the store lacks its last line.
func (st *Study) torn(t store.Torn) {
	st.mu.Lock()
	st.damaged = append(st.damaged, fmt.Sprintf("%s:%d", t.Path, t.Line))
	st.mu.Unlock()
	st.events.Warn(t.String())
}

// Model returns the answering model with this name; nil if there is none.
func (st *Study) Model(name string) *Model {
	i := slices.IndexFunc(st.Models, func(m *Model) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return st.Models[i]
}

// Dataset returns the dataset with this name; nil if there is none.
func (st *Study) Dataset(name string) *Dataset {
	i := slices.IndexFunc(st.Datasets, func(d *Dataset) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return st.Datasets[i]
}

// loaded reports whether the rows of every dataset are on this machine.
func loaded(st *Study) bool {
	return !slices.ContainsFunc(st.Datasets, func(d *Dataset) bool { return d.Sheet == nil })
}

// ask shows a question that a careful reader would ask, as a warning. Each question is shown once.
func (st *Study) ask(text string, about ...any) {
	if !st.asked[text] {
		st.asked[text] = true
		st.events.Warn(text, about...)
	}
}

// embeds reports whether a dataset's rule or metrics use embeddings, or a signal or the sufficiency test does.
func embeds(s *spec.Study) bool {
	return embedsInputs(s) || slices.ContainsFunc(s.Datasets, func(d spec.Dataset) bool {
		return question.Embeds(&d) || s.Compares(&d)
	})
}

// embedsInputs reports whether the sufficiency test or a baseline's learner uses embeddings of the
// inputs.
func embedsInputs(s *spec.Study) bool {
	return s.Sufficiency.Asks(spec.Embeddings) || s.Embeds()
}

// scores reports whether the study's scorer has anything to score.
func scores(s *spec.Study) bool {
	return slices.ContainsFunc(s.Datasets, func(d spec.Dataset) bool { return s.Scores(&d) })
}

// input describes the study to packages records and analyze.
func input(st *Study) analyze.Input {
	in := analyze.Input{
		Input: records.Input{
			Study: st.Spec, Store: st.store,
			Facts: map[string]records.Facts{}, Sheets: map[string]*question.Sheet{}, Sources: map[string]string{},
		},
		Program: st.options.Program, Origins: map[string]analyze.Origin{},
	}
	if in.Judge = st.judge.questions(); st.judge != nil {
		in.Human = st.judge.human
	}
	for _, m := range st.everyModel() {
		if m.available {
			in.Facts[m.Name] = m.known
		}
	}
	for _, d := range st.Datasets {
		if d.Sheet != nil {
			in.Sheets[d.Name], in.Sources[d.Name], in.Origins[d.Name] = d.Sheet, d.source, d.origin
		}
	}
	return in
}
