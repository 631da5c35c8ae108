package router

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"infnet/harness/seed"
	"infnet/sufficiency/gbdt"
)

// NewTrees returns gradient-boosted trees on an embedding of the query, by its
// coordinates along the leading singular vectors of the training records'
// embeddings where it is wider than those; of an answered query also on the
// confidence and the predicted class. The logistic loss; 15 % of the records
// are held out to calibrate, and of the rest 15 % to stop early. It is our own
// learner, from neither paper, for comparison.
func NewTrees() Fitter {
	key := fmt.Sprintf("gbdt %d: %d dimensions, %d trees of depth %d, rate %g, leaf %d, patience %d, held out %g",
		treesCode, dimensions, mostTrees, treeDepth, treeRate, smallestLeaf, treePatience, HeldOut)
	return fitter{named{"boosted trees", key, true}, fitTrees}
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

func fitTrees(ctx context.Context, t Task) (Predictor, Report, error) {
	report, err := t.report()
	if err != nil {
		return nil, report, err
	}
	train, held := t.HoldOut(HeldOut)
	f := &forest{answered: t.Answered, classes: t.Classes, platt: uncalibrated}
	if err := f.project(pickOf(t.Samples, train)); err != nil {
		return nil, report, err
	}
	view, err := f.view(pickOf(t.Samples, train))
	if err != nil {
		return nil, report, err
	}
	y := pickOf(t.Labels, train)
	f.model, err = gbdt.Fit(view, y, nil, gbdt.Options{
		Learner: gbdt.Hist, Loss: gbdt.Logistic, Trees: mostTrees, Depth: treeDepth, LearningRate: treeRate,
		MinLeaf:  smallestLeaf,
		Patience: treePatience, Holdout: HeldOut, Random: seed.Stream(t.Seed, t.Name, "trees"), Threads: max(1, t.Threads),
	})
	if err != nil {
		return nil, report, err
	}
	report.Epochs, report.Passes = f.model.Trees(), f.model.Trees()
	report.FLOPs = f.work(len(train))
	if len(held) > 0 {
		z, err := f.odds(pickOf(t.Samples, held))
		if err != nil {
			return nil, report, err
		}
		if f.platt, err = report.held(z, pickOf(t.Labels, held)); err != nil {
			return nil, report, err
		}
	}
	report.Digest = f.digest()
	return f, report, ctx.Err()
}

// forest is a fitted model on columns made of samples.
type forest struct {
	answered bool
	classes  int
	width    int        // of the embeddings
	axes     *mat.Dense // width × dimensions; nil = the embeddings as they are
	model    *gbdt.Model
	platt    platt
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
	v, err := leading(x, min(dimensions, len(samples)))
	if err != nil {
		return err
	}
	f.axes = v
	return nil
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

func (f *forest) Score(ctx context.Context, samples []Sample) ([]float64, error) {
	z, err := f.odds(samples)
	if err != nil {
		return nil, err
	}
	for i, v := range z {
		z[i] = f.platt.at(v)
	}
	return z, ctx.Err()
}

// FLOPs implements Predictor: the projection, and an addition per tree. The
// embedding itself is not counted.
func (f *forest) FLOPs(Sample) float64 {
	n := float64(f.model.Trees())
	if f.axes != nil {
		_, k := f.axes.Dims()
		n += 2 * float64(f.width*k)
	}
	return n
}

// work is what a fit takes: the moments that the axes are from, the projection, and per tree that is kept a sum over
// all records and columns at every level.
func (f *forest) work(records int) float64 {
	n, sum := float64(records), 2*float64(f.model.Trees()*treeDepth*f.model.Columns)
	if f.axes != nil {
		_, k := f.axes.Dims()
		sum += float64(f.width) * (float64(min(f.width, records)) + 2*float64(k))
	}
	return n * sum
}

// digest hashes everything that was learned.
func (f *forest) digest() string {
	var parts []any
	if f.axes != nil {
		parts = append(parts, f.axes.RawMatrix().Data)
	}
	for t := range f.model.Trees() {
		for _, n := range f.model.Tree(t) {
			parts = append(parts, fmt.Appendf(nil, "%+v\n", n))
		}
	}
	return digestOf(append(parts, []float64{f.model.Init, f.platt.a, f.platt.b}))
}
