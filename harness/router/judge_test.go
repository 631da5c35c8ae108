package router

import (
	"math"
	"testing"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

func TestJudge(t *testing.T) {
	// scikit-learn 1.9.1: log_loss, roc_auc_score; accuracy by hand.
	j := Judge([]float64{.9, .4, .4, .1, .5, .7}, []float64{1, 1, 0, 0, 0, 1})
	if math.Abs(j.Loss-0.44794325190907935) > 1e-12 || math.Abs(j.Accuracy-4.0/6) > 1e-12 ||
		math.Abs(*j.AUROC-7.5/9) > 1e-12 || j.Records != 6 {
		t.Errorf("%v", j)
	}
	if j := Judge([]float64{1, 0}, []float64{1, 1}); j.AUROC != nil || math.IsInf(j.Loss, 0) {
		t.Errorf("one label: %v", j)
	}
	if j := Judge(nil, nil); j != (Judged{}) {
		t.Errorf("nothing: %v", j)
	}
}
