//go:build amd64 && !purego

package leading

import "golang.org/x/sys/cpu"

// tile is tilePortable, with the same bits.
func tile(to []float64, stride int, factor float64, a, b []float64) {
	if !cpu.X86.HasAVX2 || len(a) == 0 || len(a) != len(b) {
		tilePortable(to, stride, factor, a, b)
		return
	}
	_ = to[(panel-1)*stride+panel-1]
	h := half{&to[0], 8 * stride, factor, len(a) / panel}
	tileAVX2(&h, &a[0], &b[0])
	h.to = &to[panel/2*stride]
	tileAVX2(&h, &a[panel/2], &b[0])
}

// half is where and how half a tile is added.
type half struct {
	to     *float64
	bytes  int // from row to row
	factor float64
	rows   int
}

// tileAVX2 is half a tile: four numbers of a row of a, eight of a row of b.
//
//go:noescape
func tileAVX2(h *half, a, b *float64)

// sweep is sweepPortable, with the same bits.
func sweep(row, x, y []float64, factor float64) float64 {
	whole := len(row) &^ 7
	if !cpu.X86.HasAVX2 || whole == 0 {
		return sweepPortable(row, x, y, factor)
	}
	_, _ = x[len(row)-1], y[len(row)-1]
	var sums [8]float64
	sweepAVX2(&sums, &row[0], &x[0], &y[0], factor, whole/8)
	return folded(&sums) + rest(row[whole:], x[whole:], y[whole:], factor)
}

//go:noescape
func sweepAVX2(sums *[8]float64, row, x, y *float64, factor float64, eights int)
