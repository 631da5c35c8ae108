package spec

import (
	"fmt"

	"infnet/harness/cost"
)

// checkSeed checks the seed of every random stream.
func checkSeed(f *file, seed int64) uint64 {
	if seed < 0 {
		f.wrong("seed", fmt.Sprintf("the seed %d is negative", seed), "any whole number from 0")
		return 0
	}
	return uint64(seed)
}

// checkCost checks how answers are priced.
func checkCost(f *file, r rawCost) Cost {
	c := Cost{Model: or(r.Model, defaultCost), Summary: or(r.Summary, defaultSummary), Padding: or(r.Padding, 0)}
	checkPadding(f, "cost.padding", c)
	if r.Prices != nil {
		c.Prices = readPrices(f, *r.Prices)
	}
	if c.Batch = or(r.Batch, false); c.Batch && c.Model != cost.Price {
		f.wrong("cost.batch", fmt.Sprintf("cost.model is %q, and a discount is one on prices", c.Model),
			"set model = \"price\", or leave batch out")
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

// checkCollect checks the settings of collection. over are the command line's limits.
func checkCollect(f *file, r rawCollect, over Spending) Collect {
	return Collect{
		MaxMissing:  f.share("collect.max_missing", r.MaxMissing, defaultMissing),
		Retries:     int(f.whole("collect.retries", r.Retries, defaultRetries, 0, 20)),
		Concurrency: int(f.whole("collect.concurrency", r.Concurrency, defaultParallel, 1, 1024)),
		Timeout:     f.duration("collect.timeout", r.Timeout, defaultTimeout),
		Grace:       f.duration("collect.grace", r.Grace, defaultGrace),
		GiveUp:      int(f.whole("collect.give_up", r.GiveUp, defaultGiveUp, 0, 1_000_000)),
		Spending:    checkSpent(f, or(r.Budget, rawSpending{}), over),
	}
}
