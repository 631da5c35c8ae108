//go:build !amd64 || purego

package gbdt

func (k *look) scan(bins []int64, found *best) { k.scanPortable(bins, found) }

func subtract(to, from, less []int64) { subtractPortable(to, from, less) }
