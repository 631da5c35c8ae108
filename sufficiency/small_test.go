package sufficiency

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/sufficiency/gbdt"
)

// Whatever the input, a row is finite or there is an error: small studies with
// ties, groups, constant columns, one class.
func TestNeverNaN(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(rt, "n")
		value := func(name string, most int) float64 { return float64(rapid.IntRange(0, most).Draw(rt, name)) }
		in := Input{Sets: []Set{{Name: "J", Columns: make([]Covariate, rapid.IntRange(1, 3).Draw(rt, "columns"))}}}
		for range n {
			in.Beta = append(in.Beta, value("beta", 4)/4)
			in.StudentErr = append(in.StudentErr, value("student", 2)/2)
			in.MasterErr = append(in.MasterErr, value("master", 1))
			in.Class = append(in.Class, rapid.IntRange(0, 2).Draw(rt, "class"))
			in.Groups = append(in.Groups, rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(rt, "group"))
			for c := range in.Sets[0].Columns {
				in.Sets[0].Columns[c].Values = append(in.Sets[0].Columns[c].Values, value("x", 5))
			}
		}
		o := Options{Seed: 1, Folds: 2, Permutations: 3, Alpha: .5, Resamples: 20,
			Learner: gbdt.Options{Trees: 3, Depth: 2},
			Method:  rapid.SampledFrom([]Method{PCM, Plain}).Draw(rt, "method")}
		res, err := Run(t.Context(), in, o, nil)
		if err != nil {
			if !strings.Contains(err.Error(), "fold") { // too few records or groups
				rt.Fatal(err)
			}
			return
		}
		for _, r := range res.Rows {
			if !finite(r) {
				rt.Fatalf("not finite: %+v", r)
			}
			if r.Value != nil && (r.Value.Saved.Value != r.Value.Saved.Value || r.Value.ErrorFull.Value > 1) {
				rt.Fatalf("value: %+v", r.Value)
			}
			if r.State == Tested && (r.P <= 0 || r.P > 1) {
				rt.Fatalf("p = %g", r.P)
			}
		}
	})
}
