// Package gbdt grows gradient-boosted trees on plain columns of numbers
// (J. H. Friedman, Greedy function approximation: a gradient boosting machine,
// Annals of Statistics 29, 2001).
//
// It owns the learner: histograms of at most 256 bins per column, squared error. Where
// a column has no more values than that it looks at every threshold, and grows the
// trees that scikit-learn's GradientBoostingRegressor grows wherever those are unique.
// It refuses missing values: a column with a NaN or an infinity is an error.
//
// Its opinion: what does not depend on the target is done once. A [Features] bins
// its columns once; a [View] joins the columns of several tables and may reorder a
// table's rows at the price of an index; a [Fitter] keeps its memory from fit to
// fit. Sums over records are sums of integers, so equal splits are equal: the
// lowest column wins, then the lowest threshold.
package gbdt

import "cmp"

// Options say how a model is fitted. The zero value is what scikit-learn's
// GradientBoostingRegressor does by default.
type Options struct {
	Trees        int     // ≥ 1; 0 = 100
	Depth        int     // splits from root to leaf, 1 to 10; 0 = 3
	LearningRate float64 // in (0,1]; 0 = 0.1
	MinLeaf      int     // records on each side of a split; 0 = 1
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	o.Trees, o.Depth = cmp.Or(o.Trees, 100), cmp.Or(o.Depth, 3)
	o.LearningRate, o.MinLeaf = cmp.Or(o.LearningRate, 0.1), cmp.Or(o.MinLeaf, 1)
	return o
}
