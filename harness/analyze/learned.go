package analyze

import (
	"context"
	"fmt"
	"math"
	"time"

	"infnet/harness/baseline"
	"infnet/harness/cost"
	"infnet/harness/policy"
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
	fit, test []float64 // scores to compare with the threshold, in the order of the fit and the test part
	threshold router.Threshold
	ours      int     // fit records that our policy defers
	overhead  float64 // cost of a query's score, in the study's unit
}

// Trained says how long a baseline took to train.
type Trained struct {
	Cascade, Dataset, Row string
	Learner               string
	Fits                  int
	Wall                  time.Duration // of all fits, which may have run in parallel; 0 = not measured
	Held                  router.Judged // of the fit on all of the fit part
}

// lessons are the baselines that learned, in the study's order.
type lessons struct {
	policies []learnedPolicy
	trained  []Trained
	fits     map[string]*router.Fitted // by the hash of their inputs: rows that differ only in their thresholds share one
}

// train fits the baselines that learn, on the fit part alone. Their budget is that
// of the policy ours.
func train(ctx context.Context, in Input, r *records.Records,
	ours policy.Policy) (out lessons, notes []result.Note, err error) {
	out.fits = map[string]*router.Fitted{}
	for _, base := range r.Study.Baselines {
		if !base.Kind.Learns() {
			continue
		}
		if r.Roles.Learned.Of == nil && !base.Released {
			notes = append(notes, note.Untrained(learnedTitle(base), r.Units(), records.LearnedFolds))
			continue
		}
		l := learnedPolicy{base: base, name: learnedName(base), title: learnedTitle(base), ours: ours.FitDeferred}
		if err := out.learn(ctx, in, r, &l); err != nil {
			return out, nil, fmt.Errorf("%s: %w", learnedTitle(base), err)
		}
		out.policies = append(out.policies, l)
	}
	return out, notes, nil
}

// learn trains one baseline and fits its threshold.
func (out *lessons) learn(ctx context.Context, in Input, r *records.Records, l *learnedPolicy) (err error) {
	base := l.base
	if l.learner, err = learner(in, base); err != nil {
		return err
	}
	if l.learning().Quality {
		if l.quality, err = qualities(r); err != nil {
			return err
		}
	}
	l.labels = [2][]float64{labels(r, l, r.Fit), labels(r, l, r.Test)}
	t := router.Task{
		Labels: l.labels[0], Answered: l.learning().Answers, Classes: len(r.Dataset.Labels),
		Seed: r.Study.Seed, Name: r.Stream() + "/" + string(base.Kind), Threads: max(1, in.Threads), Clock: in.Clock,
	}
	if in.Progress != nil {
		t.Progress = func(done, total int) {
			in.Progress(fmt.Sprintf("train %s · %s", l.title, r.Dataset.Name), done, total)
		}
	}
	var apply []router.Sample
	if t.Samples, err = samples(r, r.Fit, l.learner, t.Answered); err != nil {
		return err
	}
	if apply, err = samples(r, r.Test, l.learner, t.Answered); err != nil {
		return err
	}
	if l.fitted, err = out.fit(ctx, in, l, lesson{r, t, apply, base.Released}); err != nil {
		return err
	}
	if base.Learner == router.Command && countsOperations(r) && l.fitted.FLOPs == 0 && !l.fitted.Constant {
		return fmt.Errorf("%s: costs are operations, and it says none of its own: give \"flops\" with every score "+
			"(harness/program/PROTOCOL.md), or choose another cost.model", l.learner.Name())
	}
	l.overhead = overhead(r, l)
	l.fit, l.test = l.compared(l.fitted.OutOfFold), l.compared(l.fitted.Applied)
	l.threshold, err = fitThreshold(r, l)
	return err
}

// learner finds the learner of a baseline.
func learner(in Input, base spec.Baseline) (router.Learner, error) {
	switch base.Learner {
	case router.Light:
		return router.NewLight(), nil
	case router.GBDT:
		return router.NewTrees(), nil
	}
	if open, ok := in.Learners[base.Learner]; ok {
		return open(base)
	}
	return nil, fmt.Errorf("this program has no learner %q: use light or gbdt", base.Learner)
}

