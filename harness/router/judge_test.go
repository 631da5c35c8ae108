package router

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

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

func TestAUROCAgainstAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		score, label := make([]float64, n), make([]float64, n)
		for i := range n {
			score[i] = float64(rapid.IntRange(0, 8).Draw(t, "score")) / 8
			label[i] = float64(rapid.IntRange(0, 1).Draw(t, "label"))
		}
		won, pairs := 0.0, 0.0
		for i := range n {
			for k := range n {
				if label[i] == 1 && label[k] == 0 {
					pairs++
					if score[i] > score[k] {
						won++
					} else if score[i] == score[k] {
						won += 0.5
					}
				}
			}
		}
		got := Judge(score, label).AUROC
		if (got == nil) != (pairs == 0) || got != nil && math.Abs(*got-won/pairs) > 1e-12 {
			t.Fatalf("%v, want %v/%v", got, won, pairs)
		}
	})
}

func TestHoldOut(t *testing.T) {
	task := Task{Seed: 7, Name: "x"}
	for i := range 200 {
		task.Samples = append(task.Samples, Sample{ID: fmt.Sprintf("%03d", i)})
		label := 0.0
		if i%10 == 0 {
			label = 1
		}
		task.Labels = append(task.Labels, label)
	}
	train, held := task.HoldOut(HeldOut)
	ones := 0
	for _, i := range held {
		ones += int(task.Labels[i])
	}
	if len(train) != 170 || len(held) != 30 || ones != 3 { // 15 % of 180 and of 20
		t.Errorf("%d train, %d held out, %d of them 1", len(train), len(held), ones)
	}
	back := Task{Seed: 7, Name: "x", Samples: slices.Clone(task.Samples), Labels: slices.Clone(task.Labels)}
	slices.Reverse(back.Samples)
	slices.Reverse(back.Labels)
	_, again := back.HoldOut(HeldOut)
	for k := range held {
		if task.Samples[held[k]].ID != back.Samples[again[k]].ID {
			t.Fatal("who is held out depends on the order of the samples")
		}
	}
}
