package metrics

import (
	"fmt"
	"slices"
)

// Cell returns the index of (truth, predicted) in a confusion matrix of k
// classes: counts, as float64 so that resamples and weights fit. A class
// outside 0 … k−1 panics.
func Cell(truth, predicted, k int) int {
	if truth < 0 || truth >= k || predicted < 0 || predicted >= k {
		panic(fmt.Sprintf("metrics: class %d predicted as %d, of %d classes", truth, predicted, k))
	}
	return truth*k + predicted
}

// Confusion says which cells of a confusion matrix of K classes a list of counts is
// about: those that records fall in. Of 1,000 classes a matrix has a million cells, and
// few of them hold a record.
type Confusion struct {
	K     int
	Cells []int // ascending (see Cell); nil = all K² of them
}

// Occupied returns the confusion matrix of the cells that records fall in, and for each
// list of cells their places in it.
func Occupied(k int, lists ...[]int) (c Confusion, places [][]int) {
	records := 0
	for _, cells := range lists {
		records += len(cells)
	}
	find := func(cell int) int {
		at, _ := slices.BinarySearch(c.Cells, cell)
		return at
	}
	if c.K = k; k*k <= records { // then the whole matrix is no longer than the lists
		place := make([]int, k*k)
		for _, cells := range lists {
			for _, cell := range cells {
				place[cell] = 1
			}
		}
		for cell, held := range place {
			if held == 1 {
				place[cell] = len(c.Cells)
				c.Cells = append(c.Cells, cell)
			}
		}
		find = func(cell int) int { return place[cell] }
	} else {
		c.Cells = slices.Concat(lists...)
		slices.Sort(c.Cells)
		c.Cells = slices.Compact(c.Cells)
	}
	for _, cells := range lists {
		at := make([]int, len(cells))
		for i, cell := range cells {
			at[i] = find(cell)
		}
		places = append(places, at)
	}
	return c, places
}

// Len is the number of its counts.
func (c Confusion) Len() int {
	if c.Cells == nil {
		return c.K * c.K
	}
	return len(c.Cells)
}

// each passes the truth and the prediction of every count to fn. Lists of another length panic.
func (c Confusion) each(counts []float64, fn func(truth, predicted int, n float64)) {
	if len(counts) != c.Len() {
		panic(fmt.Sprintf("metrics: %d counts of the %d cells of a confusion matrix", len(counts), c.Len()))
	}
	for i, n := range counts {
		if c.Cells != nil {
			i = c.Cells[i]
		}
		truth := i / c.K
		fn(truth, i-truth*c.K, n)
	}
}

// AccuracyOf returns the share of a confusion matrix on its diagonal, 0 where
// it is empty.
func AccuracyOf(c Confusion, counts []float64) float64 {
	right, all := 0.0, 0.0
	c.each(counts, func(truth, predicted int, n float64) {
		all += n
		if truth == predicted {
			right += n
		}
	})
	if all == 0 {
		return 0
	}
	return right / all
}

// Average says how per-class scores become one.
type Average string

// The averages, as scikit-learn names them.
const (
	Macro    Average = "macro"    // unweighted mean over the labels
	Micro    Average = "micro"    // of the pooled counts
	Weighted Average = "weighted" // mean weighted by the number of true records
	Binary   Average = "binary"   // of class 1 alone
)

// Present returns, for each class, whether it occurs in truth or prediction.
func Present(c Confusion, counts []float64) []bool {
	present := make([]bool, c.K)
	c.each(counts, func(truth, predicted int, n float64) {
		if n > 0 {
			present[truth], present[predicted] = true, true
		}
	})
	return present
}

// F1On makes F1 a function of a confusion matrix, with the labels fixed to
// those present in full: a class that a resample happens to miss then counts
// with 0 instead of changing what is averaged.
func F1On(average Average) func(c Confusion, full []float64) func(c Confusion, counts []float64) float64 {
	return func(c Confusion, full []float64) func(c Confusion, counts []float64) float64 {
		labels := Present(c, full)
		return func(c Confusion, counts []float64) float64 { return f1Of(average, c, counts, labels) }
	}
}

// f1Of returns F1 of a confusion matrix over the given labels, by scikit-learn's definitions. For one
// class with tp true positives among p predicted and t true records it is 2·tp/(p+t), 0 where the
// denominator is 0. Averages are over the labels, 0 where there are none, or no weights.
func f1Of(average Average, c Confusion, counts []float64, labels []bool) float64 {
	// F. Pedregosa and others, "Scikit-learn: machine learning in Python",
	// JMLR 12 (2011): precision_recall_fscore_support.
	k := c.K
	if len(labels) != k {
		panic(fmt.Sprintf("metrics: a confusion matrix of %d classes where %d were meant", k, len(labels)))
	}
	room := make([]float64, 3*k)
	tp, predicted, true_ := room[:k], room[k:2*k], room[2*k:]
	c.each(counts, func(truth, answer int, n float64) {
		true_[truth] += n
		predicted[answer] += n
		if truth == answer {
			tp[truth] += n
		}
	})
	divide := func(a, b float64) float64 {
		if b == 0 {
			return 0
		}
		return a / b
	}
	if average == Binary {
		return divide(2*tp[1], predicted[1]+true_[1])
	}
	var right, pooled, sum, total float64
	for l := range k {
		if !labels[l] {
			continue
		}
		w := 1.0
		if average == Weighted {
			w = true_[l]
		}
		right, pooled = right+tp[l], pooled+predicted[l]+true_[l]
		sum += float64(w * divide(2*tp[l], predicted[l]+true_[l]))
		total += w
	}
	if average == Micro {
		return divide(2*right, pooled)
	}
	return divide(sum, total)
}
