package figure

import (
	"path/filepath"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/metrics/infer"
)

// varied is a grid and a transfer by hand.
func varied() *result.Results {
	at := func(v, by float64) infer.Interval { return infer.Interval{Value: v, Low: v - by, High: v + by} }
	came := func(policy string, err, saved float64, kept result.Kept) result.Realised {
		return result.Realised{Policy: policy, Title: "Ours (" + policy + ")", Error: at(err, 0.02), Allowed: 0.1,
			Excess: at(err-0.1, 0.02), Budget: kept, Saved: at(saved, 5), Deferred: 0.3}
	}
	var records, seeds []result.Point
	for _, policy := range []string{"single", "multi-guarantee"} {
		for i := range 3 {
			p := result.Point{Cascade: "small+large", Dataset: "reviews", Value: []string{"25", "100", "400"}[i],
				Realised: came(policy, 0.15-0.02*float64(i), 20+10*float64(i), result.BudgetOpen)}
			records = append(records, p)
			p.Value = []string{"1", "2", result.OverSeeds}[i]
			seeds = append(seeds, p)
		}
	}
	x := result.Transferred{By: "lang", Cascade: "small+large", Dataset: "reviews",
		Domains: []result.Domain{{Name: "de"}, {Name: "français"}}}
	for i, kept := range []result.Kept{result.BudgetKept, result.BudgetBroken, result.BudgetOpen, result.BudgetKept} {
		x.Cells = append(x.Cells, result.Cell{FittedOn: x.Domains[i/2].Name, UsedOn: x.Domains[i%2].Name,
			Realised: came("single", 0.1+0.03*float64(i%2), -0.2+20*float64(i), kept)})
	}
	return &result.Results{Name: "varied", Level: 0.95, Style: style.Style{Figures: []style.Format{style.SVG}},
		Grid: []result.Varied{{Axis: "fit_records", Points: records},
			{Axis: "seed", Points: seeds}},
		Transfer: []result.Transferred{x}}
}

// What is drawn of a grid and of a transfer, to the byte, without being asked for.
func TestGridGolden(t *testing.T) {
	files := write(t, varied())
	for _, name := range []string{"grid-fit-records", "grid-seed", "reviews/transfer"} {
		got := files[name+".svg"]
		if len(got) == 0 {
			t.Errorf("no %s among %d files", name, len(files))
			continue
		}
		if strings.Contains(string(got), "NaN") || strings.Contains(string(got), ">-0 %") {
			t.Errorf("%s has a number that is none", name)
		}
		golden(t, filepath.Base(name)+".svg", got)
	}
}
