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

// AtTheEdge returns an interval with a width where iv, of a statistic in [0,1]
// of a k×k confusion matrix (rows: truth), has none because every resample
// gives 0 or every resample gives 1, as F1 does of answers that are all right.
// cells are the occupied cells of the matrix, ascending; value is given such cells
// and their counts.
//
// The share of wrong answers is then at most u, the upper Clopper–Pearson bound
// of none in as many clusters as there are; the lower end is the least value of
// the statistic when ⌈u·n⌉ right answers turn wrong in one way: from one class,
// then the next larger where it has too few, to one other. At 0 it is the same
// with right and wrong exchanged, and the largest value.
func (rs *Resamples) AtTheEdge(iv Interval, k int, cells []int, counts []float64,
	value func(cells []int, counts []float64) float64) (Interval, error) {
	if iv.Low != iv.High || iv.Value != 0 && iv.Value != 1 || k < 2 {
		return iv, nil
	}
	none, err := ClopperPearson(0, rs.clusters, rs.options.Level)
	if err != nil {
		return iv, err
	}
	e := edge{k: k, cells: cells, counts: counts}
	e.order = e.bySize()
	m := math.Ceil(none.High * float64(rs.records))
	iv.Method = MethodEdgeCounts
	for _, from := range e.order {
		if iv.Value == 0 {
			iv.High = max(iv.High, value(e.corrected(from, m)))
			continue
		}
		for to := range k {
			iv.Low = min(iv.Low, value(e.spoilt(from, to, m)))
		}
	}
	return iv, nil
}

// mostPlaces is the number of classes whose answers are turned: with more, the
// smallest, which F1 feels most.
const mostPlaces = 64

// edge is a confusion matrix whose answers are turned.
type edge struct {
	k      int
	cells  []int // occupied, ascending
	counts []float64
	order  []int // classes that occur, the smallest first
}

// bySize lists the classes that occur, the smallest first.
func (e *edge) bySize() []int {
	size := make([]float64, e.k)
	for j, c := range e.cells {
		size[c/e.k] += e.counts[j]
	}
	var out []int
	for c := range e.k {
		if size[c] > 0 {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
	return out[:min(len(out), mostPlaces)]
}

// turned is a copy of the matrix, in which answers move from one cell to another.
type turned struct {
	cells  []int
	counts []float64
}

func (t *turned) move(from, to int, most float64) (moved float64) {
	j, ok := slices.BinarySearch(t.cells, from)
	if !ok {
		return 0
	}
	moved = min(most, t.counts[j])
	if moved == 0 {
		return 0
	}
	t.counts[j] -= moved
	if j, ok = slices.BinarySearch(t.cells, to); !ok {
		t.cells, t.counts = slices.Insert(t.cells, j, to), slices.Insert(t.counts, j, 0)
	}
	t.counts[j] += moved
	return moved
}

// first lists the classes with one of them first.
func (e *edge) first(from int) []int {
	return append([]int{from}, slices.DeleteFunc(slices.Clone(e.order), func(c int) bool { return c == from })...)
}

// spoilt turns m right answers wrong: those to records of class from, then of
// the classes after it in size, become answers of class to.
func (e *edge) spoilt(from, to int, m float64) (cells []int, counts []float64) {
	out := turned{slices.Clone(e.cells), slices.Clone(e.counts)}
	for _, c := range e.first(from) {
		if c != to {
			m -= out.move(c*e.k+c, c*e.k+to, m)
		}
		if m == 0 {
			break
		}
	}
	return out.cells, out.counts
}

// corrected turns m wrong answers right: those to records of class from first.
func (e *edge) corrected(from int, m float64) (cells []int, counts []float64) {
	out := turned{slices.Clone(e.cells), slices.Clone(e.counts)}
	for _, c := range e.first(from) {
		begin, _ := slices.BinarySearch(e.cells, c*e.k)
		for _, cell := range e.cells[begin:] {
			if cell >= (c+1)*e.k || m == 0 {
				break
			}
			if cell != c*e.k+c {
				m -= out.move(cell, c*e.k+c, m)
			}
		}
	}
	return out.cells, out.counts
}
