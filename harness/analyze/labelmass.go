package analyze

import (
	"fmt"

	"infnet/backends"
	"infnet/harness/result"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// little is why an answer does not count because of its mass on the labels; ""
// = it counts. Only what is certainly below the floor is refused.
func (b *Bench) little(a *backends.Answer) string {
	l := b.in.Study.Confidence.LabelMass
	if b.Dataset.Task != task.Classification || l.Below != spec.RefuseMass {
		return ""
	}
	if mass, ok := a.Mass(); ok && mass.High < l.Floor {
		return fmt.Sprintf("less than %v of the probability on the labels", l.Floor)
	}
	return ""
}

// labelMass describes the mass of one model's answers to the given examples;
// nil where there are no labels.
func (b *Bench) labelMass(m int, examples []int) *result.LabelMass {
	if b.Dataset.Task != task.Classification {
		return nil
	}
	floor := b.in.Study.Confidence.LabelMass.Floor
	out := &result.LabelMass{Model: b.Cascade.Models[m], Answers: len(examples), Floor: floor}
	for _, i := range examples {
		mass, ok := b.cols[m].answers[i].Mass()
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
