package analyze

import (
	"context"
	"fmt"
	"math"
	"time"

	"infnet/harness/baseline"
	"infnet/harness/cost"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/router"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// learnedPolicy is a baseline that was trained: its scores and its threshold.
type learnedPolicy struct {
	base      spec.Baseline
	name      string // of its row
	title     string
	learner   router.Learner
	quality   *quality // hybridllm
	labels    [2][]float64
	fitted    *router.Fitted
	fit, test []float64 // what is compared with the threshold, in the order of b.Fit and b.Test
	threshold router.Threshold
	overhead  float64 // what a query pays for its score, in the study's unit of cost
}

// Trained says how long a baseline took to train.
type Trained struct {
	Cascade, Dataset, Row string
	Learner               string
	Fits                  int
	Wall                  time.Duration // of all fits, which may have been side by side; 0 = not measured
	Held                  router.Judged // of the fit on all of the fit part
}

// train fits the baselines that learn, on the fit part alone.
func (b *Bench) train(ctx context.Context) error {
	for _, base := range b.in.Study.Baselines {
		if !base.Kind.Learns() {
			continue
		}
		if units := b.Units(); b.Roles.Learned.Of == nil {
			b.out.Notes = append(b.out.Notes, result.NewNote(note.Untrained{Baseline: learnedTitle(base), Units: units, Folds: records.LearnedFolds}))
			continue
		}
		l, err := b.learn(ctx, base)
		if err != nil {
			return fmt.Errorf("%s: %w", learnedTitle(base), err)
		}
		b.learned = append(b.learned, *l)
	}
	return nil
}

// learn trains one baseline and fits its threshold.
func (b *Bench) learn(ctx context.Context, base spec.Baseline) (*learnedPolicy, error) {
	l := &learnedPolicy{base: base, name: learnedName(base), title: learnedTitle(base)}
	var err error
	if l.learner, err = b.learner(base); err != nil {
		return nil, err
	}
	if l.does().Quality {
		if l.quality, err = b.qualities(); err != nil {
			return nil, err
		}
	}
	l.labels = [2][]float64{b.labels(l, b.Fit), b.labels(l, b.Test)}
	t := router.Task{
		Labels: l.labels[0], Answered: l.does().Answers, Classes: len(b.Dataset.Labels),
		Seed: b.in.Study.Seed, Name: b.Stream() + "/" + string(base.Kind), Threads: max(1, b.in.Threads), Clock: b.in.Clock,
	}
	if b.in.Progress != nil {
		t.Progress = func(done, total int) {
			b.in.Progress(fmt.Sprintf("train %s · %s", l.title, b.Dataset.Name), done, total)
		}
	}
	var apply []router.Sample
	if t.Samples, err = b.samples(b.Fit, l.learner, t.Answered); err != nil {
		return nil, err
	}
	if apply, err = b.samples(b.Test, l.learner, t.Answered); err != nil {
		return nil, err
	}
	if l.fitted, err = b.crossFit(ctx, l, t, b.Roles.Learned, apply); err != nil {
		return nil, err
	}
	l.overhead = b.overhead(l)
	l.fit, l.test = l.compared(l.fitted.OutOfFold), l.compared(l.fitted.Applied)
	l.threshold, err = b.fitThreshold(l)
	return l, err
}

// learner finds the learner of a baseline.
func (b *Bench) learner(base spec.Baseline) (router.Learner, error) {
	switch base.Learner {
	case router.Light:
		return router.NewLight(), nil
	case router.GBDT:
		return router.NewTrees(), nil
	}
	if open, ok := b.in.Learners[base.Learner]; ok {
		return open(base)
	}
	return nil, fmt.Errorf("this program has no learner %q: use light or gbdt", base.Learner)
}

// samples are records as a learner sees them. Confidences are those before
// calibration, which would have looked at errors.
func (b *Bench) samples(examples []int, l router.Learner, answered bool) ([]router.Sample, error) {
	e, ok := l.(router.Embedded)
	embeds := ok && e.NeedsEmbeddings()
	out := make([]router.Sample, len(examples))
	for k, i := range examples {
		s := router.Sample{ID: b.Set.Examples[i].ID, Group: b.Set.Examples[i].Group, Query: b.Sheet.Input(i)}
		if answered {
			s.Class, s.Beta, s.Answer = -1, b.Student().Readings[i].Beta, b.Student().Texts[i]
			if b.Dataset.Task == task.Classification {
				s.Class = b.Student().Readings[i].Class
				s.Answer = b.Dataset.Labels[s.Class].Word
			}
		}
		if embeds {
			v, err := b.Vector(s.Query)
			if err != nil {
				return nil, fmt.Errorf("record %s: %w", s.ID, err)
			}
			for _, x := range v {
				s.Embedding = append(s.Embedding, float64(x))
			}
		}
		out[k] = s
	}
	return out, nil
}

// does is what the baseline's kind does.
func (l *learnedPolicy) does() *baseline.Learning { return baseline.Of(l.base.Kind).Learns }

// labels are 1 where the baseline's kind says so.
func (b *Bench) labels(l *learnedPolicy, examples []int) []float64 {
	out := make([]float64, len(examples))
	for k, i := range examples {
		worth := baseline.Answers{Right: b.Student().Grades[i].Correct}
		if l.quality != nil {
			worth.Student, worth.Master = l.quality.student[i], l.quality.master[i]
		}
		if l.does().Label(worth, l.base.Rules()) {
			out[k] = 1
		}
	}
	return out
}

// compared are the numbers that a threshold is held against: the
// probabilities, or what the baseline's kind makes of them.
func (l *learnedPolicy) compared(p []float64) []float64 {
	compared := l.does().Compared
	if compared == nil {
		return p
	}
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = compared(v, l.base.Rules())
	}
	return out
}

