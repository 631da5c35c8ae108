package analyze

import (
	"slices"

	"infnet/backends"
	"infnet/harness/policy"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
	"infnet/harness/task"
	"infnet/metrics"
)

// replaced notes that the study's embedder or scorer was replaced, if it may affect
// a number of the table. Replaced learners are footnotes of their rows, and
// replaced language models head every table.
func replaced(r *records.Records) (notes []result.Note) {
	for _, x := range r.Study.StandIns {
		switch {
		case x.Part == spec.EmbedderRole && embedsFor(r, x):
			notes = append(notes, note.EmbedderReplaced(x.Model, x.For))
		case x.Part == spec.ScorerRole && scoresFor(r) && x.Model == spec.NoScorer:
			notes = append(notes, note.ScorerLeftOut(x.For))
		case x.Part == spec.ScorerRole && scoresFor(r):
			notes = append(notes, note.ScorerReplaced(x.Model, x.For))
		}
	}
	return notes
}

// embedsFor reports whether embeddings matter to the table. Where the lexical embedder
// replaces the study's, a rule that fell back to the task's own matters too.
func embedsFor(r *records.Records, x spec.StandIn) bool {
	s, d := r.Study, r.Dataset
	return question.Embeds(d) || s.Compares(d) || s.Embeds() || s.Sufficiency.Asks(spec.Embeddings) ||
		x.Model == string(backends.Lexical) && d.Task != task.Classification
}

// scoresFor reports whether a scorer matters to the table.
func scoresFor(r *records.Records) bool {
	s, d := r.Study, r.Dataset
	if d.Task == task.Classification || s.Policy.Setting == policy.Oracle {
		return false
	}
	return slices.Contains(d.Metrics, metrics.BARTScore) ||
		slices.ContainsFunc(s.Baselines, func(x spec.Baseline) bool { return x.Quality() })
}
