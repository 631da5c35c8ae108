//go:build !amd64 || purego

package gbdt

func scanBins(bins []int64, p packing, sides []side, _, score float64, found *best) {
	scanPortable(bins, p, sides, score, found)
}

func subtract(to, from, less []int64) { subtractPortable(to, from, less) }
