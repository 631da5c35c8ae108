package analyze

import (
	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/task"
)

// nearNothing is the share of right answers up to which no model counts as
// able to do the task.
const nearNothing = 0.05

// floor says so where the models cannot do the task: where none is right on
// more than one record in twenty of the test part, or, on classification, none
// more often than whoever always names the class that is most frequent in the
// fit part. Then every number of the table may be right, and none says
// anything of policies.
func (b *Bench) floor() {
	if b.in.Study.Policy.Setting == policy.Oracle {
		return // the master is right by definition
	}
	n := float64(len(b.Test))
	right := note.Right{Models: b.Cascade.Models, Records: len(b.Test)}
	best := 0.0
	for m := range b.Cascade.Models {
		r := n
		for _, i := range b.Test {
			r -= b.Models[m].Grades[i].Err
		}
		best = max(best, r)
		right.Right = append(right.Right, r)
	}
	if best <= nearNothing*n {
		b.out.Notes = append(b.out.Notes, result.NewNote(note.NearZero{Right: right}))
		return
	}
	if b.Dataset.Task != task.Classification {
		return
	}
	if always := b.majority(); best <= always {
		b.out.Notes = append(b.out.Notes, result.NewNote(note.Chance{Right: right, Majority: always}))
	}
}

// majority counts the test records of the class that is most frequent in the
// fit part, the first of equals.
func (b *Bench) majority() float64 {
	count := func(part []int) []int {
		out := make([]int, len(b.Dataset.Labels))
		for _, i := range part {
			if c := b.References[i].Class; c >= 0 && c < len(out) {
				out[c]++
			}
		}
		return out
	}
	fit, test, most := count(b.Fit), count(b.Test), 0
	for c := range fit {
		if fit[c] > fit[most] {
			most = c
		}
	}
	return float64(test[most])
}
