package router

import (
	"cmp"
	"slices"

	"infnet/harness/calc"
)

// Judge scores probabilities against labels. The AUROC is the share of pairs of a
// 1 and a 0 in which the 1 has the larger probability, ties counting half (Mann
// and Whitney, 1947). Probabilities are kept 1e-15 away from 0 and 1, so that the
// loss is finite. No records give the zero value.
func Judge(probability, labels []float64) Judged {
	n := len(labels)
	j := Judged{Records: n}
	if n == 0 {
		return j
	}
	right := 0
	for i, p := range probability {
		q := p
		if labels[i] != 1 {
			q = 1 - p
		}
		j.Loss -= calc.Log(min(max(q, 1e-15), 1))
		if (p >= 0.5) == (labels[i] == 1) {
			right++
		}
	}
	j.Loss /= float64(n)
	j.Accuracy = float64(right) / float64(n)
	j.AUROC = auroc(probability, labels)
	return j
}

// auroc is nil where all labels are equal.
func auroc(score, labels []float64) *float64 {
	order := make([]int, len(score))
	ones := 0
	for i := range order {
		order[i] = i
		if labels[i] == 1 {
			ones++
		}
	}
	if ones == 0 || ones == len(labels) {
		return nil
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[a], score[b]) })
	above, zeros := 0.0, 0 // pairs won by a 1, counted in ties as half; zeros below
	for i := 0; i < len(order); {
		j, one, zero := i, 0, 0
		for ; j < len(order) && score[order[j]] == score[order[i]]; j++ {
			if labels[order[j]] == 1 {
				one++
			} else {
				zero++
			}
		}
		above += float64(float64(one) * (float64(zeros) + float64(float64(zero)/2)))
		zeros += zero
		i = j
	}
	v := above / (float64(ones) * float64(len(labels)-ones))
	return &v
}
