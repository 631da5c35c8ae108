package analyze

import (
	"infnet/harness/result"
	"infnet/harness/task"
)

// labelMass describes the mass of one model's answers to the given examples;
// nil where there are no labels.
func (b *Bench) labelMass(m int, examples []int) *result.LabelMass {
	if b.Dataset.Task != task.Classification {
		return nil
	}
	floor := b.in.Study.Confidence.LabelMass.Floor
	out := &result.LabelMass{Model: b.Cascade.Models[m], Answers: len(examples), Floor: floor}
	for _, i := range examples {
		mass, ok := b.Models[m].Given[i].Mass()
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
