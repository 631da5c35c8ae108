package analyze

import (
	"slices"
	"testing"
)

// Every row of a policy has a rival, whatever made it; only a model alone has none. The rival errs at most the margin
// more on the test part, counted here from the row's decisions, and no single model that errs so rarely costs less.
func TestEveryPolicyHasARival(t *testing.T) {
	t.Parallel()
	head := `
[policy]
compare = ["lagrangian", "randomised", "generalised"]
guarantee = { delta = 0.2, margin = 0.05 }
[[baselines]]
kind = "random"
rng = "numpy:3"
[report]
margin = 0.03
`
	for _, tt := range []struct {
		name   string
		in     func() Input
		least  int // policies with a rival
		margin float64
	}{
		{"a pair", func() Input { return drawn(t, load(t, taughtTOML(classify, both+head)), 120, texts) }, 11, .03},
		{"a chain", func() Input {
			return drawn(t, load(t, drawnChain("split = { fit = 0.75 }", classify)), 120, texts)
		}, 6, .02},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, d := analysed(t, tt.in())
			a, found := out.Datasets[0], 0
			for _, x := range a.rows {
				if alone := slices.Contains([]string{"none", "all", "only-2"}, x.Policy); alone != (x.Rival == nil) {
					t.Errorf("%s has the rival %+v", x.Policy, x.Rival)
				}
				if x.Rival == nil {
					continue
				}
				found++
				if x.Rival.Margin != tt.margin {
					t.Errorf("%s has the margin %v", x.Policy, x.Rival.Margin)
				}
				checkRival(t, a, x)
			}
			if found < tt.least {
				t.Errorf("%d rows with a rival, want %d: %v", found, tt.least, d.Rows)
			}
		})
	}
}

// checkRival counts errors and costs on the test part.
func checkRival(t *testing.T, a *Analysed, x row) {
	t.Helper()
	if x.places == nil {
		return
	}
	names, n, most := a.Records.Cascade.Models, float64(len(a.Records.Test)), 0.0
	errs, costs := map[string]float64{}, map[string]float64{}
	for _, i := range a.Records.Test {
		for m, name := range names {
			errs[name] += a.Records.Models[m].Errs[i] / n
			costs[name] += a.Records.Models[m].Costs[i] / n
		}
		final := x.plan.models[x.places[i]-1]
		most += a.Records.Models[final].Errs[i] / n
	}
	v := x.Rival
	near(t, x.Policy+": error above "+v.Than, v.Error.Value, most-errs[v.Than])
	theirs := (1-v.P)*costs[v.First] + v.P*costs[v.Second]
	if most += v.Margin; (1-v.P)*errs[v.First]+v.P*errs[v.Second] > most+1e-9 && v.First != v.Than {
		t.Errorf("%s may err at %v, its rival errs at %v", x.Policy, most, (1-v.P)*errs[v.First]+v.P*errs[v.Second])
	}
	for _, name := range names {
		if errs[name] < errs[v.Than]-1e-12 {
			t.Errorf("%s: %s errs less than %s", x.Policy, name, v.Than)
		}
		if errs[name] <= most && costs[name] < theirs-1e-12 {
			t.Errorf("%s: %s alone errs at %v, no more than %v, and costs %v, less than %v", x.Policy, name, errs[name],
				most, costs[name], theirs)
		}
	}
}
