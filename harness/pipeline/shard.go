package pipeline

import (
	"fmt"
	"slices"
	"strings"

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

// callable lists the names of what a collection may call: the models that answer, the embedder, the scorer, the judge,
// and the programs that grade.
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
	if st.Spec.Judge != nil && judges(st.Spec) {
		names = append(names, st.Spec.Judge.Model.Name)
	}
	for _, d := range st.Spec.Datasets {
		if name := d.Correct.Program(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
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
