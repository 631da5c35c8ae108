package gbdt

import (
	"fmt"
	"testing"
)

// One fit of 100 trees of depth 3 on 100 columns of J and β, from columns in
// memory, as the rows grow: the exponent of the time in the rows is the slope
// on logarithmic axes. testdata/peers.py times the other programs on the same
// data (peers.py REPEATS ROWSxDIMENSIONS ...).
func BenchmarkRows(b *testing.B) {
	for _, n := range []int{6_400, 64_000, 640_000, 2_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			columns, y := benchData(n, 100)
			var m Model
			runs, before := 0, cpuSeconds(b)
			for b.Loop() {
				features, err := NewFeatures(n, columns)
				if err != nil {
					b.Fatal(err)
				}
				var f Fitter
				if err := f.Fit(&m, features.View(), y, nil, Options{}); err != nil {
					b.Fatal(err)
				}
				runs++
			}
			b.ReportMetric((cpuSeconds(b)-before)/float64(runs), "cpu-s/fit")
			b.ReportMetric(trainingMSE(&m, columns, y), "training-mse")
		})
	}
}
