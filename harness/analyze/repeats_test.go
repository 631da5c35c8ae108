package analyze

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/result"
)

// shuffled is the study by hand on k shuffled splits.
func shuffled(k string) string {
	return strings.Replace(handTOML, `order = "file" }`, `repeats = `+k+` }`, 1) +
		"\n[policy]\ncalibration = \"isotonic\"\ncompare = [\"lagrangian\", \"randomised\"]\n"
}

// The first split of several is the one there would be without repeats, and a
// further one changes none before it. Mean and deviation by their definition.
func TestRepeats(t *testing.T) {
	_, alone := analysed(t, handInput(t, load(t, shuffled("1")), byHand, nil))
	_, two := analysed(t, handInput(t, load(t, shuffled("2")), byHand, nil))
	_, four := analysed(t, handInput(t, load(t, shuffled("4")), byHand, nil))
	if alone.Repeats != nil || two.Repeats == nil || four.Repeats.Count != 4 {
		t.Fatalf("repeats: %+v of 1, %+v of 2, %+v of 4", alone.Repeats, two.Repeats, four.Repeats)
	}
	over := four.Repeats
	four.Repeats = nil
	if diff := cmp.Diff(encoded(t, alone), encoded(t, four)); diff != "" {
		t.Errorf("repeats change the first split (-1 +4)\n%s", diff)
	}
	if s := slices.Compact(slices.Sorted(slices.Values(over.Splits))); len(s) != 4 || over.Splits[0] != alone.Split.Hash {
		t.Errorf("splits %v, the first of them %s", over.Splits, alone.Split.Hash)
	}
	if len(over.Rows) != len(alone.Rows) {
		t.Fatalf("%d rows over the splits, %d of the first", len(over.Rows), len(alone.Rows))
	}
	for k, r := range over.Rows {
		if r.Policy != alone.Rows[k].Policy || r.Title != alone.Rows[k].Title {
			t.Errorf("row %d is %s, want %s", k, r.Policy, alone.Rows[k].Policy)
		}
		near(t, r.Policy+" saved on the first split", r.Saved.Values[0], alone.Rows[k].Saved.Value)
		near(t, r.Policy+" error on the first split", r.Error.Values[0], alone.Rows[k].Error.Value)
		near(t, r.Policy+" accuracy on the first split", r.Metrics["accuracy"].Values[0],
			alone.Rows[k].Metrics["accuracy"].Value)
		near(t, r.Policy+" saved on the second", r.Saved.Values[1], two.Repeats.Rows[k].Saved.Values[1])
		for _, s := range []result.Spread{r.Saved, r.Error, r.Deferred, r.SavedPerQuery, r.Metrics["accuracy"],
			r.Metrics["f1-macro"]} {
			var sum, square float64
			for _, v := range s.Values {
				sum += v
			}
			for _, v := range s.Values {
				square += (v - sum/4) * (v - sum/4)
			}
			near(t, r.Policy+" mean", s.Mean, sum/4)
			near(t, r.Policy+" sd", s.SD, math.Sqrt(square/3))
		}
	}
	// The splits differ, and so does what is measured on them.
	if !slices.ContainsFunc(over.Rows, func(r result.Repeated) bool { return r.Error.SD > 0 }) {
		t.Error("no row's error differs between the splits")
	}
}
