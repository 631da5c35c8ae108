//go:build amd64 && !purego

package infer

import "golang.org/x/sys/cpu"

// tileColumns is how many columns one pass over two rows takes.
const tileColumns = 6

// fast says whether this machine can run sums_amd64.s, whose results have the
// bits of addRow.
var fast = cpu.X86.HasAVX2

// addTile adds tileColumns columns to the lanes of all rows, two rows at a time.
func addTile(acc []float64, width int, rows []uint8, n int, x [][]float64, lo, hi int) {
	var from [tileColumns]*float64
	for c := range from {
		from[c] = &x[c][lo:hi][0]
	}
	k := len(rows) / n
	r := 0
	for ; r+2 <= k; r += 2 {
		tileAVX2(&acc[r*width : r*width+tileColumns*lanes][0], &acc[(r+1)*width : (r+1)*width+tileColumns*lanes][0],
			&rows[r*n+lo : r*n+hi][0], &rows[(r+1)*n+lo : (r+1)*n+hi][0], &from, hi-lo)
	}
	for ; r < k; r++ {
		for c := range from {
			addRow((*[lanes]float64)(acc[r*width+c*lanes:]), rows[r*n+lo:r*n+hi], x[c][lo:hi])
		}
	}
}

// addColumn adds one column to the lanes of four rows.
func addColumn(acc []float64, width int, rows []uint8, n int, x []float64) {
	_, _ = acc[3*width+lanes-1], rows[3*n+len(x)-1]
	columnAVX2(&acc[0], width, &rows[0], n, &x[0], len(x))
}

// tileAVX2 adds n counts of two rows, a multiple of four, times six columns to
// the lanes of each row.
//
//go:noescape
func tileAVX2(accA, accB *float64, a, b *uint8, x *[tileColumns]*float64, n int)

// columnAVX2 adds n counts, a multiple of four, of four rows that are stride
// apart, times one column, to lanes that are width apart.
//
//go:noescape
func columnAVX2(acc *float64, width int, rows *uint8, stride int, x *float64, n int)
