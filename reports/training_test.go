package reports

import (
	"math"
	"strings"
	"testing"

	"infnet/harness/result"
)

// The table of the data says in words what a learned policy took to train: 2.5e9 operations are 0.0025 TFLOPs, and
// queries are rounded up; Markdown escapes brackets. Ours, which learns nothing, has no such words.
func TestTraining(t *testing.T) {
	inf := result.Float(math.Inf(1))
	const stem, beyond = "fit part. Trained on the fit part, whose 800 records need both models' graded answers, in ",
		"0.0025 TFLOPs; queries after which what it saves beyond Ours, at the latter's error on the fit part, has paid " +
			"for these: "
	flops := new(2.5e9)
	for _, c := range []struct {
		of   result.Training
		want string
	}{
		{result.Training{Records: 800}, "operations that are not counted."},
		{result.Training{Records: 800, FLOPs: flops}, "0.0025 TFLOPs."},
		{result.Training{Records: 800, FLOPs: flops, PaidAfter: &result.Estimate{Value: 819.2, Low: 410, High: inf}},
			beyond + "820 \\[410, never\\]."},
		{result.Training{Records: 800, FLOPs: flops, PaidAfter: &result.Estimate{Value: inf, Low: inf, High: inf}},
			beyond + "never."},
		{result.Training{Records: 800, FLOPs: flops, PaidAfter: &result.Estimate{High: inf}},
			beyond + "at once \\[at once, never\\]."},
	} {
		s := &result.Results{Name: "by hand", Level: 0.95, Cascades: []result.Cascade{{Name: "small+large",
			Models: []string{"small", "large"}, Datasets: []result.Dataset{{Name: "reviews", Rows: []result.Row{
				{Policy: "router", Title: "Router", Baseline: true, Training: &c.of,
					Notes: []result.Note{{Kind: "learned", Text: "Learned on the fit part."}}},
				{Policy: "single", Title: "Ours", Training: &c.of, Notes: []result.Note{{Kind: "certified", Text: "Sure."}}},
			}}}}}}
		md, _ := written(t, data(s))
		if want := stem + c.want + "\n"; !strings.Contains(md, want) || strings.Count(md, "Trained on") != 1 {
			t.Errorf("no %q, once, in\n%s", want, md)
		}
	}
}
