package sufficiency

import (
	"context"
	"errors"
	"math/rand/v2"

	"infnet/harness/seed"
	"infnet/sufficiency/gbdt"
	"infnet/sufficiency/pcm"
)

// testByPCM tests by the covariance measures. The study's trees predict Δ from J.
func (s *nullTests) testByPCM(ctx context.Context, row *Row, extra *gbdt.Features) error {
	result, err := s.covariances(ctx, row.Set, extra, s.count.test(row.Set, s.null), s.o.Threads)
	var few *pcm.TooFewError
	if errors.As(err, &few) {
		*row = Row{Set: row.Set, Null: row.Null, State: Degenerate, Columns: row.Columns, Dropped: row.Dropped,
			Method: row.Method, Facts: row.Facts}
		row.Facts.Unhalved = few
		return nil
	}
	if err != nil {
		return err
	}
	row.PCM, row.P = &result, result.P
	if result.Fit.Failed {
		row.State = Undecided
	}
	return nil
}

// covariances tests J. done may be nil.
func (s *nullTests) covariances(ctx context.Context, set string, extra *gbdt.Features, done func(int),
	threads int) (pcm.Result, error) {
	stream := func(more ...string) *rand.Rand {
		return seed.Stream(s.o.Seed, append([]string{"sufficiency", s.o.Name, set, s.null.String()}, more...)...)
	}
	sample := pcm.Sample{Beta: s.Beta, Groups: s.Groups, Delta: s.delta}
	if s.null == BetaAndClass {
		sample.Class = s.Class
	}
	for c := range extra.Columns() {
		sample.J = append(sample.J, extra.Column(c))
	}
	view := gbdt.Join(s.known, extra.View())
	learn := func(y []float64, rows []int32, pred []float64) error {
		w := workers.Get().(*worker)
		defer workers.Put(w)
		return w.fitAll(view, y, rows, s.o.Learner, pred)
	}
	return pcm.Test(ctx, sample, learn, pcm.Options{Alpha: s.o.Alpha, Splits: s.o.Splits, Stream: stream,
		Threads: threads, Done: done})
}

// fitAll fits to some rows and predicts all: those fitted to are known.
func (w *worker) fitAll(v gbdt.View, y []float64, rows []int32, o gbdt.Options, pred []float64) error {
	if err := w.fitter.Fit(&w.model, v, y, rows, o); err != nil {
		return err
	}
	fitted := w.fitter.Fitted()
	seen := make([]bool, len(pred))
	for _, i := range rows {
		seen[i] = true
	}
	var rest []int32
	for i, s := range seen {
		if !s {
			rest = append(rest, int32(i))
		}
	}
	if len(rest) > 0 {
		others := make([]float64, len(rest))
		w.model.Predict(others, v, rest)
		for k, i := range rest {
			pred[i] = others[k]
		}
	}
	for k, i := range rows {
		pred[i] = fitted[k]
	}
	return nil
}
