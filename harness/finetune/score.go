package finetune

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"infnet/backends/runtime/wordpiece"
	"infnet/harness/curve"
	"infnet/harness/router"
)

// predictor is a fine-tuned encoder. It is safe for concurrent use.
type predictor struct {
	learner     *Learner
	answered    bool
	weights     weights
	executor    *executor
	calibration router.Calibration
}

var _ router.Predictor = (*predictor)(nil)

// Score implements router.Predictor.
func (s *predictor) Score(ctx context.Context, samples []router.Sample) ([]float64, error) {
	texts, err := s.learner.encodeAll(ctx, samples, s.answered)
	if err != nil {
		return nil, err
	}
	all := make([]int, len(samples))
	for i := range all {
		all[i] = i
	}
	z, err := s.odds(ctx, texts, all)
	if err != nil {
		return nil, err
	}
	for i := range z {
		z[i] = s.calibration.At(z[i])
	}
	return z, nil
}

// odds returns the log-odds of label 1 of the texts at these positions. Texts
// of about one length go together, padded to it: what a text gets depends on
// itself alone, since its own padding does and the products give each row the
// same bits in every company.
func (s *predictor) odds(ctx context.Context, texts []wordpiece.Encoding, at []int) ([]float64, error) {
	padded := func(k int) int { return (len(texts[at[k]].IDs) + step8 - 1) / step8 }
	order := make([]int, len(at))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(padded(a), padded(b)) })
	out := make([]float64, len(at))
	weights, err := s.executor.weigh(s.weights)
	if err != nil {
		return nil, err
	}
	for from := 0; from < len(order); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := from + 1
		for to < len(order) && to-from < rows && padded(order[to]) == padded(order[from]) {
			to++
		}
		some := order[from:to]
		logits, err := s.executor.apply(weights, gather(texts, pick(at, some)))
		if err != nil {
			return nil, err
		}
		for i, k := range some {
			out[k] = float64(logits[i*labels+1]) - float64(logits[i*labels])
		}
		from = to
	}
	return out, nil
}

// FLOPs implements router.Predictor: see arch.flops.
func (s *predictor) FLOPs(x router.Sample) float64 {
	return s.learner.arch.flops(len(s.learner.encode(x, s.answered).IDs))
}

// digest identifies everything it learned.
func (s *predictor) digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %x\n", s.weights.digest(), s.calibration)
	return hex.EncodeToString(h.Sum(nil))
}

func sigmoids(z []float64) []float64 {
	out := make([]float64, len(z))
	for i, v := range z {
		out[i] = curve.Sigmoid(v)
	}
	return out
}
