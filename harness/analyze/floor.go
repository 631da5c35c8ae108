package analyze

import (
	"fmt"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/result"
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
	n := float64(len(b.test))
	var right []string
	best := 0.0
	for m, name := range b.Cascade.Models {
		r := n
		for _, i := range b.test {
			r -= b.grades[m][i].Err
		}
		best = max(best, r)
		right = append(right, fmt.Sprintf("%s on %.4g", name, r))
	}
	of := fmt.Sprintf("%s of %d test records", strings.Join(right, ", "), len(b.test))
	if best <= nearNothing*n {
		b.out.Notes = append(b.out.Notes, result.Note{Kind: "near-zero", Text: fmt.Sprintf(
			"These models cannot do this task: right are %s. There is next to nothing for a policy to choose between, and the rows say nothing of policies.", of)})
		return
	}
	if b.Dataset.Task != task.Classification {
		return
	}
	if always := b.majority(); best <= always {
		b.out.Notes = append(b.out.Notes, result.Note{Kind: "chance", Text: fmt.Sprintf(
			"These models are no better than chance here: right are %s, and always naming the most frequent class of the fit part is right on %.4g.", of, always)})
	}
}

// majority counts the test records of the class that is most frequent in the
// fit part, the first of equals.
func (b *Bench) majority() float64 {
	count := func(part []int) []int {
		out := make([]int, len(b.Dataset.Labels))
		for _, i := range part {
			if c := b.refs[i].Class; c >= 0 && c < len(out) {
				out[c]++
			}
		}
		return out
	}
	fit, test, most := count(b.fit), count(b.test), 0
	for c := range fit {
		if fit[c] > fit[most] {
			most = c
		}
	}
	return float64(test[most])
}
