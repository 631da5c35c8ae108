package split_test

import (
	"fmt"

	"infnet/harness/split"
)

func ExampleSplit() {
	items := make([]split.Item, 10)
	for i := range items {
		items[i] = split.Item{ID: fmt.Sprint("r", i), Class: i % 2}
	}
	parts, err := split.Split(split.Options{Name: "demo", Fit: 0.8, Order: split.InFile}, items)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(parts.Fit, parts.Test)
	fmt.Println(parts.Graph.Roles[1].Name, parts.Graph.Roles[1].IDs)
	// Output:
	// [0 1 2 3 4 5 6 7] [8 9]
	// test [r8 r9]
}
