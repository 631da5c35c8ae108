package analyze

import (
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/task"
)

// labelMass describes the mass of one model's answers to the given examples;
// nil where there are no labels.
func labelMass(r *records.Records, m int, examples []int) *result.LabelMass {
	if r.Dataset.Task != task.Classification {
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
