package gbdt_test

import (
	"fmt"

	"infnet/sufficiency/gbdt"
)

func ExampleFit() {
	// Two columns, eight records; the target is 1 where the first exceeds 4.
	columns := [][]float64{{1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 0, 1, 0, 1, 0, 1}}
	y := []float64{0, 0, 0, 0, 1, 1, 1, 1}
	table, err := gbdt.NewFeatures(8, columns)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := gbdt.Fit(table.View(), y, nil, gbdt.Options{Trees: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	pred := make([]float64, 8)
	m.Predict(pred, table.View(), nil)
	root := m.Tree(0)[0]
	fmt.Printf("column %d at %g\n", root.Feature, root.Threshold)
	fmt.Printf("%.3f %.3f\n", pred[0], pred[7])
	// Output:
	// column 0 at 4.5
	// 0.003 0.997
}
