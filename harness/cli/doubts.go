package cli

import (
	"fmt"
	"slices"

	"infnet/harness/analyze"
	"infnet/harness/cost"
	"infnet/harness/fault"
	"infnet/harness/question"
	"infnet/harness/spec"
)

// ask shows a question once, however many tables it belongs to.
func (st *study) ask(text string, about ...any) {
	if st.said == nil {
		st.said = map[string]bool{}
	}
	if !st.said[text] {
		st.said[text] = true
		st.screen.log.Warn(text, about...)
	}
}

// promptFields are the fields that make the text of a dataset's records.
func promptFields(d *spec.Dataset) []string {
	used := question.PromptFields(d)
	return slices.DeleteFunc(used, func(name string) bool {
		return !slices.ContainsFunc(d.Fields, func(f spec.Field) bool { return f.Name == name })
	})
}

// doubtTexts says, before anything is asked, what of a dataset's texts makes
// its numbers mean less than they say, and refuses a test part that is for the
// most part in the fit part.
func (st *study) doubtTexts(d *spec.Dataset, sheet *question.Sheet) error {
	parts, err := sheet.Split(st.spec.Seed, 0)
	if err != nil {
		return fault.Spec.Wrap(st.spec.At(spec.OfDatasets, d.Name, err, "", "split.fit", "group", "split"))
	}
	found := sheet.Texts(parts)
	if found.Refused() && !d.Split.AllowOverlap {
		return fault.Data.Wrap(st.spec.At(spec.OfDatasets, d.Name,
			fmt.Errorf("dataset %s: %d of %d test records have a text that is in the fit part too: it would be tested on what it is fitted to", d.Name, found.Overlap, found.Test),
			`set dedupe = "first" to keep the first record of every text, or group = the text's column to keep equal texts in one part; allow_overlap = true in [split] goes on as it is`, "dedupe", "source"))
	}
	for _, q := range found.Doubts {
		st.ask(q.Text, "dataset", d.Name)
	}
	if sheet.Set.Copies > 0 {
		st.screen.log.Info("rows left out, as an earlier one has their text", "dataset", d.Name, "rows", sheet.Set.Copies, "left", sheet.Len())
	}
	return nil
}

// doubtModels asks about every two models that follow each other in a cascade,
// as far as their identities and stated costs tell.
func (st *study) doubtModels() {
	for _, c := range st.spec.Cascades {
		for i := range len(c.Models) - 1 {
			a, _ := st.spec.Model(c.Models[i])
			b, _ := st.spec.Model(c.Models[i+1])
			if a == nil || b == nil {
				continue
			}
			if why := st.sameWeights(a, b); why != "" {
				st.ask(fmt.Sprintf("Are %s and %s the same weights on purpose? %s.", a.Name, b.Name, why), "cascade", c.Name)
			}
			if why := st.dearer(a, b); why != "" {
				st.ask(fmt.Sprintf("Is %s dearer than %s on purpose? %s. Models are listed cheapest first: swapped?", a.Name, b.Name, why), "cascade", c.Name)
			}
		}
	}
}

// sameWeights says why two models are one that is asked in the same way, ""
// where they are not, or where that is not known.
func (st *study) sameWeights(a, b *spec.Model) string {
	x, y := st.models[a.Name].ID, st.models[b.Name].ID
	if x.Kind != y.Kind || a.Mode != b.Mode {
		return ""
	}
	if a.Config.Traits().Folder && x.Revision != "" && x.Revision == y.Revision {
		return fmt.Sprintf("Their folders have the same content (revision %.12s)", x.Revision)
	}
	if a.Answers != nil && b.Answers != nil && *a.Answers == *b.Answers {
		return "Both are the recorded answers of " + a.Answers.Text
	}
	p, _ := a.Config.Remote()
	q, _ := b.Config.Remote()
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

// dearer says why the first of two models costs more than the second, "" where
// it does not, or where only answers tell.
func (st *study) dearer(a, b *spec.Model) string {
	switch st.spec.Cost.Model {
	case cost.Fixed:
		if a.Fixed != nil && b.Fixed != nil && *a.Fixed > *b.Fixed {
			return fmt.Sprintf("Its fixed_cost is %v against %v", *a.Fixed, *b.Fixed)
		}
	case cost.Price:
		if a.Priced && b.Priced && a.PriceIn >= b.PriceIn && a.PriceOut >= b.PriceOut && (a.PriceIn > b.PriceIn || a.PriceOut > b.PriceOut) {
			return fmt.Sprintf("A million tokens in and out cost %v and %v against %v and %v %s", a.PriceIn, a.PriceOut, b.PriceIn, b.PriceOut, a.Currency)
		}
	case cost.TFLOPs:
		x, y := st.models[a.Name].Shape, st.models[b.Name].Shape
		if x != nil && y != nil && x.Params > 0 && y.Params > 0 && x.Params > y.Params {
			return fmt.Sprintf("It has %.3g billion parameters against %.3g", x.Params, y.Params)
		}
	}
	return ""
}

// doubtAnswers shows the questions that the answers raise; they are footnotes
// of the tables too. What was asked of the texts before is not said again.
func (st *study) doubtAnswers(out *analyze.Output) {
	kinds := []string{"same", "dearer", "labels", "reversed", "swapped"}
	for _, b := range out.Benches {
		for _, n := range b.Notes() {
			if slices.Contains(kinds, string(n.Kind)) {
				st.ask(n.Text, "cascade", b.Cascade.Name, "dataset", b.Dataset.Name)
			}
		}
	}
}
