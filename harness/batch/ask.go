package batch

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/fault"
	"infnet/harness/store"
)

// Options say what a batch asks.
type Options struct {
	Format     Format
	Dir        string             // where the files go
	Labels     backends.LabelMode // how classifications are asked where the study leaves it to a probe; "" = by default
	SkipFailed bool               // leave out what failed before
	Requests   int                // most requests of a file, below the format's own limit; 0 = that one
	How        How                // for the manifest
}

// Study is what a batch needs of a study.
type Study struct {
	Name, Hash string
	Store      *store.Store
	Limits     collect.Limits
	Models     []Subject // in the study's order
}

// Subject is a model of which answers may be missing.
type Subject struct {
	Name string
	ID   backends.ModelID
	Jobs []collect.Job // its work; none = it has none

	Why string // no batch asks it; "" = one may, and the rest is filled in

	Served    string             // the model's name in every request
	Mode      backends.Mode      // the same
	LabelMode backends.LabelMode // how classifications are asked; "" = it has none
	Batch     backends.Batch
	Command   func(requests string) string // answers a file with vLLM

	// Checked is the model that Batch answers as, with the checks that its use on a dataset asks for.
	Checked func(dataset string, answers backends.Model) backends.Model
}

// Written says what a batch asks, and what it does not.
type Written struct {
	*Manifest
	Skipped    []Subject // models that it does not ask
	Unaskable  int       // requests that no call can ask
	Unasked    string    // why, of the first
	Command    map[string]string
	Replaced   bool   // an earlier batch was in the folder
	OverBudget string // which spending limits the calls exceed; "" = none
}

// Earlier is the batch of the study that is in a folder; nil = there is none.
func Earlier(dir, study string) (*Manifest, error) {
	old, err := ReadManifest(dir)
	switch {
	case Absent(err):
		return nil, nil
	case err != nil:
		return nil, fault.Usage.Wrap(err)
	case old.Study != study:
		return nil, fault.Usage.Wrap(fmt.Errorf("%s holds a batch of the study %s, whose manifest would be lost: name "+
			"another folder with --out", dir, old.Study))
	}
	return old, nil
}

// Write writes the requests that have no answer into files, and removes those of the folder's earlier batch. Where
// nothing is to be asked it writes nothing.
func Write(ctx context.Context, st *Study, old *Manifest, o Options) (*Written, error) {
	w := &writer{Study: st, o: o, limits: o.Format.Limits(), seen: map[backends.Key]bool{},
		out: &Written{Command: map[string]string{},
			Manifest: &Manifest{Study: st.Name, SpecHash: st.Hash, How: o.How, Format: o.Format}}}
	if r := &w.limits.Requests; o.Requests > 0 && (*r == 0 || o.Requests < *r) {
		*r = o.Requests
	}
	if err := w.all(ctx); err != nil {
		return nil, err
	}
	if len(w.out.Models) == 0 {
		return w.out, nil
	}
	if err := w.out.Manifest.Write(o.Dir); err != nil {
		return nil, fault.Store.Wrap(err)
	}
	w.out.Replaced = old != nil
	return w.out, w.tidy(old)
}

type writer struct {
	*Study
	o      Options
	limits Limits
	seen   map[backends.Key]bool // requests that are written
	out    *Written
}

func (w *writer) all(ctx context.Context) error {
	var need collect.Spent
	asked := false
	for _, m := range w.Models {
		if m.Why != "" {
			w.out.Skipped = append(w.out.Skipped, m)
			continue
		}
		asked = true
		n, err := w.model(ctx, m)
		if err != nil {
			return fmt.Errorf("model %s: %w", m.Name, err)
		}
		need.Add(n, 1)
	}
	if !asked && len(w.out.Skipped) > 0 {
		return fault.Model.Wrap(fmt.Errorf("no model of the study %s can be asked by batch: %s: %s; infnet run asks "+
			"them live", w.Name, w.out.Skipped[0].Name, w.out.Skipped[0].Why))
	}
	w.out.OverBudget = w.Limits.Over(need, 0)
	return nil
}

