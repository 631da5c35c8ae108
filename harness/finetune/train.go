package finetune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"infnet/backends/runtime/wordpiece"
	"infnet/harness/router"
	"infnet/harness/seed"
)

// Fit fine-tunes all weights by AdamW on the mean logistic loss, with a rate
// that falls linearly to zero over all the epochs there may be, stops after
// three epochs without a smaller loss on the records held out, and keeps the
// weights of the smallest. Where nothing is held out it trains three epochs.
func (l *Learner) Fit(ctx context.Context, t router.Task) (router.Predictor, router.Report, error) {
	report := router.Report{Records: len(t.Samples)}
	for _, y := range t.Labels {
		report.Ones += int(y)
	}
	if report.Ones == 0 || report.Ones == report.Records {
		return nil, report, fmt.Errorf("%d records, all with one label: there is nothing to learn", report.Records)
	}
	if s, report, ok := l.load(t); ok {
		return s, report, nil
	}
	r, err := l.newRun(ctx, t)
	if err != nil {
		return nil, report, err
	}
	if err := r.train(ctx); err != nil {
		return nil, report, err
	}
	r.executor.forget()
	s := &predictor{learner: l, answered: t.Answered, weights: r.best, executor: r.executor,
		calibration: router.Uncalibrated()}
	report.Epochs, report.Passes = r.bestEpoch, r.passes
	if len(r.held) > 0 {
		z, err := s.odds(ctx, r.texts, r.held)
		if err != nil {
			return nil, report, err
		}
		y := pick(t.Labels, r.held)
		report.Held = router.Judge(sigmoids(z), y)
		if s.calibration, report.Note, err = router.Calibrate(z, y); err != nil {
			return nil, report, err
		}
	}
	report.Digest = s.digest()
	return s, report, l.save(t, s, report)
}

// run is a fit under way.
type run struct {
	*Learner
	task        router.Task
	executor    *executor
	texts       []wordpiece.Encoding
	fit         []int // positions of the records to train on, and of those held out
	held        []int
	now, best   weights
	optimiser   *adamW
	bestLoss    float64
	bestEpoch   int
	passes      int
	order, drop *rand.Rand
}

func (l *Learner) newRun(ctx context.Context, t router.Task) (*run, error) {
	texts, err := l.encodeAll(ctx, t.Samples, t.Answered)
	if err != nil {
		return nil, err
	}
	e, err := openExecutor(l.arch, t.Threads)
	if err != nil {
		return nil, err
	}
	r := &run{Learner: l, task: t, executor: e, texts: texts, bestLoss: math.Inf(1)}
	r.fit, r.held = t.HoldOut(router.HeldOut)
	r.now = l.weights.start(l.arch, seed.Stream(t.Seed, t.Name, "encoder", "head"))
	r.optimiser = newAdamW(l.arch.slots())
	r.order = seed.Stream(t.Seed, t.Name, "encoder", "order")
	r.drop = seed.Stream(t.Seed, t.Name, "encoder", "dropout")
	return r, nil
}

// without is the number of epochs where nothing can be held out.
const without = 3

func (r *run) train(ctx context.Context) error {
	most := r.epochs
	if len(r.held) == 0 {
		most = min(most, without)
	}
	steps := (len(r.fit) + rows - 1) / rows
	for epoch := range most {
		loss, err := r.epoch(ctx, epoch, steps, most)
		if err != nil {
			return err
		}
		r.passes++
		if len(r.held) == 0 {
			r.best, r.bestEpoch = r.now, r.passes
			continue
		}
		held, err := r.heldLoss(ctx)
		if err != nil {
			return err
		}
		r.logf("epoch %d of at most %d: loss %.4f, on the %d records held out %.4f", epoch+1, most, loss, len(r.held), held)
		if held < r.bestLoss {
			r.bestLoss, r.bestEpoch, r.best = held, r.passes, r.now.clone()
		} else if r.passes-r.bestEpoch >= patience {
			break
		}
	}
	if r.best == nil {
		return fmt.Errorf("the loss on the records held out was never a number: training diverged")
	}
	if r.task.Progress != nil {
		r.task.Progress(most*steps, most*steps)
	}
	return nil
}

// epoch goes through the records once, in a drawn order.
func (r *run) epoch(ctx context.Context, epoch, steps, most int) (loss float64, err error) {
	order := append([]int(nil), r.fit...)
	r.order.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for k := range steps {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		at := order[k*rows : min((k+1)*rows, len(order))]
		b := gather(r.texts, at)
		b.mask(r.arch, r.drop)
		for _, i := range at {
			b.label = append(b.label, int(r.task.Labels[i]))
		}
		l, g, err := r.executor.step(r.now, b)
		if err != nil {
			return 0, err
		}
		done := epoch*steps + k
		r.optimiser.step(r.now, g, r.rate*(1-float64(done)/float64(most*steps)))
		loss += l * float64(len(at)) / float64(len(order))
		if r.task.Progress != nil {
			r.task.Progress(done+1, most*steps)
		}
	}
	return loss, nil
}

// heldLoss is the mean loss on the records held out.
func (r *run) heldLoss(ctx context.Context) (float64, error) {
	s := &predictor{learner: r.Learner, answered: r.task.Answered, weights: r.now, executor: r.executor}
	z, err := s.odds(ctx, r.texts, r.held)
	if err != nil {
		return 0, err
	}
	return router.Judge(sigmoids(z), pick(r.task.Labels, r.held)).Loss, nil
}

func (r *run) logf(format string, args ...any) {
	if r.task.Logf != nil {
		r.task.Logf(r.Name()+": "+format, args...)
	}
}

func pick[T any](all []T, at []int) []T {
	out := make([]T, len(at))
	for k, i := range at {
		out[k] = all[i]
	}
	return out
}
