package analyze

import (
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/doubt"
	"infnet/harness/policy"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
	"infnet/metrics"
)

// doubts looks for likely mistakes in the study: in the texts as they were split,
// and in the answers of every two consecutive models, over all used records. Each
// question becomes a footnote of the table.
func doubts(r *records.Records) (notes []result.Note) {
	list := r.Sheet.Texts(r.Roles.Parts).Doubts()
	var gold []int // the reference classes, where answers are graded against them
	for _, i := range used(r) {
		if r.Classifies() && r.Study.Policy.Setting != policy.Oracle && r.Referenced() {
			gold = append(gold, r.Truth(i))
		}
	}
	var labels []string
	for _, l := range r.Dataset.Labels {
		labels = append(labels, l.Word)
	}
	for m := range r.Last() {
		list = append(list, doubt.Pair(answersOf(r, m), answersOf(r, m+1), gold, labels)...)
	}
	for _, d := range list {
		notes = append(notes, result.Note{Kind: note.Kind(d.Kind), Text: d.Text, Count: d.Count, Of: d.Of})
	}
	if n := r.Set.Shown; n > 0 {
		says := "Every prompt shows examples that are also records of this dataset. These, and all"
		if drawn := r.Sheet.Dataset.Examples.N; drawn > 0 {
			says = fmt.Sprintf("Every prompt shows %d records drawn from the fit part. They, and all", drawn)
		}
		notes = append(notes, note.Say("shown", "%s records of their groups or with their texts, %d in all, were left out "+
			"before the split: no model was asked about them.", says, n))
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
		if r.Classifies() {
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

// nearNothing is the share of right answers up to which a model counts as unable to
// do the task.
const nearNothing = 0.05

// floor returns a note if no model can do the task: none is right on more than one
// test record in twenty or, for classification, more often than a constant guess
// of the most frequent class of the fit part. The table's numbers are then correct
// but say nothing about policies.
func floor(r *records.Records) []result.Note {
	if r.Study.Policy.Setting == policy.Oracle {
		return nil // the master is right by definition
	}
	n := float64(len(r.Test))
	best := 0.0
	var each []string
	for m, name := range r.Cascade.Models {
		sum := n
		for _, i := range r.Test {
			sum -= r.Models[m].Errs[i]
		}
		best, each = max(best, sum), append(each, fmt.Sprintf("%s on %.4g", name, sum)) // no whole number of soft errors
	}
	right := fmt.Sprintf("%s of %d test records", strings.Join(each, ", "), len(r.Test))
	if best <= nearNothing*n {
		return []result.Note{note.Say("near-zero", "These models cannot do this task: right are %s. There is next to "+
			"nothing for a policy to choose between, and the rows say nothing of policies.", right)}
	}
	if !r.Classifies() || !r.Referenced() {
		return nil
	}
	count := func(part []int) []float64 {
		out := make([]float64, len(r.Dataset.Labels))
		for _, i := range part {
			if c := r.Truth(i); c >= 0 && c < len(out) {
				out[c]++
			}
		}
		return out
	}
	fit := count(r.Fit)
	if always := count(r.Test)[slices.Index(fit, slices.Max(fit))]; best <= always {
		return []result.Note{note.Say("chance", "These models are no better than chance here: right are %s, and always "+
			"naming the most frequent class of the fit part is right on %.4g.", right, always)}
	}
	return nil
}

// replaced notes that the study's embedder or scorer was replaced, if it may affect
// a number of the table. Replaced learners are footnotes of their rows, and
// replaced language models head every table.
func replaced(r *records.Records) (notes []result.Note) {
	for _, x := range r.Study.StandIns {
		switch {
		case x.Part == spec.EmbedderRole && embedsFor(r, x):
			notes = append(notes, note.Say("stand-in-embedder", "Texts are embedded by %s in place of %s, the embedder that "+
				"the study names: what rests on embeddings says nothing of %s.", x.Model, x.For, x.For))
		case x.Part == spec.ScorerRole && scoresFor(r) && x.Model == spec.NoScorer:
			notes = append(notes, note.Say("stand-in-scorer", "No answer is scored in place of %s, the scorer that the study "+
				"names: what rests on qualities says nothing of %s.", x.For, x.For))
		case x.Part == spec.ScorerRole && scoresFor(r):
			notes = append(notes, note.Say("stand-in-scorer", "Answers are scored by %s in place of %s, the scorer that the "+
				"study names: what rests on scores says nothing of %s.", x.Model, x.For, x.For))
		}
	}
	return notes
}

// embedsFor reports whether embeddings matter to the table. Where the lexical embedder
// replaces the study's, a rule that fell back to the task's own matters too.
func embedsFor(r *records.Records, x spec.StandIn) bool {
	s, d := r.Study, r.Dataset
	return question.Embeds(d) || s.Compares(d) || s.Embeds() || s.Sufficiency.Asks(spec.Embeddings) ||
		x.Model == string(backends.Lexical) && !r.Classifies()
}

func scoresFor(r *records.Records) bool {
	s, d := r.Study, r.Dataset
	if r.Classifies() || s.Policy.Setting == policy.Oracle {
		return false
	}
	return slices.Contains(d.Metrics, metrics.BARTScore) ||
		slices.ContainsFunc(s.Baselines, func(x spec.Baseline) bool { return x.Quality() })
}
