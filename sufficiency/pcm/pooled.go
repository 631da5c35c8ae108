package pcm

// lines are the lines in β's rank of the rare classes, around the common curve.
// Each is shrunk towards 0, and all by the same two strengths, which are chosen
// by the prediction of folds left out: partial pooling (G. K. Robinson, That BLUP
// is a good thing, Statistical Science 6, 1991). A few records cannot tell
// whether their own class has a trend; all rare classes together can tell
// whether such classes have trends.
type lines struct {
	classes []within
	height  []float64 // β's rank by record
	fold    []int
}

// line is level + slope·(rank − middle).
type line struct{ level, slope, middle float64 }

func (l line) at(rank float64) float64 { return l.level + float64(l.slope*(rank-l.middle)) }

// pulls are the strengths tried: records of value 0 that pull at a level, and the
// sum of squares of ranks in [0,1] that pulls at a slope.
type pull struct{ level, slope float64 }

func pulls() (out []pull) {
	for _, level := range []float64{1e-2, 1, 4, 1e6} {
		for _, slope := range []float64{1e-2, 0.1, 0.4, 1.6, 1e6} {
			out = append(out, pull{level, slope})
		}
	}
	return out
}

// fit is the line of some records without fold k.
func (l *lines) fit(records []int, left []float64, k int, p pull) line {
	n, sum, height := 0.0, 0.0, 0.0
	for _, i := range records {
		if l.fold[i] != k {
			n++
			sum += left[i]
			height += l.height[i]
		}
	}
	if n == 0 {
		return line{}
	}
	out := line{level: sum / (n + p.level), middle: height / n}
	xy, xx := 0.0, p.slope
	for _, i := range records {
		if l.fold[i] != k {
			x := l.height[i] - out.middle
			xy += float64(x * left[i])
			xx += float64(x * x)
		}
	}
	out.slope = xy / xx
	return out
}

// crossfit adds to every record of a rare class the height of the line from the
// other folds, and returns the strengths chosen.
func (l *lines) crossfit(left sight, to []float64) (chosen pull) {
	least, best := -1.0, make([]float64, len(to))
	for _, p := range pulls() {
		loss, trial := 0.0, make([]float64, len(to))
		for _, w := range l.classes {
			known := map[int]line{}
			for _, i := range w.records {
				k := l.fold[i]
				if _, ok := known[k]; !ok {
					known[k] = l.fit(w.records, left(k), k, p)
				}
				trial[i] = known[k].at(l.height[i])
				d := left(k)[i] - trial[i]
				loss += float64(d * d)
			}
		}
		if least < 0 || loss < least {
			least, best, chosen = loss, trial, p
		}
	}
	for i, v := range best {
		to[i] += v
	}
	return chosen
}
