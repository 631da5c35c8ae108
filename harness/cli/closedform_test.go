package cli

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"testing"

	"infnet/harness/result"
)

// The paper's analytic example, run as a study: β ~ U(0,1), ε = 1 − β, a master
// that never errs, ξ = 0.9. The formula gives θ* = 0.5528, and with it the share
// deferred and an error of 0.1.
func TestClosedFormStudy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	args := []string{"run", filepath.FromSlash("../../experiments/closed-form.toml"), "--quiet", "--limit", "1000",
		"--store", filepath.Join(dir, "answers"), "--out", filepath.Join(dir, "run")}
	if code := Run(context.Background(), args, nil, &out, &errs); code != ExitOK {
		t.Fatalf("exit %d: %s", code, &errs)
	}
	study := must(result.Read(filepath.Join(dir, "run", "results.json")))
	want := 1 - math.Sqrt(2*(1-0.9))
	d := study.Cascades[0].Datasets[0]
	var ours *result.Row
	for i := range d.Rows {
		if d.Rows[i].Policy == "single" {
			ours = &d.Rows[i]
		}
	}
	if ours == nil || len(d.Policies) == 0 {
		t.Fatal("the study has no row of ours")
	}
	// Standard errors: of θ at 100,000 records 0.0021 (by simulation), so at
	// the 800 that fit 0.0021·√(100000/800) = 0.023; of a share p at the 200
	// that test √(p(1−p)/200), to which the threshold's own error adds
	// (density 1 for the share deferred, 1 − θ* for the error).
	fit, test := 0.023, func(p, slope float64) float64 { return math.Hypot(math.Sqrt(p*(1-p)/200), slope*0.023) }
	for _, tt := range []struct {
		name          string
		got, want, se float64
	}{
		{name: "threshold", got: float64(d.Policies[0].Thresholds[0].Theta), want: want, se: fit},
		{name: "share deferred", got: ours.Deferred.Value, want: want, se: test(want, 1)},
		{name: "error", got: ours.Error.Value, want: 0.1, se: test(0.1, 1-want)},
		// Costs of 1 and 10: saved = 1 − (1 + 10·θ*)/10.
		{name: "cost saved in percent", got: ours.Saved.Value, want: 100 * (1 - (1+10*want)/10), se: 100 * test(want, 1)},
	} {
		if math.Abs(tt.got-tt.want) > 3*tt.se {
			t.Errorf("%s = %.4f, the formula says %.4f: more than three standard errors of %.4f apart", tt.name, tt.got,
				tt.want, tt.se)
		}
	}
}
