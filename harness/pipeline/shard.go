package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/collect"
	"infnet/harness/fault"
)

// calls reports whether the model is called, or another one only.
func calls(st *Study, model string) bool {
	return st.options.Only == nil || slices.Contains(st.options.Only, model)
}

// called lists the embeddings and scores of the models that are called.
func called(st *Study) []*derived {
	return slices.DeleteFunc(derivedOf(st), func(v *derived) bool { return !calls(st, v.name) })
}

// callable lists the names of the models that a collection may call: those that answer, the embedder, and the scorer.
func callable(st *Study) (names []string) {
	for _, m := range st.Spec.Models {
		names = append(names, m.Name)
	}
	if embeds(st.Spec) {
		names = append(names, st.Spec.Embedder.Name())
	}
	if m := st.Spec.Scorer; m != nil && scores(st.Spec) {
		names = append(names, m.Name)
	}
	return names
}

// checkOnly refuses names of models that the study does not call.
func checkOnly(st *Study) error {
	for _, name := range st.options.Only {
		if names := callable(st); !slices.Contains(names, name) {
			return fault.Usage.Wrap(fmt.Errorf("the study %s calls no model %q: it calls %s", st.Spec.Name, name,
				strings.Join(names, ", ")))
		}
	}
	return nil
}

// Left is what is not on disk yet.
type Left struct {
	Model string
	Of    string // the dataset, "texts to embed" or "pairs to score"
	Total int
	There int
	Count int // to be asked; a request that failed is not, unless failures are asked again
}

// Lacking lists what the whole study lacks, whichever shard is to ask it. Texts count only once every answer is there.
func Lacking(ctx context.Context, st *Study, retryFailed bool) (list []Left, err error) {
	jobs := jobsOf(ctx, st)
	for i := range jobs {
		jobs[i].Open = nil // no tokenizer has to count
	}
	planned, err := collect.Plan(ctx, st.store, jobs, collect.Options{RetryFailed: retryFailed})
	if err != nil {
		return nil, err
	}
	for _, p := range planned {
		if p.Calls > 0 {
			list = append(list, Left{p.Model, p.Dataset, p.Total - p.Shared, p.OnDisk, p.Calls})
		}
	}
	if len(list) > 0 {
		return list, nil
	}
	for _, v := range called(st) {
		p, err := v.planned(planned)
		if err != nil {
			return nil, err
		}
		if p.Missing > 0 {
			list = append(list, Left{p.Model, p.What, p.OnDisk + p.Missing, p.OnDisk, p.Missing})
		}
	}
	return list, nil
}
