package gbdt

import (
	"fmt"
	"testing"
)

// One fit of the size of the validity simulation and one of the quickstart's
// folds, as in a permutation: nothing is sorted or binned.
func BenchmarkSmallFit(b *testing.B) {
	for _, size := range []struct{ n, d, trees int }{{240, 3, 30}, {640, 30, 100}} {
		columns, y := benchData(size.n, size.d)
		for _, learner := range []SplitSearch{Exact, Hist} {
			b.Run(fmt.Sprintf("%s/n=%d/d=%d", learner, size.n, size.d), func(b *testing.B) {
				v := view(b, columns...)
				var f Fitter
				var m Model
				runs, before := 0, cpuSeconds(b)
				for b.Loop() {
					runs++
					if err := f.Fit(&m, v, y, nil, Options{Learner: learner, Trees: size.trees}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((cpuSeconds(b)-before)/float64(runs)*1e6, "cpu-µs/fit")
			})
		}
	}
}
