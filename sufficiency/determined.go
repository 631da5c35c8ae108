package sufficiency

import (
	"cmp"
	"math"
	"slices"
)

// A column counts as determined by the null's columns if that follows from how it
// was made, or shows in the numbers. Such a column would invalidate both kinds of
// permutation test: permuted, it misleads the model about β.

const (
	slack      = 1e-9 // of the column's range, for rounding
	fewestSeen = 20   // distinct values needed to judge by the numbers
)

// byBeta returns the records by class, where class is not nil, then by β.
func byBeta(beta []float64, class []int) []int {
	order := make([]int, len(beta))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if class != nil && class[a] != class[b] {
			return cmp.Compare(class[a], class[b])
		}
		return cmp.Compare(beta[a], beta[b])
	})
	return order
}

// determined says whether the numbers show the column to be a function of β (of
// β and class, where class is not nil): it is constant; or within every class
// constant or monotone in β with equal values at equal β; or
// within every class so smooth in β that each value is the line between its
// neighbours' to within rounding. order is that of byBeta.
func determined(beta []float64, class, order []int, x []float64) bool {
	lo, hi := slices.Min(x), slices.Max(x)
	if lo == hi {
		return true
	}
	tolerance := slack * (hi - lo)
	order = slices.Clone(order)
	sameClass := func(a, b int) bool { return class == nil || class[a] == class[b] }
	for start := 0; start < len(order); {
		end := start + 1
		for end < len(order) && sameClass(order[start], order[end]) {
			if beta[order[end]] == beta[order[end-1]] { // equal β: by value
				first := end - 1
				for end+1 < len(order) && beta[order[end+1]] == beta[order[first]] && sameClass(order[first], order[end+1]) {
					end++
				}
				slices.SortFunc(order[first:end+1], func(a, b int) int { return cmp.Compare(x[a], x[b]) })
			}
			end++
		}
		if !functional(beta, x, order[start:end], tolerance) {
			return false
		}
		start = end
	}
	return true
}

// functional reports whether x is a function of β on these records, which are
// sorted by β.
func functional(beta, x []float64, order []int, tolerance float64) bool {
	constant, up, down, smooth := true, true, true, true
	values := 1
	for k := 1; k < len(order); k++ {
		before, here := order[k-1], order[k]
		step := x[here] - x[before]
		if beta[here] == beta[before] {
			if math.Abs(step) > tolerance {
				return false // one β, two values
			}
			continue
		}
		values++
		constant = constant && math.Abs(x[here]-x[order[0]]) <= tolerance
		up = up && step >= -tolerance
		down = down && step <= tolerance
		if k+1 < len(order) && smooth {
			after := order[k+1]
			share := (beta[here] - beta[before]) / (beta[after] - beta[before])
			between := x[before] + float64(share*(x[after]-x[before]))
			smooth = math.Abs(x[here]-between) <= tolerance
		}
	}
	if constant || values < fewestSeen || differing(x, order) < fewestSeen {
		return constant
	}
	return up || down || smooth
}

// differing counts the distinct values of x among some records.
func differing(x []float64, records []int) int {
	values := make([]float64, len(records))
	for k, i := range records {
		values[k] = x[i]
	}
	slices.Sort(values)
	return len(slices.Compact(values))
}

// testable splits the columns of a set into those to test and the names of those
// that the null determines.
func testable(c *checked, s Set, null Null) (use []Covariate, dropped []string) {
	class := c.Class
	if null == Beta {
		class = nil
	}
	order := byBeta(c.Beta, class)
	for _, column := range s.Columns {
		if column.Of.known(null) || determined(c.Beta, class, order, column.Values) {
			dropped = append(dropped, column.Name)
		} else {
			use = append(use, column)
		}
	}
	return use, dropped
}
