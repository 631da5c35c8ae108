package infer

import (
	"cmp"
	"math"
	"slices"
)

// MethodEdgeCounts is the method of an interval at the end of a range, where all
// resamples are the same and a percentile interval would have no width.
const MethodEdgeCounts = "Clopper–Pearson of the errors, in the worst place"

// edgeSlack is how far from the end of its range a value may be and still
// stand for it: cosines of equal vectors are rounded.
const edgeSlack = 1e-9

// MeanWithin is Mean for values in [low, high]. Where all of them are at one
// end, the interval is that of a rate, scaled to the range: a record at the end
// has at most probability (mean − low)/(high − low), so the bound for a rate
// holds for the mean of any values in the range. low or high may be infinite:
// an infinite end is never reached, and no bound follows from the other.
func (rs *Resamples) MeanWithin(x []float64, low, high float64) (Interval, error) {
	iv, err := rs.Mean(x)
	width := high - low
	if err != nil || math.IsInf(width, 0) || !(width > 0) {
		return iv, err
	}
	least, most := slices.Min(x), slices.Max(x)
	slack := edgeSlack * width
	var hits int
	switch {
	case least >= high-slack:
		hits = rs.clusters
	case most > low+slack:
		return iv, nil
	}
	rate, err := ClopperPearson(hits, rs.clusters, rs.options.Level)
	if err != nil {
		return iv, err
	}
	iv.Low, iv.High, iv.Method = low+float64(width*rate.Low), low+float64(width*rate.High), MethodClopperPearson
	iv.Low, iv.High = min(iv.Low, iv.Value), max(iv.High, iv.Value)
	return iv, nil
}

// AtTheEdge returns an interval with a width where iv, of a statistic in [0,1]
// of a k×k confusion matrix (rows: truth), has none because every resample
// gives 0 or every resample gives 1, as F1 does of answers that are all right.
//
// The share of wrong answers is then at most u, the upper Clopper–Pearson bound
// of none in as many clusters as there are; the lower end is the least value of
// the statistic when ⌈u·n⌉ right answers turn wrong in one way: from one class,
// then the next larger where it has too few, to one other. At 0 it is the same
// with right and wrong exchanged, and the largest value.
func (rs *Resamples) AtTheEdge(iv Interval, counts []float64, k int,
	value func(counts []float64) float64) (Interval, error) {
	if iv.Low != iv.High || iv.Value != 0 && iv.Value != 1 || k < 2 {
		return iv, nil
	}
	none, err := ClopperPearson(0, rs.clusters, rs.options.Level)
	if err != nil {
		return iv, err
	}
	m := math.Ceil(none.High * float64(rs.records))
	iv.Method = MethodEdgeCounts
	for _, from := range bySize(counts, k) {
		if iv.Value == 0 {
			iv.High = max(iv.High, value(corrected(counts, k, from, m)))
			continue
		}
		for to := range k {
			iv.Low = min(iv.Low, value(spoilt(counts, k, from, to, m)))
		}
	}
	return iv, nil
}

// mostPlaces is the number of classes whose answers are turned: with more, the
// smallest, which F1 feels most.
const mostPlaces = 64

// bySize lists the classes that occur, the smallest first.
func bySize(counts []float64, k int) []int {
	size := rows(counts, k)
	var out []int
	for c := range k {
		if size[c] > 0 {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
	return out[:min(len(out), mostPlaces)]
}

// rows are the records of every class.
func rows(counts []float64, k int) []float64 {
	size := make([]float64, k)
	for c, n := range counts {
		size[c/k] += n
	}
	return size
}

// spoilt turns m right answers wrong: those to records of class from, then of
// the classes after it in size, become answers of class to.
func spoilt(counts []float64, k, from, to int, m float64) []float64 {
	out := slices.Clone(counts)
	order := bySize(counts, k)
	order = append([]int{from}, slices.DeleteFunc(order, func(c int) bool { return c == from })...)
	for _, c := range order {
		if c == to {
			continue
		}
		moved := min(m, out[c*k+c])
		out[c*k+c] -= moved
		out[c*k+to] += moved
		m -= moved
	}
	return out
}

// corrected turns m wrong answers right: those to records of class from first.
func corrected(counts []float64, k, from int, m float64) []float64 {
	out := slices.Clone(counts)
	order := bySize(counts, k)
	order = append([]int{from}, slices.DeleteFunc(order, func(c int) bool { return c == from })...)
	for _, c := range order {
		for said := range k {
			if said == c {
				continue
			}
			moved := min(m, out[c*k+said])
			out[c*k+said] -= moved
			out[c*k+c] += moved
			m -= moved
		}
	}
	return out
}
