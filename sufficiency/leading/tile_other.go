//go:build !amd64 || purego

package leading

func tile(to []float64, stride int, factor float64, a, b []float64) {
	tilePortable(to, stride, factor, a, b)
}

func sweep(row, x, y []float64, factor float64) float64 { return sweepPortable(row, x, y, factor) }
