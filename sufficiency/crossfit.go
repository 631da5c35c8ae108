package sufficiency

import (
	"context"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"

	"infnet/sufficiency/gbdt"
)

// crossfit predicts every record's target from models of the other folds.
type crossfit struct {
	o       Options
	out, in [][]int32 // records outside and inside each fold
}

// worker is the memory of one goroutine.
type worker struct {
	fitter gbdt.Fitter
	model  gbdt.Model
	pred   []float64
}

// workers keeps memory between fits.
var workers = sync.Pool{New: func() any { return new(worker) }}

func newCrossfit(c *checked, o Options) *crossfit {
	cf := &crossfit{o: o}
	for k := range c.folds.K {
		cf.out = append(cf.out, int32s(c.folds.Out(k)))
		cf.in = append(cf.in, int32s(c.folds.In(k)))
	}
	return cf
}

func int32s(x []int) []int32 {
	out := make([]int32, len(x))
	for i, v := range x {
		out[i] = int32(v)
	}
	return out
}

// fold fits one fold's model and predicts its records into pred, which has a
// place for every record.
func (cf *crossfit) fold(v gbdt.View, y []float64, k int, pred []float64) error {
	w := workers.Get().(*worker)
	defer workers.Put(w)
	if err := w.fitter.Fit(&w.model, v, y, cf.out[k], cf.o.Learner); err != nil {
		return err
	}
	if cap(w.pred) < len(cf.in[k]) {
		w.pred = make([]float64, len(cf.in[k]))
	}
	w.pred = w.pred[:len(cf.in[k])]
	w.model.Predict(w.pred, v, cf.in[k])
	for j, i := range cf.in[k] {
		pred[i] = w.pred[j]
	}
	return nil
}

// all predicts every record, with the folds in parallel.
func (cf *crossfit) all(ctx context.Context, v gbdt.View, y []float64) ([]float64, error) {
	pred := make([]float64, len(y))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, cf.o.Threads))
	for k := range cf.out {
		g.Go(func() error {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			return cf.fold(v, y, k, pred)
		})
	}
	return pred, g.Wait()
}

// sum returns the sum of the squared errors, with the folds one after the other.
func (cf *crossfit) sum(ctx context.Context, v gbdt.View, y []float64) (float64, error) {
	pred := make([]float64, len(y))
	for k := range cf.out {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := cf.fold(v, y, k, pred); err != nil {
			return 0, err
		}
	}
	total := 0.0
	for i, p := range pred {
		total += float64((y[i] - p) * (y[i] - p))
	}
	return total, nil
}

// squares returns each record's squared error.
func squares(y, pred []float64) []float64 {
	out := make([]float64, len(y))
	for i, p := range pred {
		out[i] = (y[i] - p) * (y[i] - p)
	}
	return out
}

// mse summarises squared errors for the table.
func (cf *crossfit) mse(errors []float64) MSE {
	m := MSE{Pooled: mean(errors)}
	for _, in := range cf.in {
		sum := 0.0
		for _, i := range in {
			sum += errors[i]
		}
		m.Folds = append(m.Folds, sum/float64(len(in)))
	}
	m.Mean = mean(m.Folds)
	for _, v := range m.Folds {
		m.SD += float64((v - m.Mean) * (v - m.Mean))
	}
	m.SD = math.Sqrt(m.SD / float64(len(m.Folds)-1))
	return m
}

// mean adds in order; gonum's stat.Mean adds in lanes and rounds differently.
func mean(x []float64) float64 { return total(x) / float64(len(x)) }

func total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}
