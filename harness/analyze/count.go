package analyze

import (
	"maps"
	"slices"

	"infnet/backends"
	"infnet/harness/cost"
	"infnet/harness/records"
	"infnet/harness/result"
)

func used(r *records.Records) (out []int) {
	for i, is := range r.Used {
		if is {
			out = append(out, i)
		}
	}
	return out
}

func count(r *records.Records) result.Counts {
	c := result.Counts{
		Records: len(r.Set.Examples), Fit: len(r.Fit), Test: len(r.Test), Used: len(r.Fit) + len(r.Test),
		Shown: r.Set.Shown,
	}
	for _, l := range r.Lost {
		c.Missing = append(c.Missing, result.Missing{Model: l.Model, Cause: l.Cause, Count: l.Count})
	}
	for m := range r.Models {
		countModel(&c, r, m)
		if e := estimated(r, m); e.Count > 0 {
			c.Estimated = append(c.Estimated, e)
		}
		both := slices.Concat(r.Fit, r.Test)
		if g := graded(r, m, both); g != nil {
			c.Graded = append(c.Graded, *g)
		}
		if mass := labelMass(r, m, both); mass != nil && mass.Known > 0 {
			c.LabelMass = append(c.LabelMass, *mass)
		}
	}
	return c
}

// countModel adds the numbers of a model's faulty answers, by fault: generations that
// were cut off, or of which it was not recorded how they ended, and classifications that
// were not asked in the model's own mode, because that mode returned no label or did not
// suit the labels.
func countModel(c *result.Counts, r *records.Records, model int) {
	m, name, examples := &r.Models[model], r.Cascade.Models[model], used(r)
	var truncated, unseen, wide, empty int
	ends, ways, own := map[backends.Finish]int{}, map[backends.LabelMode]int{}, r.Sheet.LabelMode(name)
	for _, i := range examples {
		head := m.Head(i)
		truncated += int(indicator(head.Truncated > 0))
		if head.Finish == "" || head.Finish.Cut() {
			ends[head.Finish]++
		}
		if head.By != "" && own != "" && head.By != own {
			ways[head.By]++
		}
		if m.Unscored(i) {
			continue
		}
		reading := r.Reading(model, i)
		unseen += int(indicator(reading.Missing > 0))
		wide += int(indicator(reading.Missing > 0 && reading.High-reading.Low > result.WideBound))
		empty += int(indicator(reading.Empty))
	}
	for _, x := range []struct {
		list *[]result.Missing
		n    int
	}{{&c.Truncated, truncated}, {&c.Unseen, unseen}, {&c.Wide, wide}, {&c.Empty, empty}} {
		if x.n > 0 {
			*x.list = append(*x.list, result.Missing{Model: name, Count: x.n})
		}
	}
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		c.Otherwise = append(c.Otherwise, result.Missing{Model: name, Cause: string(way), Count: ways[way]})
	}
	if r.Classifies() {
		return
	}
	for _, f := range slices.Sorted(maps.Keys(ends)) {
		c.Cut = append(c.Cut, result.Cut{Model: name, Finish: string(f), Count: ends[f], Answers: len(examples),
			MaxTokens: r.Dataset.MaxTokens})
	}
}

func estimated(r *records.Records, m int) (e result.Estimated) {
	if c := r.Study.Cost.Model; c != cost.TFLOPs && c != cost.Price && c != cost.Tokens {
		return e
	}
	e = result.Estimated{Model: r.Cascade.Models[m], Characters: cost.CharactersPerToken}
	for _, i := range used(r) {
		c := records.Tokens(r, i, m, r.Models[m].At(i))
		e.Answers++
		e.Count += int(indicator(c.Estimated()))
		e.Prompt += int(indicator(c.PromptEstimated))
		e.Completion += int(indicator(c.CompletionEstimated))
	}
	return e
}

// graded says how one model's answers to the given examples were found and judged; nil where every reply is an answer
// and every answer is judged.
func graded(r *records.Records, m int, examples []int) *result.Graded {
	of := &r.Models[m]
	if of.By == nil {
		return nil
	}
	out := &result.Graded{Model: r.Cascade.Models[m], Answers: len(examples)}
	for _, rule := range r.Dataset.Correct.All() {
		out.By = append(out.By, result.Decided{Rule: string(rule)})
	}
	for _, i := range examples {
		head := of.Head(i)
		_, found := r.Sheet.Said(head)
		k := slices.IndexFunc(out.By, func(d result.Decided) bool { return d.Rule == string(of.By[i]) })
		out.Right += int(indicator(of.IsRight(i)))
		switch {
		case k >= 0:
			out.By[k].Count++
			out.By[k].Right += int(indicator(of.IsRight(i)))
		case found:
			out.Undecided++
		default:
			out.None++
			out.Cut += int(indicator(head.Finish == backends.FinishLength))
		}
	}
	return out
}

// labelMass describes the mass of one model's answers to the given examples;
// nil where there are no labels.
func labelMass(r *records.Records, m int, examples []int) *result.LabelMass {
	if !r.Classifies() {
		return nil
	}
	floor := r.Study.Confidence.LabelMass
	out := &result.LabelMass{Model: r.Cascade.Models[m], Answers: len(examples), Floor: floor}
	for _, i := range examples {
		given := r.Models[m].At(i)
		mass, ok := given.Mass()
		if !ok {
			continue
		}
		out.Known++
		out.Low, out.High = out.Low+mass.Low, out.High+mass.High
		switch {
		case mass.High < floor:
			out.Below++
		case mass.Low < floor:
			out.Open++
		}
	}
	if out.Known > 0 {
		out.Low, out.High = out.Low/float64(out.Known), out.High/float64(out.Known)
	}
	return out
}
