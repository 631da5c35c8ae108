package analyze

import (
	"infnet/backends"
	"infnet/harness/cost"
	"infnet/harness/result"
)

// tokens are what the cost of model m's answer to record i rests on.
func (b *Bench) tokens(i, m int, a *backends.Answer) cost.Counts {
	var r backends.Request
	if a.Usage.Prompt.Plus(a.Usage.Completion).IsZero() { // else nothing is estimated
		r = b.sheet.Request(i, b.in.Models[b.Cascade.Models[m]].ID, b.models[m])
	}
	return cost.Count(r, *a, a.Usage)
}

// estimated counts the answers of model m whose cost rests on tokens that
// nobody reported.
func (b *Bench) estimated(m int) {
	switch b.in.Study.Cost.Model {
	case cost.TFLOPs, cost.Price, cost.Tokens:
	default:
		return
	}
	e := result.Estimated{Model: b.Cascade.Models[m], Characters: cost.CharactersPerToken}
	for i, used := range b.used {
		if !used {
			continue
		}
		e.Answers++
		c := b.counts[m][i]
		if c.Estimated() {
			e.Count++
		}
		if c.PromptEstimated {
			e.Prompt++
		}
		if c.CompletionEstimated {
			e.Completion++
		}
	}
	if e.Count > 0 {
		b.out.Counts.Estimated = append(b.out.Counts.Estimated, e)
	}
}
