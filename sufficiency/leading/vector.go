package leading

// dot is the scalar product in four sums side by side.
func dot(x, y []float64) float64 {
	var a, b, c, d float64
	y = y[:len(x)]
	k := 0
	for ; k+3 < len(x); k += 4 {
		a += float64(x[k] * y[k])
		b += float64(x[k+1] * y[k+1])
		c += float64(x[k+2] * y[k+2])
		d += float64(x[k+3] * y[k+3])
	}
	for ; k < len(x); k++ {
		a += float64(x[k] * y[k])
	}
	return (a + b) + (c + d)
}

// addScaled adds factor·x to y.
func addScaled(y []float64, factor float64, x []float64) {
	y = y[:len(x)]
	for k, v := range x {
		y[k] += float64(factor * v)
	}
}

// sweepPortable returns the scalar product of row and x in eight sums side by
// side, and adds factor·row to y.
func sweepPortable(row, x, y []float64, factor float64) float64 {
	var sums [8]float64
	x, y = x[:len(row)], y[:len(row)]
	k := 0
	for ; k+8 <= len(row); k += 8 {
		r, v, to := (*[8]float64)(row[k:]), (*[8]float64)(x[k:]), (*[8]float64)(y[k:])
		for l := range sums {
			sums[l] += float64(r[l] * v[l])
			to[l] += float64(factor * r[l])
		}
	}
	return folded(&sums) + rest(row[k:], x[k:], y[k:], factor)
}

// folded adds the eight sums.
func folded(s *[8]float64) float64 {
	return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]))
}

// rest is sweepPortable in one sum.
func rest(row, x, y []float64, factor float64) float64 {
	sum := 0.0
	for k, v := range row {
		sum += float64(v * x[k])
		y[k] += float64(factor * v)
	}
	return sum
}
