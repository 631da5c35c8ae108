package pipeline

import (
	"fmt"
	"reflect"
	"slices"

	"infnet/harness/cost"
)

// questionModels questions every two consecutive models of a cascade, based on their identities and
// stated costs.
func questionModels(st *Study) {
	for _, c := range st.Spec.Cascades {
		for i := range len(c.Models) - 1 {
			a, b := st.Model(c.Models[i]), st.Model(c.Models[i+1])
			if a == nil || b == nil {
				continue
			}
			if why := sameWeights(a, b); why != "" {
				st.ask(fmt.Sprintf("Are %s and %s the same weights on purpose? %s.", a.Name, b.Name, why), "cascade", c.Name)
			}
			if why := costlier(a, b); why != "" {
				st.ask(fmt.Sprintf("Is %s dearer than %s on purpose? %s. Models are listed cheapest first: swapped?", a.Name,
					b.Name, why), "cascade", c.Name)
			}
		}
	}
}

// sameWeights says why two models are the same one, asked in the same way; "" if they differ, or if
// that is unknown.
func sameWeights(m, b *Model) string {
	x, y := m.known.ID, b.known.ID
	if x.Kind != y.Kind || m.Mode != b.Mode {
		return ""
	}
	if m.Config.Traits().Folder && x.Revision != "" && x.Revision == y.Revision {
		return fmt.Sprintf("Their folders have the same content (revision %.12s)", x.Revision)
	}
	if m.Recording != nil && b.Recording != nil && reflect.DeepEqual(m.Recording, b.Recording) {
		return "Both are the recorded answers of " + m.Recording.Text
	}
	p, _ := m.Config.Remote()
	q, _ := b.Config.Remote()
	if p.Effort != q.Effort {
		return "" // levels of one model
	}
	if p.Served == "" || q.Served == "" || x.Revision != y.Revision {
		return "" // settings that change answers are in the revision
	}
	if p.Served == q.Served && slices.ContainsFunc(p.URLs, func(u string) bool { return slices.Contains(q.URLs, u) }) {
		return fmt.Sprintf("Both are %q at the same URL", p.Served)
	}
	if x.ID == y.ID && x.Revision != "" {
		return fmt.Sprintf("Both are %s, revision %s", x.ID, x.Revision)
	}
	return ""
}

// costlier says why a model costs more than another; "" if it does not, or if that depends on its
// answers.
func costlier(m, b *Model) string {
	switch m.study.Spec.Cost.Model {
	case cost.Fixed:
		if m.Fixed != nil && b.Fixed != nil && *m.Fixed > *b.Fixed {
			return fmt.Sprintf("Its fixed_cost is %v against %v", *m.Fixed, *b.Fixed)
		}
	case cost.Price:
		if m.Priced && b.Priced && m.PriceIn >= b.PriceIn && m.PriceOut >= b.PriceOut &&
			(m.PriceIn > b.PriceIn || m.PriceOut > b.PriceOut) {
			return fmt.Sprintf("A million tokens in and out cost %v and %v against %v and %v %s", m.PriceIn, m.PriceOut,
				b.PriceIn, b.PriceOut, m.Currency)
		}
	case cost.TFLOPs:
		x, y := m.known.Shape, b.known.Shape
		if x != nil && y != nil && x.Params > 0 && y.Params > 0 && x.Params > y.Params {
			return fmt.Sprintf("It has %.3g billion parameters against %.3g", x.Params, y.Params)
		}
	}
	return ""
}
