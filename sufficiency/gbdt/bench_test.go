package gbdt

import (
	"fmt"
	"syscall"
	"testing"
)

// splitmix is the i-th output of splitmix64 from 0, as a number in [0,1):
// testdata/peers.py draws the same data.
func splitmix(i uint64) float64 {
	z := (i + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) * 0x1p-53
}

// benchData is β and d columns of J on n records, and Δ: one in −1, 0, 1 that
// depends on β and on two columns of J.
func benchData(n, d int) (columns [][]float64, y []float64) {
	columns, y = make([][]float64, d+1), make([]float64, n)
	next := uint64(0)
	draw := func() float64 { next++; return splitmix(next - 1) }
	for c := range columns {
		columns[c] = make([]float64, n)
		for i := range n {
			columns[c][i] = draw()
			if c > 0 {
				columns[c][i] += draw() + draw() - 1.5
			}
		}
	}
	for i := range n {
		p := 0.6*(1-columns[0][i]) + 0.2*columns[1][i]
		if columns[2][i] > 0.5 {
			p += 0.2
		}
		switch u := draw(); {
		case u < p:
			y[i] = 1
		case u > 0.95:
			y[i] = -1
		}
	}
	return columns, y
}

func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// One fit of 100 trees of depth 3 on 6,400 records, from columns already in
// memory; "prepared" leaves out binning, as a permutation does.
// cpu-s/fit is processor time, which other work on the machine blurs less.
// testdata/peers.py times scikit-learn, XGBoost and LightGBM on the same data.
func BenchmarkFit(b *testing.B) {
	for _, d := range []int{100, 768} {
		columns, y := benchData(6400, d)
		for _, prepared := range []bool{false, true} {
			b.Run(fmt.Sprintf("d=%d/prepared=%v", d, prepared), func(b *testing.B) {
				v := view(b, columns...)
				var f Fitter
				var m Model
				if prepared {
					if err := f.Fit(&m, v, y, nil, Options{Trees: 1}); err != nil {
						b.Fatal(err)
					}
				}
				runs, before := 0, cpuSeconds(b)
				for b.Loop() {
					if !prepared {
						v = view(b, columns...)
					}
					if err := f.Fit(&m, v, y, nil, Options{}); err != nil {
						b.Fatal(err)
					}
					runs++
				}
				b.ReportMetric((cpuSeconds(b)-before)/float64(runs), "cpu-s/fit")
				b.ReportMetric(trainingMSE(&m, columns, y), "training-mse")
			})
		}
	}
}

// trainingMSE is the model's mean squared error on the data it was fitted to.
func trainingMSE(m *Model, columns [][]float64, y []float64) float64 {
	features, err := NewFeatures(len(y), columns)
	if err != nil {
		panic(err)
	}
	pred, sum := make([]float64, len(y)), 0.0
	m.Predict(pred, features.View(), nil)
	for i, p := range pred {
		sum += (y[i] - p) * (y[i] - p)
	}
	return sum / float64(len(y))
}
