package finetune

import (
	"context"
	"time"

	"infnet/harness/router"
	"infnet/harness/seed"
)

// flops is what one text of t tokens costs, 2 per multiply–add, matrix products
// alone: per layer and token 4 projections of width², two feed-forward products
// of width·inner, and 2·t·width for attention that looks at all t tokens; the
// head once. Padding is not counted.
func (a arch) flops(t int) float64 {
	d, f, n := float64(a.Hidden), float64(a.FeedForward), float64(t)
	layer := 2*(4*d*d+2*d*f)*n + 2*2*n*n*d
	return float64(a.Layers)*layer + 2*d*d + 2*d*labels
}

// Price is what fits cost before they are done.
type Price struct {
	Tokens float64       // mean of an input
	FLOPs  float64       // of all the fits, if none stops early
	Time   time.Duration // at Speed; 0 = the speed is not known
}

// A step costs three times what scoring does: the gradients of a product are
// two products.
const trainTimes = 3

// Price says what fits on so many records each would cost, from texts like
// those to come. Nothing is trained. speed is in FLOP/s, see Speed.
func (l *Learner) Price(ctx context.Context, like []router.Sample, answered bool, fits []int,
	speed float64) (Price, error) {
	texts, err := l.encodeAll(ctx, like, answered)
	if err != nil || len(texts) == 0 {
		return Price{}, err
	}
	var p Price
	each := 0.0
	for _, x := range texts {
		p.Tokens += float64(len(x.IDs)) / float64(len(texts))
		each += l.arch.flops(len(x.IDs)) / float64(len(texts))
	}
	for _, n := range fits {
		held := router.HeldOut * float64(n)
		p.FLOPs += float64(l.epochs) * each * (trainTimes*(float64(n)-held) + held)
	}
	if speed > 0 {
		p.Time = time.Duration(p.FLOPs / speed * float64(time.Second))
	}
	return p, nil
}

// Speed measures how fast training is here: FLOP/s of a step, matrix products
// alone counted, everything else in the time. It takes a second or a few.
func (l *Learner) Speed(ctx context.Context, threads int) (float64, error) {
	const length = 16
	step, err := l.Steps(threads, length)
	if err != nil {
		return 0, err
	}
	var best time.Duration
	for range 2 { // the first compiles
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		begun := time.Now()
		if _, err := step(); err != nil {
			return 0, err
		}
		if took := time.Since(begun); best == 0 || took < best {
			best = took
		}
	}
	return trainTimes * rows * l.arch.flops(length) / best.Seconds(), nil
}

// Steps returns a function that takes a step of training on a batch of 32 made-up
// texts of some tokens, always the same batch, and returns its loss before the step.
func (l *Learner) Steps(threads, length int) (func() (float64, error), error) {
	e, err := openExecutor(l.arch, threads)
	if err != nil {
		return nil, err
	}
	w := l.weights.start(l.arch, seed.Stream(0, "encoder", "speed"))
	b := &batch{rows: rows, length: length, tokens: make([]int32, rows*length), kinds: make([]int32, rows*length)}
	for i := range b.tokens {
		b.tokens[i] = int32(i * 7 % l.arch.Vocabulary)
	}
	for r := range rows {
		b.used, b.label = append(b.used, length), append(b.label, r%labels)
	}
	b.mask(l.arch, seed.Stream(0, "encoder", "speed", "dropout"))
	opt := newAdamW(l.arch.slots())
	return func() (float64, error) {
		loss, g, err := e.step(w, b)
		if err != nil {
			return 0, err
		}
		opt.step(w, g, l.rate)
		return loss, nil
	}, nil
}
