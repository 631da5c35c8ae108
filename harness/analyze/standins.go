package analyze

import (
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/harness/policy"
	"infnet/harness/question"
	"infnet/harness/result"
	"infnet/harness/spec"
	"infnet/harness/task"
	"infnet/metrics"
)

// replaced says that the study's embedder or scorer is another one, where a
// number of the table may rest on it. Other learners are footnotes of their
// rows, and other language models head every table.
func (b *Bench) replaced() {
	for _, x := range b.in.Study.StandIns {
		text := ""
		switch {
		case x.Part == spec.EmbedderRole && b.embedsFor(x):
			text = fmt.Sprintf("Texts are embedded by %s in place of %s, the embedder that the study names: what rests on embeddings says nothing of %s.", x.Model, x.For, x.For)
		case x.Part == spec.ScorerRole && b.scoresFor() && x.Model == spec.NoScorer:
			text = fmt.Sprintf("No answer is scored in place of %s, the scorer that the study names: what rests on qualities says nothing of %s.", x.For, x.For)
		case x.Part == spec.ScorerRole && b.scoresFor():
			text = fmt.Sprintf("Answers are scored by %s in place of %s, the scorer that the study names: what rests on scores says nothing of %s.", x.Model, x.For, x.For)
		default:
			continue
		}
		b.out.Notes = append(b.out.Notes, result.Note{Kind: "stand-in-" + x.Part, Text: text})
	}
}

// embedsFor reports whether embeddings matter to the table; where the lexical
// embedder stands in, a rule that gave way to the task's own does, too.
func (b *Bench) embedsFor(x spec.StandIn) bool {
	s, d := b.in.Study, b.Dataset
	return question.Embeds(d) || s.Embeds() || s.Sufficiency.Asks(spec.Embeddings) ||
		x.Model == string(backends.Lexical) && d.Task != task.Classification
}

// scoresFor reports whether a scorer matters to the table.
func (b *Bench) scoresFor() bool {
	s, d := b.in.Study, b.Dataset
	if d.Task == task.Classification || s.Policy.Setting == policy.Oracle {
		return false
	}
	return slices.Contains(d.Metrics, metrics.BARTScore) || slices.ContainsFunc(s.Baselines, func(x spec.Baseline) bool { return x.Kind == spec.HybridLLM })
}