// samples converts records for a learner. Confidences are those before calibration,
// because a calibrator is fitted to the errors.
func samples(r *records.Records, examples []int, l router.Learner, answered bool) ([]router.Sample, error) {
	e, ok := l.(router.Embedded)
	embeds := ok && e.NeedsEmbeddings()
	out := make([]router.Sample, len(examples))
	for k, i := range examples {
		s := router.Sample{ID: r.Set.Examples[i].ID, Group: r.Set.Examples[i].Group, Query: r.Sheet.Input(i)}
		if answered {
			s.Class, s.Beta, s.Answer = -1, r.Student().Raw[i], r.Text(student, i)
			if r.Dataset.Task == task.Classification {
				s.Class = r.Student().Class[i]
				s.Answer = r.Dataset.Labels[s.Class].Word
			}
		}
		if embeds {
			v, err := r.Vector(s.Query)
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

// learning returns the learning method of the baseline's kind.
func (l *learnedPolicy) learning() *baseline.Learning { return baseline.Of(l.base.Kind).Learns }

// labels returns the labels of a baseline's kind.
func labels(r *records.Records, l *learnedPolicy, examples []int) []float64 {
	out := make([]float64, len(examples))
	for k, i := range examples {
		worth := baseline.Answers{Right: r.Student().IsRight(i)}
		if l.quality != nil {
			worth.Student, worth.Master = l.quality.student[i], l.quality.master[i]
		}
		if l.learning().Label(worth, l.base.Rules()) {
			out[k] = 1
		}
	}
	return out
}

// compared returns the numbers that are compared with the threshold: the
// probabilities, or the baseline kind's function of them.
func (l *learnedPolicy) compared(p []float64) []float64 {
	compared := l.learning().Compared
	if compared == nil {
		return p
	}
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = compared(v, l.base.Rules())
	}
	return out
}

// fitThreshold fits a baseline's threshold to the scores of the fit part.
func fitThreshold(r *records.Records, l *learnedPolicy) (router.Threshold, error) {
	scored := baseline.Scored{Score: l.fit, Dearer: r.Student().Cost.Summary > r.Master().Cost.Summary}
	scored.Most, _ = affordable(r, l)
	if l.quality != nil {
		scored.Student, scored.Master = records.Pick(l.quality.student, r.Fit), records.Pick(l.quality.master, r.Fit)
	} else {
		scored.Student, scored.Master = r.Student().Errors(r.Fit), r.Master().Errors(r.Fit)
	}
	return l.learning().Fit(scored, l.base.Rules())
}

// affordable returns how many fit records a scorer may defer at the cost of ours:
// as many as ours, less the deferrals that its scores cost. ok is false if the
// scores alone cost more than all of our deferrals.
func affordable(r *records.Records, l *learnedPolicy) (deferred int, ok bool) {
	if l.overhead == 0 {
		return l.ours, true
	}
	left := float64(l.ours) - math.Ceil(l.overhead*float64(len(r.Fit))/r.Master().Cost.Summary)
	return int(max(0, left)), left >= 0
}

// charge returns which models a query of the baseline pays for.
func (l *learnedPolicy) charge() cost.Charge { return l.learning().Charge(l.base.Rules()) }

// learnedName returns the name of a learning baseline's row: its kind, and the
// options that are not the default.
func learnedName(base spec.Baseline) string {
	name := string(base.Kind)
	if base.Learner != router.Light {
		name += "-" + string(base.Learner)
	}
	if base.Learner == router.Command {
		name += "-" + base.Program()
	}
	if base.Quality() && base.Delta != baseline.UsualDelta {
		name += "-delta-" + fraction(base.Delta)
	}
	if base.Released {
		name += "-released"
	}
	return name
}

// learnedTitle returns the title of the row.
func learnedTitle(base spec.Baseline) string {
	title := baseline.Of(base.Kind).Title
	if base.Learner == router.Command {
		title += ", " + base.Program()
	} else if base.Learner != router.Light {
		title += ", " + string(base.Learner)
	}
	if base.Quality() && base.Delta != baseline.UsualDelta {
		title += ", δ = " + fraction(base.Delta)
	}
	if base.Released {
		title += ", as released"
	}
	return title
}
