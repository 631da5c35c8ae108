//go:build amd64 && !purego

package gbdt

import "golang.org/x/sys/cpu"

// vectors says whether the machine has what the vector code uses. Both ways
// give the same bits.
var vectors = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ

func (k *look) scan(bins []int64, found *best) {
	if !vectors || len(bins) == 0 {
		k.scanPortable(bins, found)
		return
	}
	scanAVX512(&bins[0], len(bins)/lanes, &k.packing, &k.sides[0], k.mean, k.score, found)
}

func subtract(to, from, less []int64) {
	if !vectors || len(to) == 0 {
		subtractPortable(to, from, less)
		return
	}
	subtractAVX512(&to[0], &from[:len(to)][0], &less[:len(to)][0], len(to)/lanes)
}

//go:noescape
func scanAVX512(bins *int64, n int, p *packing, sides *side, mean, score float64, found *best)

//go:noescape
func subtractAVX512(to, from, less *int64, n int)
