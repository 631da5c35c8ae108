package fitting

import (
	"math/rand/v2"
	"strconv"
)

// Of many rows, blocks are resampled instead of rows: each holds rows drawn at random, whole groups. Blocks are
// independent, and a sum over them has the variance of a sum over rows, known to 1 in √(2·8191): an interval's ends
// move by less than a hundredth of its width, and those of 2,000 resamples move by three from one set to another.
const (
	blocksFrom = 50_000 // units: rows, or groups of rows
	blocks     = 8191   // no power of two: draws of others take less time
)

// blocksOf returns the name of every row's block, from the number of its unit; nil where there are few units.
func blocksOf(rng *rand.Rand, unit []int, units int) []string {
	if units < blocksFrom {
		return nil
	}
	names := make([]string, blocks)
	for b := range names {
		names[b] = strconv.Itoa(b)
	}
	of := make([]uint16, units)
	for u := range of {
		of[u] = uint16(u % blocks)
	}
	rng.Shuffle(units, func(i, j int) { of[i], of[j] = of[j], of[i] })
	out := make([]string, len(unit))
	for k, u := range unit {
		out[k] = names[of[u]]
	}
	return out
}

// unitsOf numbers the rows of one group alike; a row of the group "" is alone.
func unitsOf(groups []string) (unit []int, units int) {
	unit = make([]int, len(groups))
	number := map[string]int{}
	for k, g := range groups {
		u, again := number[g]
		if !again || g == "" {
			u = units
			number[g] = u
			units++
		}
		unit[k] = u
	}
	return unit, units
}
