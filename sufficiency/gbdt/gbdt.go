// Package gbdt grows gradient-boosted trees on plain columns of numbers
// (J. H. Friedman, Greedy function approximation: a gradient boosting machine,
// Annals of Statistics 29, 2001).
//
// It owns two learners behind one call. Exact looks at every threshold and
// grows the trees that scikit-learn's GradientBoostingRegressor grows wherever
// those are unique. Hist looks at the borders of at most 256 bins per column.
// It refuses missing values: a column with a NaN or an infinity is an error.
//
// Its opinion: what does not depend on the target is done once. A [Features] sorts
// and bins its columns once; a [View] joins the columns of several tables and
// may reorder a table's rows at the price of an index; a [Fitter] keeps its
// memory from fit to fit. Sums over records
// are sums of integers, so a model has the same bits on any number of threads
// and equal splits are equal: the lowest column wins, then the lowest
// threshold.
package gbdt

import (
	"cmp"
	"math/rand/v2"

	"infnet/harness/choice"
)

// SplitSearch is the way splits are searched for.
type SplitSearch string

// The learners.
const (
	Exact SplitSearch = "exact" // every threshold between two values
	Hist  SplitSearch = "hist"  // the borders of at most 256 bins per column, of at most 4,194,304 records
)

// UnmarshalText reads one of them.
func (l *SplitSearch) UnmarshalText(text []byte) error {
	return choice.Decode(l, text, "learner", []SplitSearch{Hist, Exact})
}

// Loss is what the trees minimise.
type Loss int

// The losses.
const (
	Squared  Loss = iota // (y − f)²; f is the prediction
	Logistic             // −log P(y), y 0 or 1; f is the log-odds of 1
)

// Options say how a model is fitted. The zero value is scikit-learn's
// GradientBoostingRegressor with its defaults, on one thread.
type Options struct {
	Learner      SplitSearch // "" = Exact
	Loss         Loss
	Trees        int     // ≥ 1; 0 = 100
	Depth        int     // splits from root to leaf, 1 to 16; 0 = 3
	LearningRate float64 // in (0,1]; 0 = 0.1
	MinLeaf      int     // records on each side of a split; 0 = 1
	MinSplit     int     // records of a node that is split; 0 = 2

	// Patience stops the fit when the loss on held-out records has not fallen for
	// that many trees, and drops the trees behind the best one; 0 = never. The
	// records are a share Holdout of those given, drawn from Random.
	Patience int
	Holdout  float64 // in (0,1); 0 = 0.1
	Random   *rand.Rand

	Threads int // of Hist, over columns, ≥ 1; 0 = 1; the model does not depend on it
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	o.Learner, o.LearningRate, o.Holdout = cmp.Or(o.Learner, Exact), cmp.Or(o.LearningRate, 0.1), cmp.Or(o.Holdout, 0.1)
	o.Trees, o.Depth, o.Threads = cmp.Or(o.Trees, 100), cmp.Or(o.Depth, 3), cmp.Or(o.Threads, 1)
	o.MinLeaf, o.MinSplit = cmp.Or(o.MinLeaf, 1), cmp.Or(o.MinSplit, 2)
	return o
}
