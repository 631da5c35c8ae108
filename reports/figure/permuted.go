package figure

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/sufficiency"
)

// permutations are the distributions of the permutation test's statistic over
// the shuffles, with what was observed: one panel for each extra information
// and null.
func permutations(v *view) (Figure, bool) {
	if v.data.Sufficiency == nil {
		return Figure{}, false
	}
	f := Figure{Kind: "permutations"}
	for i := range v.data.Sufficiency.Rows {
		r := &v.data.Sufficiency.Rows[i]
		if r.State != sufficiency.Tested || r.Permutation == nil || len(r.Permutation.Test.Statistics) < 2 {
			continue
		}
		test := &r.Permutation.Test
		p := Panel{
			Title: fmt.Sprintf("%s beside %s", brief(r.Set), r.Null),
			X:     Axis{Label: "ΔMSE"},
		}
		low, high, counts := histogram(test.Statistics)
		p.Layers = []Layer{
			{Kind: Bars, Look: Look{Colour: "sky", Shade: 0.7}, Legend: "shuffled", Low: low, High: high, Y: counts},
			{Kind: Down, Look: Look{Colour: "vermilion", Weight: 1.4}, Legend: "observed", X: []float64{test.Observed}},
		}
		left, right := extent(0.05, low, high, []float64{test.Observed})
		p.X.Min, p.X.Max = left, right
		p.X.Ticks = round(left, right, 3)
		_, top := extent(0, counts)
		p.Y = Axis{Min: 0, Max: 1.1 * top}
		p.Title += "\np " + pValue(test.P)
		f.Panels = append(f.Panels, p)
	}
	if len(f.Panels) == 0 {
		return Figure{}, false
	}
	f.Columns = min(len(f.Panels), 2)
	for i := 0; i < len(f.Panels); i += f.Columns {
		f.Panels[i].Y.Label = "shuffles"
	}
	f.Caption = "the sufficiency test: decrease of the squared error by extra information J whose rows are shuffled, " +
		"and as observed (fit part)."
	return f, true
}

// pValue prints a p-value with its first digits.
func pValue(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("= %.3f", p)
}

// histogram counts values in bins of equal width, their number by the rule of
// Freedman and Diaconis (1981), between 5 and 40.
func histogram(values []float64) (low, high, counts []float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	first, last := sorted[0], sorted[n-1]
	if first == last {
		return []float64{first - math.Abs(first)/100 - 1e-12}, []float64{first + math.Abs(first)/100 + 1e-12},
			[]float64{float64(n)}
	}
	width := 2 * (sorted[3*n/4] - sorted[n/4]) / calc.Cbrt(float64(n))
	bins := 5
	if width > 0 {
		bins = int(min(max(math.Ceil((last-first)/width), 5), 40))
	}
	counts = make([]float64, bins)
	for _, x := range sorted {
		counts[min(int(float64(bins)*(x-first)/(last-first)), bins-1)]++
	}
	for i := range bins {
		low = append(low, first+(last-first)*float64(i)/float64(bins))
		high = append(high, first+(last-first)*float64(i+1)/float64(bins))
	}
	return low, high, counts
}
