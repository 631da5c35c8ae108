package spec

import (
	"fmt"

	"infnet/harness/cost"
)

// checkCost reads the prices that [cost] names.
func checkCost(f *file, c Cost) Cost {
	if c.PricesPath != nil {
		c.Prices = readPrices(f, *c.PricesPath)
	}
	return c
}

// checkPadding refuses batches where no work is counted.
func checkPadding(f *file, key string, c Cost) {
	if c.Padding > 0 && c.Model != cost.TFLOPs {
		f.wrong(key, fmt.Sprintf("padding is of the network's work, and cost.model is %q", c.Model),
			"leave it out, or set cost.model = \"tflops\"")
	}
}
