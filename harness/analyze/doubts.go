package analyze

import (
	"infnet/harness/doubt"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/task"
)

// doubts looks for likely mistakes in the study: in the texts as they were split,
// and in the answers of every two consecutive models, over all used records. Each
// question becomes a footnote of the table.
func doubts(r *records.Records) (notes []result.Note) {
	list := r.Sheet.Texts(r.Roles.Parts).Doubts
	for m := range r.Last() {
		list = append(list, doubt.Pair(answersOf(r, m), answersOf(r, m+1), gold(r), labelNames(r))...)
	}
	for _, d := range list {
		notes = append(notes, result.Note{Kind: note.Kind(d.Kind), Text: d.Text, Count: d.Count, Of: d.Of})
	}
	if n := r.Set.Shown; n > 0 {
		notes = append(notes, note.Shown(r.Sheet.Dataset.Examples.N, n))
	}
	if n := r.Set.Copies; n > 0 {
		notes = append(notes, note.Copies(n))
	}
	return notes
}

// answersOf returns a model's answers to the used records. Where the master's answers
// are the references, it is right by definition and not checked.
func answersOf(r *records.Records, m int) doubt.Answers {
	a := doubt.Answers{Model: r.Cascade.Models[m], Given: r.ConfidenceName(m) == "given"}
	oracle, probabilities := r.Study.Policy.Setting == policy.Oracle, true
	at := used(r)
	a.Text = func(k int) string { return r.Text(m, at[k]) }
	for _, i := range at {
		a.Beta = append(a.Beta, r.Models[m].Raw[i])
		probabilities = probabilities && !r.Models[m].Unscored(i)
		a.Cost = append(a.Cost, r.Models[m].Costs[i])
		if r.Dataset.Task == task.Classification {
			a.Class = append(a.Class, r.Models[m].Class[i])
		}
		if !oracle {
			a.Right = append(a.Right, r.Models[m].IsRight(i))
		}
	}
	if !probabilities {
		a.Beta = nil
	}
	return a
}

// gold returns the reference classes of the used records, or nil.
func gold(r *records.Records) []int {
	if r.Dataset.Task != task.Classification || r.Study.Policy.Setting == policy.Oracle || !r.Referenced() {
		return nil
	}
	var out []int
	for _, i := range used(r) {
		out = append(out, r.Truth(i))
	}
	return out
}

func labelNames(r *records.Records) []string {
	var out []string
	for _, l := range r.Dataset.Labels {
		out = append(out, l.Word)
	}
	return out
}
