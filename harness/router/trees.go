package router

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"infnet/harness/curve"
	"infnet/harness/seed"
	"infnet/sufficiency/gbdt"
)

// NewTrees returns gradient-boosted trees on an embedding of the query, by its
// coordinates along the leading singular vectors of the training records'
// embeddings where it is wider than those; of an answered query also on the
// confidence and the predicted class. The logistic loss; 15 % of the records
// are held out to calibrate, and of the rest 15 % to stop early. It is our own
// learner, from neither paper, for comparison.
func NewTrees() Learner {
	key := fmt.Sprintf("gbdt %d: %d dimensions, %d trees of depth %d, rate %g, leaf %d, patience %d, held out %g",
		treesCode, dimensions, mostTrees, treeDepth, treeRate, smallestLeaf, treePatience, HeldOut)
	return Learner{Name: "boosted trees", Key: key, Embeds: true, Learn: trees}
}

// What the trees are.
const (
	treesCode      = 2  // version of the computation
	dimensions     = 32 // of the embedding, at most
	mostTrees      = 300
	treeDepth      = 3
	treeRate       = 0.05
	smallestLeaf   = 10
	treePatience   = 20
	mostIndicators = 64 // classes with a column of their own
)

func trees(ctx context.Context, t Task, apply []Sample) (out Learned, err error) {
	if out.Report, err = t.report(); err != nil {
		return out, err
	}
	train, held := t.HoldOut(HeldOut)
	f := &forest{answered: t.Answered, classes: t.Classes}
	if err := f.project(pickOf(t.Samples, train)); err != nil {
		return out, err
	}
	view, err := f.view(pickOf(t.Samples, train))
	if err != nil {
		return out, err
	}
	f.model, err = gbdt.Fit(view, pickOf(t.Labels, train), nil, gbdt.Options{
		Learner: gbdt.Hist, Loss: gbdt.Logistic, Trees: mostTrees, Depth: treeDepth, LearningRate: treeRate,
		MinLeaf:  smallestLeaf,
		Patience: treePatience, Holdout: HeldOut, Random: seed.Stream(t.Seed, t.Name, "trees"), Threads: max(1, t.Threads),
	})
	if err != nil {
		return out, err
	}
	out.Report.Epochs, out.Report.Passes = f.model.Trees(), f.model.Trees()
	by := uncalibrated
	if len(held) > 0 {
		z, err := f.odds(pickOf(t.Samples, held))
		if err != nil {
			return out, err
		}
		if by, err = out.Report.held(z, pickOf(t.Labels, held)); err != nil {
			return out, err
		}
	}
	out.Report.Digest = f.digest(by)
	// A score takes the projection, and an addition per tree; the embedding itself is not counted. A fit takes the
	// moments that the axes are from, the projection, and per tree a sum over all records and columns at every level.
	out.FLOPs = float64(f.model.Trees())
	work := 2 * float64(f.model.Trees()*treeDepth*f.model.Columns)
	if f.axes != nil {
		_, k := f.axes.Dims()
		out.FLOPs += 2 * float64(f.width*k)
		work += float64(f.width) * (float64(min(f.width, len(train))) + 2*float64(k))
	}
	out.Report.FLOPs = float64(len(train)) * work
	odds, err := f.odds(apply)
	if err != nil {
		return out, err
	}
	out.scored(odds, by)
	return out, ctx.Err()
}

// forest is a fitted model on columns made of samples.
type forest struct {
	answered bool
	classes  int
	width    int        // of the embeddings
	axes     *mat.Dense // width × dimensions; nil = the embeddings as they are
	model    *gbdt.Model
}

