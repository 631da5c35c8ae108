package router

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
)

// estimates is what a Learner that Estimates learned.
type estimates struct {
	at      func(s Sample) Estimate
	flops   float64     // of one estimate, 2 per multiply–add
	learned [][]float64 // all that was learned
	report  Report
}

// estimator is a Learner that Estimates: it scores samples of two models. Its fits estimate the same quantities, so
// their scores are on one scale.
func estimator(name, key string, fit func(ctx context.Context, t Task, c evidence) (estimates, error)) Learner {
	learn := func(ctx context.Context, t Task, apply []Sample) (out Learned, err error) {
		c, err := evidenceOf(t)
		if err != nil {
			return out, err
		}
		e, err := fit(ctx, t, c)
		if err != nil {
			return out, err
		}
		out.FLOPs, out.Report = e.flops, e.report
		out.Report.Records, out.Report.Ones, out.Report.Digest = len(t.Samples), onesOf(t.Labels), digestOf(e.learned)
		out.Estimates, out.Scores = make([]Estimate, len(apply)), make([]float64, len(apply))
		for i, s := range apply {
			if i%256 == 0 && ctx.Err() != nil {
				return out, ctx.Err()
			}
			out.Estimates[i] = e.at(s)
			if len(t.Quality) == 2 {
				out.Scores[i] = out.Estimates[i].keep()
			}
		}
		return out, nil
	}
	return Learner{Name: name, Key: key, Embeds: true, Estimates: true, scaled: true, Learn: learn}
}

// Estimate is of one query, by model. Cost is in units of the dearest model's mean cost on the records learned from;
// nil = the learner looks at no costs, and every step to another model counts alike.
type Estimate struct{ Quality, Cost []float64 }

// keep is the score of a pair: ½·(1 − a/(b+|a|)), where a is the quality that deferring is estimated to gain, and b
// what it is estimated to cost more. It orders queries by a/b, as every rule "quality − λ·cost" with λ ≥ 0 does: the
// student answers where λ ≥ a/b. A query on which the student costs no less is ordered by a alone, before all others.
func (e Estimate) keep() float64 {
	a, b := e.Quality[1]-e.Quality[0], 1.0
	if e.Cost != nil {
		b = max(e.Cost[1]-e.Cost[0], 1e-9)
	}
	return 0.5 * (1 - a/(b+math.Abs(a)))
}

// digestOf hashes lists of numbers, of any size.
func digestOf[T any](lists []T) string {
	h := sha256.New()
	for _, list := range lists {
		binary.Write(h, binary.LittleEndian, list) // writing to a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

// evidence is a task's samples in the order of their ids, so that sums do not depend on the order given: embeddings,
// and for every sample its qualities and costs by model. Costs are in units of the dearest model's mean.
type evidence struct {
	embedding     [][]float64
	quality, cost [][]float64 // by sample, then model
}

// evidenceOf refuses embeddings of different widths.
func evidenceOf(t Task) (c evidence, err error) {
	order, unit := t.ByID(), 0.0
	for m := range t.Cost {
		mean := 0.0
		for _, i := range order {
			mean += t.Cost[m][i] / float64(len(order))
		}
		unit = max(unit, mean)
	}
	if unit == 0 {
		unit = 1
	}
	for _, i := range order {
		s := t.Samples[i]
		if n := len(s.Embedding); n == 0 || n != len(t.Samples[order[0]].Embedding) {
			return c, fmt.Errorf("record %s has an embedding of %d numbers: want as many as others, and one at least", s.ID, n)
		}
		q, p := make([]float64, len(t.Quality)), make([]float64, len(t.Cost))
		for m := range q {
			q[m], p[m] = t.Quality[m][i], t.Cost[m][i]/unit
		}
		c.embedding, c.quality, c.cost = append(c.embedding, unitOf(s.Embedding)), append(c.quality, q), append(c.cost, p)
	}
	return c, nil
}

// unitOf is a vector of length 1, or the zero vector: the product of two is the cosine of what they are made from.
func unitOf(v []float64) []float64 {
	out := make([]float64, len(v))
	if length := math.Sqrt(product(v, v)); length > 0 {
		for j, x := range v {
			out[j] = x / length
		}
	}
	return out
}

// product is the inner product in four running sums, several times as fast as one.
func product(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	j := 0
	for ; j+4 <= len(a); j += 4 {
		s0 += float64(a[j] * b[j])
		s1 += float64(a[j+1] * b[j+1])
		s2 += float64(a[j+2] * b[j+2])
		s3 += float64(a[j+3] * b[j+3])
	}
	for ; j < len(a); j++ {
		s0 += float64(a[j] * b[j])
	}
	return (s0 + s1) + (s2 + s3)
}
