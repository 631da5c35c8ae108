//go:build !amd64 || purego

package infer

const (
	tileColumns = 1
	fast        = false
)

func addTile([]float64, int, []uint8, int, [][]float64, int, int) {
	panic("infer: no tiles on this machine")
}

func addColumn([]float64, int, []uint8, int, []float64) { panic("infer: no tiles on this machine") }
