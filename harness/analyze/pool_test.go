package analyze

import (
	"math"
	"strings"
	"testing"

	"infnet/harness/result"
)

// The pool of the study by hand: alone its models err and cost what the chain's rows of single models do, what was
// chosen does not depend on the test part, and no cascade of the envelope errs more than its points say.
func TestPoolOfTheStudyByHand(t *testing.T) {
	t.Parallel()
	out := func(omit func(string, int) string) (*result.PoolDataset, result.Dataset) {
		in := chainInput(t, "\n[[pools]]\nname = \"three\"\nmodels = [\"student\", \"middle\", \"master\"]\n", omit)
		found, err := Run(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Result.Pools) != 1 || found.Result.Pools[0].Name != "three" {
			t.Fatalf("pools %+v", found.Result.Pools)
		}
		return &found.Result.Pools[0].Datasets[0], found.Result.Cascades[0].Datasets[0]
	}
	p, d := out(nil)
	for m, row := range []string{"none", "only-2", "all"} {
		near(t, row+", error", p.Models[m].Error.Value, rowNamed(t, d, row).Error.Value)
	}
	near(t, "the student's mean cost on the fit part", p.Models[0].Fit.Cost, 10)
	near(t, "the master's", p.Models[2].Fit.Cost, 100)
	if len(p.Pairs) != 6 {
		t.Errorf("%d pairs of three models, want 6", len(p.Pairs))
	}
	first, last := p.Envelope[0], p.Envelope[len(p.Envelope)-1]
	if first.Kind != "single" || first.Models[0] != "student" || first.Price.From != 0 ||
		!math.IsInf(float64(last.Price.To), 1) {
		t.Errorf("the envelope goes from %+v to %+v, want it from the student alone to any price", first, last)
	}
	for k := 1; k < len(p.Envelope); k++ {
		a, b := p.Envelope[k-1], p.Envelope[k]
		if b.Fit.Error >= a.Fit.Error || b.Fit.Cost <= a.Fit.Cost || a.Price.To != b.Price.From ||
			a.Price.To <= a.Price.From {
			t.Errorf("choices %d and %d of the envelope: %+v, %+v", k-1, k, a, b)
		}
	}
	for _, s := range p.Savings {
		if s.Cascade == nil {
			continue
		}
		sum := s.Signal.Value + s.Structure.Value + s.Choice.Value
		if s.Signal.Value < -1e-9 || s.Structure.Value < -1e-9 || s.Choice.Value < -1e-9 || sum > s.Cascade.Cost.Value+1e-9 {
			t.Errorf("loss of %v: %+v, %+v, %+v of a cost of %v", s.Cascade.Models, s.Signal, s.Structure, s.Choice,
				s.Cascade.Cost.Value)
		}
	}
	// Without a record of the test part what was chosen is the same.
	less, _ := out(func(model string, record int) string {
		if model == "middle" && record == 13 {
			return "timeout"
		}
		return ""
	})
	if less.Counts.Test != p.Counts.Test-1 {
		t.Fatalf("%d and %d test records", p.Counts.Test, less.Counts.Test)
	}
	for k, c := range less.Envelope {
		if c.Fit != p.Envelope[k].Fit || strings.Join(c.Models, "+") != strings.Join(p.Envelope[k].Models, "+") {
			t.Errorf("choice %d depends on the test part: %+v, %+v", k, c, p.Envelope[k])
		}
	}
}
