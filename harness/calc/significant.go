package calc

import (
	"math"
	"strconv"
)

// Significant rounds to so many significant digits, as printing does. What is no finite number becomes 0.
func Significant(x float64, digits int) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return 0 // beyond the largest number
	}
	return y
}