// fitThreshold fits a baseline's threshold to the out-of-fold scores.
func (b *Bench) fitThreshold(l *learnedPolicy) (router.Threshold, error) {
	scored := baseline.Scored{Score: l.fit, Dearer: b.Student().Cost.Summary > b.Master().Cost.Summary}
	scored.Most, _ = b.affordable(l)
	if l.quality != nil {
		scored.Student, scored.Master = records.Pick(l.quality.student, b.Fit), records.Pick(l.quality.master, b.Fit)
	} else {
		errs := b.readablePart(b.Fit).Err
		scored.Student, scored.Master = errs[student], errs[b.Last()]
	}
	return l.does().Fit(scored, l.base.Rules())
}

// affordable is how many fit records a scorer may defer at the cost of ours: as
// many as ours, less those that pay for its scores; ok is false where the
// scores alone cost more than all that ours defers.
func (b *Bench) affordable(l *learnedPolicy) (deferred int, ok bool) {
	deferred = b.policyOf(b.main()).FitDeferred
	if l.overhead == 0 {
		return deferred, true
	}
	left := float64(deferred) - math.Ceil(l.overhead*float64(len(b.Fit))/b.Master().Cost.Summary)
	return int(max(0, left)), left >= 0
}

// charge says which models a query of the baseline pays for.
func (l *learnedPolicy) charge() cost.Charge { return l.does().Charge(l.base.Rules()) }

// learnedName names the row of a baseline that learns: its kind, and what is
// not the default.
func learnedName(base spec.Baseline) string {
	name := string(base.Kind)
	if base.Learner != router.Light {
		name += "-" + string(base.Learner)
	}
	if base.Encoder != "" {
		name += "-" + base.Encoder
	}
	if base.Quality() && (base.Delta != baseline.UsualDelta || base.Relative != base.Released) {
		name += "-delta-" + fraction(base.Delta)
		if base.Relative && !base.Released {
			name += "-relative"
		}
	}
	if base.Released {
		name += "-released"
	}
	return name
}

// learnedTitle is what tables call the row.
func learnedTitle(base spec.Baseline) string {
	title := baseline.Of(base.Kind).Title
	if base.Encoder != "" {
		title += ", " + base.Encoder
	} else if base.Learner != router.Light {
		title += ", " + string(base.Learner)
	}
	if base.Quality() && (base.Delta != baseline.UsualDelta || base.Relative != base.Released) {
		title += ", δ = " + fraction(base.Delta)
		if base.Relative && !base.Released {
			title += " relative"
		}
	}
	if base.Released {
		title += ", as released"
	}
	return title
}
