package records

import (
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// Last returns the position of the last model, the master.
func (r *Records) Last() int { return len(r.Models) - 1 }

// Student returns the cascade's first model.
func (r *Records) Student() *Model { return &r.Models[student] }

// Master returns the cascade's last model.
func (r *Records) Master() *Model { return &r.Models[r.Last()] }

// IsChain reports whether the cascade has a model between student and master.
func (r *Records) IsChain() bool { return len(r.Models) > 2 }

// FactsOf returns what is known about a model of the study, such as its embedder.
func FactsOf(r *Records, model string) Facts { return r.in.Facts[model] }

// Classifies reports whether the task has classes.
func (r *Records) Classifies() bool { return r.Dataset.Task == task.Classification }

// Referenced reports whether the right answers are known, and not only recorded grades.
func (r *Records) Referenced() bool {
	d := r.Dataset
	return d.Correct.Rule != task.Recorded && d.Correct.Rule != task.Command || d.Source.Scheme == spec.Builtin ||
		d.LabelColumn != "" || d.ReferenceColumn != ""
}

// PerClass reports whether thresholds per class are fitted next to the single
// one.
func (r *Records) PerClass() bool { return r.Classifies() && r.Study.Policy.Multi }

// Pair returns the columns on which a policy of the first and the last model is
// fitted, for the given examples.
func (r *Records) Pair(examples []int) policy.Records {
	out := policy.Records{Classes: max(1, len(r.Dataset.Labels))}
	student, master := r.Student(), r.Master()
	if r.Study.Policy.Objective == policy.Cost {
		out.MasterCost = Pick(master.Costs, examples)
	}
	out.Class, out.Beta = Pick(student.Class, examples), Pick(student.Beta, examples)
	out.Student = student.Errors(examples)
	if r.Study.Policy.Setting != policy.Oracle {
		out.Master = master.Errors(examples)
	}
	return out
}

// Series returns the columns on which a chain is fitted, for the given examples.
func (r *Records) Series(examples []int) chain.Records {
	out := chain.Records{Err: make([][]float64, len(r.Models)), Cost: r.Summaries()}
	for k, m := range r.Models {
		if k < r.Last() {
			out.Beta = append(out.Beta, Pick(m.Beta, examples))
		} else if r.Study.Policy.Setting == policy.Oracle {
			continue // the master is right by definition
		}
		out.Err[k] = m.Errors(examples)
	}
	return out
}

// Summaries returns the models' cost constants.
func (r *Records) Summaries() []float64 {
	out := make([]float64, len(r.Models))
	for k, m := range r.Models {
		out[k] = m.Cost.Summary
	}
	return out
}

// Errors returns the errors of a model's answers to the given examples.
func (m *Model) Errors(examples []int) []float64 { return Pick(m.Errs, examples) }

// Right reports which of a model's answers to the given examples are right.
func (m *Model) Right(examples []int) []bool { return Pick(m.right, examples) }

// IsRight reports whether a model's answer to an example is right.
func (m *Model) IsRight(i int) bool { return m.right[i] }

// Refused says why a model's answer to an example does not count; "" = it does.
func (m *Model) Refused(i int) string { return m.refused[i] }

// Pick returns column[i] for the given examples.
func Pick[T any](column []T, examples []int) []T {
	out := make([]T, len(examples))
	for k, i := range examples {
		out[k] = column[i]
	}
	return out
}
