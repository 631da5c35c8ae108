package analyze

import (
	"infnet/harness/cost"
	"infnet/harness/records"
	"infnet/harness/result"
)

// estimated counts a model's answers whose cost is based on estimated token counts;
// nil = none.
func estimated(r *records.Records, m int) []result.Estimated {
	switch r.Study.Cost.Model {
	case cost.TFLOPs, cost.Price, cost.Tokens:
	default:
		return nil
	}
	e := result.Estimated{Model: r.Cascade.Models[m], Characters: cost.CharactersPerToken}
	for i, used := range r.Used {
		if !used {
			continue
		}
		e.Answers++
		c := r.Tokens(i, &r.Models[m])
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
	if e.Count == 0 {
		return nil
	}
	return []result.Estimated{e}
}
