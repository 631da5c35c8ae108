package analyze

import (
	"infnet/harness/cost"
	"infnet/harness/result"
)

// estimated counts the answers of model m whose cost rests on tokens that
// nobody reported.
func (b *Bench) estimated(m int) {
	switch b.in.Study.Cost.Model {
	case cost.TFLOPs, cost.Price, cost.Tokens:
	default:
		return
	}
	e := result.Estimated{Model: b.Cascade.Models[m], Characters: cost.CharactersPerToken}
	for i, used := range b.Used {
		if !used {
			continue
		}
		e.Answers++
		c := b.Models[m].Counts[i]
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
