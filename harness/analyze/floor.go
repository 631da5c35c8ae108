package analyze

import (
	"infnet/harness/policy"
	"infnet/harness/records"
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
func floor(r *records.Records) []result.Note {
	if r.Study.Policy.Setting == policy.Oracle {
		return nil // the master is right by definition
	}
	n := float64(len(r.Test))
	right := note.Right{Models: r.Cascade.Models, Records: len(r.Test)}
	best := 0.0
	for m := range r.Cascade.Models {
		sum := n
		for _, i := range r.Test {
			sum -= r.Models[m].Grades[i].Err
		}
		best = max(best, sum)
		right.Right = append(right.Right, sum)
	}
	if best <= nearNothing*n {
		return []result.Note{result.NewNote(note.NearZero{Right: right})}
	}
	if r.Dataset.Task != task.Classification {
		return nil
	}
	if always := majority(r); best <= always {
		return []result.Note{result.NewNote(note.Chance{Right: right, Majority: always})}
	}
	return nil
}

// majority counts the test records of the class that is most frequent in the
// fit part, the first of equals.
func majority(r *records.Records) float64 {
	count := func(part []int) []int {
		out := make([]int, len(r.Dataset.Labels))
		for _, i := range part {
			if c := r.References[i].Class; c >= 0 && c < len(out) {
				out[c]++
			}
		}
		return out
	}
	fit, test, most := count(r.Fit), count(r.Test), 0
	for c := range fit {
		if fit[c] > fit[most] {
			most = c
		}
	}
	return float64(test[most])
}
