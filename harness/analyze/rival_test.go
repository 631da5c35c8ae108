package analyze

import (
	"slices"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/harness/result/note"
)

// The study by hand: the master errs twice on the fit part, as the single threshold does, so that the master alone
// is the rival. At a tenth of the master's price the cascade is cheaper; at twice its price the row says that it is
// not, and below which ratio it would be: 1 less the share that the test part defers.
func TestRowsNameABestSingleModel(t *testing.T) {
	for _, tt := range []struct {
		name, student string
		ratio         float64
		verdict       string
	}{
		{name: "a cheap student", student: "price_in  = 1_000_000\nprice_out = 2_000_000", ratio: .1, verdict: "cheaper"},
		{name: "a student above its master", student: "price_in  = 20_000_000\nprice_out = 40_000_000", ratio: 2,
			verdict: "costlier"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(handTOML, "price_in  = 1_000_000\nprice_out = 2_000_000", tt.student, 1)
			if !strings.Contains(text, tt.student) {
				t.Fatal("the study has other prices")
			}
			_, d := analysed(t, handInput(t, load(t, text), byHand, nil))
			row := rowNamed(t, d, Single)
			v := row.Rival
			if v == nil || v.First != "master" || v.P != 0 || v.Verdict != tt.verdict {
				t.Fatalf("rival %+v, want the master alone, %s", v, tt.verdict)
			}
			near(t, "price ratio", v.Ratio, tt.ratio)
			near(t, "break-even", v.BreakEven.Value, 1-row.Deferred.Value)
			near(t, "cost share", v.Cost.Value, tt.ratio+row.Deferred.Value)
			noted := slices.ContainsFunc(row.Notes, func(n result.Note) bool { return n.Kind == note.Rival{}.Kind() })
			if noted != (tt.verdict == "costlier") {
				t.Errorf("note: %v", noted)
			}
			if none := rowNamed(t, d, "none"); none.Rival != nil {
				t.Errorf("the student alone has the rival %+v", none.Rival)
			}
		})
	}
}

// Every row of a policy has a rival, whatever made it; only a model alone has none. The rival errs no more on the fit
// part than the row's decisions there, counted here from its lines, and no single model that errs so rarely costs less.
func TestEveryPolicyHasARival(t *testing.T) {
	head := `
[policy]
compare = ["lagrangian", "randomised", "generalised"]
ensembles = ["majority", "confidence-weighted"]
guarantee = { delta = 0.2, margin = 0.05 }
[[baselines]]
kind = "random"
rng = "numpy:3"
`
	const few = "\n[policy]\nensembles = [\"majority\"]\n"
	for _, tt := range []struct {
		name  string
		in    func() Input
		least int // policies with a rival
	}{
		{"a pair", func() Input { return drawn(t, load(t, taughtTOML(classify, both+head)), 240, texts) }, 12},
		{"a chain", func() Input {
			return drawn(t, load(t, drawnChain("split = { fit = 0.75 }", classify)+few), 240, texts)
		}, 7},
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
				checkRival(t, a, x)
			}
			if found < tt.least {
				t.Errorf("%d rows with a rival, want %d: %v", found, tt.least, d.Rows)
			}
		})
	}
}

// checkRival counts the errors of a row's decisions on the fit part, where it has some.
func checkRival(t *testing.T, a *Analysed, x row) {
	t.Helper()
	if x.decisions == nil || x.Rival.Verdict == "unrivaled" {
		return
	}
	names, most, complete := a.Cascade.Models, 0.0, true
	errs := map[string]float64{}
	for _, i := range a.Fit {
		for m, name := range names {
			errs[name] += a.Models[m].Errs[i]
		}
		made, final := x.decisions.made[i], 0
		if made == defers {
			final = a.Last()
		}
		if x.decisions.way != nil {
			final = x.decisions.ways[x.decisions.way[i]].final
		}
		complete = complete && made != undecided
		most += a.Models[final].Errs[i]
	}
	if !complete {
		return // decided on the test part alone
	}
	v := x.Rival
	costs := map[string]float64{}
	for m, c := range a.Summaries() {
		costs[names[m]] = c
	}
	theirs := (1-v.P)*costs[v.First] + v.P*costs[v.Second]
	if got := (1-v.P)*errs[v.First] + v.P*errs[v.Second]; got > most+1e-9 {
		t.Errorf("%s errs %v times on the fit part, its rival %v times", x.Policy, most, got)
	}
	for _, name := range names {
		if errs[name] <= most && costs[name] < theirs-1e-12 {
			t.Errorf("%s: %s alone errs %v times, no more than %v, and costs %v, less than %v", x.Policy, name, errs[name],
				most, costs[name], theirs)
		}
	}
}
