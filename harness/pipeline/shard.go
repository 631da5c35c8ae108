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

// checkOnly refuses names of what the study does not call: its models, its embedder, and the programs that grade.
func checkOnly(st *Study) error {
	var names []string
	for _, m := range st.everyModel() {
		names = append(names, m.Name)
	}
	if embeds(st.Spec) && st.embedder == nil {
		names = append(names, st.Spec.Embedder.Name())
	}
	for _, d := range st.Spec.Datasets {
		if name := d.Correct.Program(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range st.options.Only {
		if !slices.Contains(names, name) {
			return fault.Usage.Wrap(fmt.Errorf("the study %s calls no model %q: it calls %s", st.Spec.Name, name,
				strings.Join(names, ", ")))
		}
	}
	return nil
}
