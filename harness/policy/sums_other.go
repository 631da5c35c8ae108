//go:build !amd64 || purego

package policy

func takeLess(cells, below []int64, d int64) { takeLessPortable(cells, below, d) }