// project finds the axes: the leading eigenvectors of Σ x·xᵀ over the samples,
// the right singular vectors of their embeddings. Nothing is centred. Each
// axis's sign makes its largest component positive.
func (f *forest) project(samples []Sample) error {
	if len(samples) == 0 || len(samples[0].Embedding) == 0 {
		return errors.New("the records have no embeddings")
	}
	f.width = len(samples[0].Embedding)
	if f.width <= dimensions {
		return nil
	}
	x := mat.NewDense(len(samples), f.width, nil)
	for i, s := range samples {
		if len(s.Embedding) != f.width {
			return fmt.Errorf("record %s has an embedding of %d numbers, others of %d", s.ID, len(s.Embedding), f.width)
		}
		x.SetRow(i, s.Embedding)
	}
	var err error
	f.axes, err = leading(x, min(dimensions, len(samples)))
	return err
}

// leading returns the k leading right singular vectors of x, as columns: by the
// eigenvectors of xᵀx, or where x has fewer rows than columns by those of xxᵀ,
// whose images under xᵀ they are. Those of a singular value of next to nothing
// are zero.
func leading(x *mat.Dense, k int) (*mat.Dense, error) {
	n, d := x.Dims()
	var moment mat.SymDense
	wide := n < d
	if wide {
		moment.SymOuterK(1, x)
	} else {
		moment.SymOuterK(1, x.T())
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(&moment, true) {
		return nil, errors.New("the singular vectors of the embeddings did not converge")
	}
	values := eigen.Values(nil) // ascending
	var all, image mat.Dense
	eigen.VectorsTo(&all)
	if wide {
		image.Mul(x.T(), &all)
	} else {
		image.CloneFrom(&all)
	}
	axes := mat.NewDense(d, k, nil)
	last := len(values) - 1
	for j := range k {
		column := mat.Col(nil, last-j, &image)
		length, largest := math.Sqrt(dot(column, column)), 0.0
		for _, v := range column {
			if math.Abs(v) > math.Abs(largest) {
				largest = v
			}
		}
		if values[last-j] <= 1e-12*values[last] || length == 0 {
			continue
		}
		for i, v := range column {
			axes.Set(i, j, math.Copysign(1, largest)*v/length)
		}
	}
	return axes, nil
}

// view makes the columns of samples.
func (f *forest) view(samples []Sample) (gbdt.View, error) {
	wide := f.width
	if f.axes != nil {
		_, wide = f.axes.Dims()
	}
	var list [][]float64
	for range wide {
		list = append(list, make([]float64, len(samples)))
	}
	for i, s := range samples {
		if len(s.Embedding) != f.width {
			return gbdt.View{}, fmt.Errorf("record %s has an embedding of %d numbers, those learned from have %d", s.ID,
				len(s.Embedding), f.width)
		}
		for j := range wide {
			if f.axes == nil {
				list[j][i] = s.Embedding[j]
				continue
			}
			for k, v := range s.Embedding {
				list[j][i] += float64(v * f.axes.At(k, j))
			}
		}
	}
	if f.answered {
		beta := make([]float64, len(samples))
		for i, s := range samples {
			beta[i] = s.Beta
		}
		list = append(list, beta)
		for k := range min(f.classes, mostIndicators) {
			is := make([]float64, len(samples))
			for i, s := range samples {
				if s.Class == k {
					is[i] = 1
				}
			}
			list = append(list, is)
		}
	}
	table, err := gbdt.NewFeatures(len(samples), list)
	if err != nil {
		return gbdt.View{}, err
	}
	return table.View(), nil
}

func (f *forest) odds(samples []Sample) ([]float64, error) {
	out := make([]float64, len(samples))
	if len(samples) == 0 {
		return out, nil
	}
	view, err := f.view(samples)
	if err != nil {
		return nil, err
	}
	f.model.Predict(out, view, nil)
	return out, nil
}

// digest hashes everything that was learned.
func (f *forest) digest(by curve.LogitLine) string {
	var parts []any
	if f.axes != nil {
		parts = append(parts, f.axes.RawMatrix().Data)
	}
	for t := range f.model.Trees() {
		for _, n := range f.model.Tree(t) {
			parts = append(parts, fmt.Appendf(nil, "%+v\n", n))
		}
	}
	return digestOf(append(parts, []float64{f.model.Init, by.A, by.B}))
}
