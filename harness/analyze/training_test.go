package analyze

import (
	"math"
	"slices"
	"testing"

	"infnet/harness/baseline"
	"infnet/harness/cost"
	"infnet/harness/result"
	"infnet/metrics/infer"
)

// By hand: 120 spent, and ½, at least 0 and at most 1 saved by a query.
func TestPaidAfter(t *testing.T) {
	got := paidAfter(120, infer.Interval{Value: 0.5, Low: 0, High: 1, Level: 0.9, N: 7, Method: "bootstrap"})
	if *got != (result.Estimate{Value: 240, Low: 120, High: result.Float(math.Inf(1)), Level: 0.9, N: 7,
		Method: "bootstrap"}) {
		t.Errorf("%+v", got)
	}
	// A rival of two models: a quarter of 8 and three quarters of 4 are 5, of which ours saves 20 %: 1 per query.
	rival := &result.Rival{First: "m", Second: "s", P: 0.75, Saved: infer.Interval{Value: 0.2, Low: 0.1, High: 0.4}}
	if got := paidAgainstRival(rival, []string{"s", "m"}, []float64{4, 8}, 120); math.Abs(float64(got.Value)-120) > 1e-9 ||
		math.Abs(float64(got.Low)-60) > 1e-9 || math.Abs(float64(got.High)-240) > 1e-9 {
		t.Errorf("%+v", got)
	}
	if rival.Single = "m"; paidAgainstRival(rival, []string{"s", "m"}, []float64{4, 8}, 120) != nil {
		t.Error("a policy that is a single model pays for nothing")
	}
}

// Shuffled deferrals err as a coin of their share between the two models does. What is needed before the first query
// is counted again from the records, and when it has paid for itself from the matched curves.
func TestTrainingAndShuffles(t *testing.T) {
	t.Parallel()
	in := drawn(t, load(t, taughtTOML(classify, both)), 80, texts)
	out, d := analysed(t, in)
	for _, x := range d.Rows { // costs are of tokens, and operations have no price
		if x.Training != nil && x.Baseline && (x.Training.Cost != 0 || x.Training.PaidAfter != nil) {
			t.Errorf("%s: %v spent", x.Policy, x.Training.Cost)
		}
	}
	out.Datasets[0].Records.Study.Cost.Model = cost.TFLOPs // as if the unit were 10¹² operations
	out.Datasets[0].train()
	r := out.Datasets[0].Records
	none, all := rowNamed(t, d, "none").Error.Value, rowNamed(t, d, "all").Error.Value
	seen := 0
	for _, x := range d.Rows {
		known, is := baseline.OfRow(x.Policy)
		fitted := is && known.Learns != nil || slices.Contains([]string{Single, Multi}, x.Policy)
		if (x.OverShuffle != nil) != fitted || (x.Training != nil) != fitted {
			t.Errorf("%s: over its shuffle %v, training %v", x.Policy, x.OverShuffle, x.Training)
		}
		if !fitted {
			continue
		}
		seen++
		share := x.Deferred.Value
		near(t, x.Policy+" over its shuffle", x.OverShuffle.Value, (1-share)*none+share*all-x.Error.Value)
		tr := x.Training
		if tr.Records != len(r.Fit) || tr.FLOPs == nil || (*tr.FLOPs > 0) != is {
			t.Errorf("%s: %+v", x.Policy, tr)
		}
		if !is {
			near(t, x.Policy+" spent", tr.Cost, float64(len(r.Fit))*(r.Student().Cost.Summary+r.Master().Cost.Summary))
			continue
		}
		near(t, x.Policy+" spent", tr.Cost, *tr.FLOPs/1e12)
		for _, m := range d.Matched {
			if m.Ours != Multi || m.Baseline != x.Policy {
				continue
			}
			more := -m.Error.Fitted.DiffSaved.Value / 100 * r.Master().Cost.Summary
			if math.IsInf(float64(tr.PaidAfter.Value), 1) != (more <= 0) ||
				more > 0 && math.Abs(float64(tr.PaidAfter.Value)*more-tr.Cost) > 1e-9*tr.Cost {
				t.Errorf("%s: %v saved of each query, %v spent, paid after %+v", x.Policy, more, tr.Cost, tr.PaidAfter)
			}
		}
	}
	if seen != 4 {
		t.Errorf("%d rows were fitted, want two learners and two of ours", seen)
	}
}
