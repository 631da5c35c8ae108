package analyze

import (
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/task"
)

// nearNothing is the share of right answers up to which a model counts as unable to
// do the task.
const nearNothing = 0.05

// floor returns a note if no model can do the task: none is right on more than one
// test record in twenty or, for classification, more often than a constant guess
// of the most frequent class of the fit part. The table's numbers are then correct
// but say nothing about policies.
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
			sum -= r.Models[m].Errs[i]
		}
		best = max(best, sum)
		right.Right = append(right.Right, sum)
	}
	if best <= nearNothing*n {
		return []result.Note{note.NearZero(right)}
	}
	if r.Dataset.Task != task.Classification || !r.Referenced() {
		return nil
	}
	if always := majority(r); best <= always {
		return []result.Note{note.Chance(right, always)}
	}
	return nil
}

// majority counts the test records of the most frequent class of the fit part, the
// first on ties.
func majority(r *records.Records) float64 {
	count := func(part []int) []int {
		out := make([]int, len(r.Dataset.Labels))
		for _, i := range part {
			if c := r.Truth(i); c >= 0 && c < len(out) {
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
