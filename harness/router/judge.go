package router

import (
	"math"

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
	if area := calc.AUROC(probability, func(i int) bool { return labels[i] == 1 }); !math.IsNaN(area) {
		j.AUROC = &area
	}
	return j
}
