package analyze

import (
	"math"
	"slices"
	"testing"

	"infnet/harness/result"
)

// at prices the study by hand.
func at(prices string) string {
	return handTOML + "\n[policy]\nmulti = false\n" + prices + "\n"
}

func lossOf(t *testing.T, p *result.Price, policy string) *result.Loss {
	t.Helper()
	for i := range p.Rows {
		if p.Rows[i].Policy == policy {
			return &p.Rows[i]
		}
	}
	t.Fatalf("no loss of %q", policy)
	return nil
}

// By hand, from byHand and its costs: an answer of the student costs 9 and 11 in turn in the fit part, 20 and then 10
// in the test part, the master's ten times that. At 1,000 an error the fit part loses least, 2,490, where β < .80 is
// deferred (4,000 where nothing is, 3,000 where everything is; at .85 3,600, at .90 2,690). At 150 nothing pays.
func TestPricesByHand(t *testing.T) {
	for _, tc := range []struct {
		prices                     string
		theta                      float64
		none, all, priced, advised float64
		advice                     string
	}{
		{"error_cost = 1000", .80, 315, 350, 285, 285, "single-priced"},
		{"error_cost = 150", 0, 60, 180, 60, 60, "none"},
	} {
		_, d := analysed(t, handInput(t, load(t, at(tc.prices)), byHand, nil))
		p := d.Price
		if theta := float64(fittedPolicy(t, d, "single-priced").Thresholds[0].Theta); theta != tc.theta {
			t.Errorf("%s: θ = %v, want %v", tc.prices, theta, tc.theta)
		}
		for policy, want := range map[string]float64{"none": tc.none, "all": tc.all, "single-priced": tc.priced} {
			if got := lossOf(t, p, policy).Loss; math.Abs(got.Value-want) > 1e-9 || !(got.Low <= want && want <= got.High) {
				t.Errorf("%s: %s loses %+v, want %v", tc.prices, policy, got, want)
			}
		}
		if p.Advice != tc.advice || lossOf(t, p, p.Advice).Loss.Value != tc.advised {
			t.Errorf("%s: the advice is %s", tc.prices, p.Advice)
		}
		if p.Settled { // ten records are too few
			t.Errorf("%s: settled", tc.prices)
		}
		if x := rowNamed(t, d, "single-priced"); x.Error != *lossOf(t, p, "single-priced").Error {
			t.Errorf("the row errs %+v, its loss has %+v", x.Error, *lossOf(t, p, "single-priced").Error)
		}
	}
}

// Of policies that abstain: loss = cost + 1,000 · errors + 40 · missing answers, and the error is among the answered.
// By hand, where both β and the master's .9 (the same for all, so that dropping its answers drops all) are known: what
// is asked of the master costs 90 or more, so an abstention is cheaper.
func TestAbstainingByHand(t *testing.T) {
	_, d := analysed(t, handInput(t, load(t, at("error_cost = 1000\nabstain_cost = 40")), byHand, nil))
	x := lossOf(t, d.Price, "single-abstaining")
	// The fit part: .95 and .90 are right (three records), so answering from .90 on costs nothing and saves 40 each.
	if bar := x.Thresholds[0]; len(x.Thresholds) != 1 || bar.Low != bar.High || math.Abs(float64(bar.Low)-.9) > 1e-12 {
		t.Errorf("thresholds %+v, want .90 and .90", x.Thresholds)
	}
	// The test part: .90, .97, .90 and .96 are answered, one of them (record 16) wrong; costs 15 a query, 40 · .6.
	if x.Answered.Value != .4 || x.Error.Value != .25 || math.Abs(x.Loss.Value-(15+100+24)) > 1e-9 {
		t.Errorf("%+v: want .4 answered, an error of .25, and a loss of 139", x)
	}
	if none := lossOf(t, d.Price, "abstain"); none.Loss.Value != 40 || none.Error != nil || d.Price.Advice != "abstain" {
		t.Errorf("answering nothing: %+v; the advice is %s", none, d.Price.Advice)
	}
	// Alone: all the master's confidences are equal, and it answers or is silent as a whole; the student's bar is the
	// cascade's, which asks nobody else, so that both lose the same.
	alone, master := lossOf(t, d.Price, "none-abstaining"), lossOf(t, d.Price, "all-abstaining")
	if math.Abs(float64(*alone.Alone)-.9) > 1e-12 ||
		alone.Loss.Value != x.Loss.Value || alone.Error.Value != x.Error.Value {
		t.Errorf("the student alone: %+v, want as the cascade: %+v", alone, x)
	}
	if v := master.Answered.Value; v != 0 && v != 1 {
		t.Errorf("the master alone answers %v of the queries, want all or none", v)
	}
	if hasRow(d, "single-abstaining") {
		t.Error("the table of policies has a row without an answer for every query")
	}
}

func hasRow(d result.Dataset, name string) bool {
	return slices.ContainsFunc(d.Rows, func(r result.Row) bool { return r.Policy == name })
}

// Where an abstention costs 900, only record 10 of the fit part, which both models get wrong, is worth one: below .60.
// The test part has nothing below it, so all is as for the priced policy: by hand 85 a query, and two errors of ten.
func TestAbstainingAndDeferring(t *testing.T) {
	_, d := analysed(t, handInput(t, load(t, at("error_cost = 1000\nabstain_cost = 900")), byHand, nil))
	x := lossOf(t, d.Price, "single-abstaining")
	if bar := x.Thresholds[0]; math.Abs(float64(bar.Low)-.6) > 1e-12 || math.Abs(float64(bar.High)-.8) > 1e-12 {
		t.Errorf("thresholds %+v, want .60 and .80", x.Thresholds)
	}
	if x.Answered.Value != 1 || math.Abs(x.Cost.Value-85) > 1e-9 || math.Abs(x.Loss.Value-285) > 1e-9 {
		t.Errorf("%+v: want all answered at 85, and a loss of 285", x)
	}
}