func (w *writer) model(ctx context.Context, m Subject) (collect.Spent, error) {
	asked := Asked{Model: m.Name, ID: m.ID, Served: m.Served, Mode: m.Mode, LabelMode: m.LabelMode}
	var err error
	if asked.Files, err = WriteParts(w.o.Dir, m.Name, w.limits, w.requests(ctx, m, &asked)); err != nil {
		return collect.Spent{}, err
	}
	if len(asked.Files) == 0 {
		return collect.Spent{}, nil
	}
	planned, err := collect.Plan(ctx, w.Store, m.Jobs, collect.Options{RetryFailed: !w.o.SkipFailed})
	if err != nil {
		return collect.Spent{}, err
	}
	sum := collect.Planned{Prices: m.Jobs[0].Price}
	for _, p := range planned {
		sum.PromptTokens, sum.CompletionTokens = sum.PromptTokens+p.PromptTokens, sum.CompletionTokens+p.CompletionTokens
		if p.Calls > 0 {
			asked.Basis = fmt.Sprintf("prompt tokens by %s; new tokens: %s", p.PromptBasis, p.CompletionBasis)
		}
	}
	asked.TokensIn, asked.TokensOut = sum.PromptTokens, sum.CompletionTokens
	asked.Price, asked.ByBatch = sum.Price(), sum.ByBatch()
	if w.o.Format == VLLM {
		w.out.Command[m.Name] = m.Command(filepath.Join(w.o.Dir, asked.Files[0].Name))
	}
	w.out.Models = append(w.out.Models, asked)
	return collect.Needed(planned), nil
}

// requests yields the requests of a model that have no answer, each once: two datasets may hold the same text, and a
// model may have two names.
func (w *writer) requests(ctx context.Context, m Subject, asked *Asked) iter.Seq2[Request, error] {
	return func(yield func(Request, error) bool) {
		for _, j := range m.Jobs {
			for l, err := range collect.Lacking(ctx, w.Store, j) {
				r, wanted := Request{}, false
				if err == nil {
					r, wanted, err = w.request(ctx, m, j.Name+" on "+j.Dataset, &l, asked)
				}
				if (wanted || err != nil) && !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// request makes one request that has no answer; wanted says that it is one of the batch's.
func (w *writer) request(ctx context.Context, m Subject, of string, l *collect.Look,
	asked *Asked) (r Request, wanted bool, err error) {
	if w.seen[l.Key] || l.Failed != nil && w.o.SkipFailed {
		return r, false, nil
	}
	w.seen[l.Key] = true
	call, f := m.Batch.Call(ctx, l.Request)
	switch {
	case ctx.Err() != nil:
		return r, false, context.Cause(ctx)
	case f != nil:
		if w.out.Unaskable++; w.out.Unaskable == 1 {
			w.out.Unasked = fmt.Sprintf("%s, record %s: %s", of, l.ID, f.Message)
		}
		return r, false, nil
	}
	if asked.Requests++; l.Failed != nil {
		asked.Failed++
	}
	asked.URL = call.URL
	return Request{Example: l.ID, Key: l.Key, Call: call}, true, nil
}

// tidy removes the files of the folder's earlier batch that this one did not write anew.
func (w *writer) tidy(old *Manifest) error {
	if old == nil {
		return nil
	}
	now := map[string]bool{}
	for _, m := range w.out.Models {
		for _, p := range m.Files {
			now[p.Name] = true
		}
	}
	for _, m := range old.Models {
		for _, p := range m.Files {
			if now[p.Name] || p.Name != filepath.Base(p.Name) {
				continue
			}
			if err := os.Remove(filepath.Join(w.o.Dir, p.Name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fault.Store.Wrap(err)
			}
		}
	}
	return nil
}
