package analyze

import (
	"context"
	"fmt"
	"math"

	"infnet/backends"
	"infnet/harness/baseline"
	"infnet/harness/calc"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/router"
	"infnet/harness/spec"
	"infnet/harness/split"
)

// learnedPolicy is a baseline that was trained: its scores and its threshold.
type learnedPolicy struct {
	base      spec.Baseline
	learning  *baseline.Learning // of its kind
	name      string             // of its row
	title     string
	learner   router.Learner
	quality   *quality // hybridllm
	labels    [2][]float64
	fitted    *router.Fitted
	fit, test []float64 // scores to compare with the threshold, in the order of the fit and the test part
	elsewhere []float64 // those of the test parts of further records, one after the other
	threshold router.Threshold
	ours      int     // fit records that our policy defers
	overhead  float64 // cost of a query's score, in the study's unit
}

type lessons struct {
	policies []learnedPolicy
	fits     map[string]*router.Fitted // by the hash of their inputs: rows that differ only in their thresholds share one
	also     []*records.Records        // whose test parts are scored too
}

// train fits the baselines that learn, on the fit part alone. Their budget is that
// of the policy ours. The test parts of further records are scored too.
func train(ctx context.Context, in Input, r *records.Records,
	ours policy.Policy, also ...*records.Records) (out lessons, notes []result.Note, err error) {
	out.fits, out.also = map[string]*router.Fitted{}, also
	for _, base := range r.Study.Baselines {
		if !base.Kind.Learns() {
			continue
		}
		l := learnedPolicy{base: base, learning: baseline.Of(base.Kind).Learns, ours: ours.FitDeferred}
		l.name, l.title = learnedRowOf(base)
		if l.learning.Second && !records.Confident(r, r.Last()) {
			notes = append(notes, note.Say("untrained", "There is no row of %s: it needs a confidence of %s, and not every "+
				"answer has one.", l.title, r.Cascade.Models[r.Last()]))
			continue
		}
		if r.Roles.Learned.Of == nil && !l.once() {
			notes = append(notes, untrained(r, l.title))
			continue
		}
		if err := out.learn(ctx, in, r, &l); err != nil {
			return out, nil, fmt.Errorf("%s: %w", l.title, err)
		}
		out.policies = append(out.policies, l)
	}
	return out, notes, nil
}

// untrained: what learns has no row, since the fit part has fewer units than folds.
func untrained(r *records.Records, what string) result.Note {
	return note.Say("untrained", "No row of %s: the fit part has %d records or groups of records, fewer than the %d "+
		"folds that its threshold takes.", what, records.Units(r), records.LearnedFolds)
}

func (out *lessons) learn(ctx context.Context, in Input, r *records.Records, l *learnedPolicy) (err error) {
	base := l.base
	if l.learner, err = learner(in, base); err != nil {
		return err
	}
	if l.learning.Quality {
		if l.quality, err = qualities(r); err != nil {
			return err
		}
	}
	l.labels = [2][]float64{labels(r, l, r.Fit), labels(r, l, r.Test)}
	t := router.Task{
		Labels: l.labels[0], Answered: l.learning.Answers, Classes: len(r.Dataset.Labels),
		Seed: r.Study.Seed, Name: r.Stream() + "/" + string(base.Kind), Threads: max(1, in.Threads),
	}
	if in.Progress != nil {
		t.Progress = func(done, total int) {
			in.Progress(fmt.Sprintf("train %s · %s", l.title, r.Dataset.Name), done, total)
		}
	}
	take := kept[[]router.Sample](&err)
	t.Samples = take(samples(r, r.Fit, l.learner, t.Answered))
	var apply []router.Sample
	for _, other := range append([]*records.Records{r}, out.also...) {
		apply = append(apply, take(samples(other, other.Test, l.learner, t.Answered))...)
	}
	if err != nil {
		return err
	}
	if l.learner.Estimates {
		for _, m := range r.Models {
			t.Quality = append(t.Quality, complement(m.Errors(r.Fit)))
			t.Cost = append(t.Cost, records.Pick(m.Costs, r.Fit))
		}
	}
	if l.fitted, err = out.fit(ctx, in, r, l, t, apply); err != nil {
		return err
	}
	if base.Learner == router.Command && countsOperations(r) && l.fitted.FLOPs == 0 && !l.fitted.Constant {
		return fmt.Errorf("%s: costs are operations, and it says none of its own: give \"flops\" with every score "+
			"(harness/program/PROTOCOL.md), or choose another cost.model", l.learner.Name)
	}
	if countsOperations(r) {
		l.overhead = l.fitted.FLOPs / 1e12
	}
	scored := l.compared(l.fitted.Applied)
	l.fit, l.test, l.elsewhere = l.compared(l.fitted.OutOfFold), scored[:len(r.Test)], scored[len(r.Test):]
	l.threshold, err = fitThreshold(r, l)
	return err
}

// countsOperations reports whether costs are sums of operations, of which a
// learner's own can be a part.
func countsOperations(r *records.Records) bool {
	c := r.Study.Cost
	return c.Model == cost.TFLOPs && c.Summary != cost.Signature
}

// learnedCode is the version of the computation behind cached fits: raise it when
// the same samples lead to different scores. Each learner's key has a version too.
const learnedCode = 4

// fit trains a learner and scores the records apply, or looks up an earlier fit on the same samples.
func (out *lessons) fit(ctx context.Context, in Input, r *records.Records, l *learnedPolicy, t router.Task,
	apply []router.Sample) (*router.Fitted, error) {
	name, folds := "learned", r.Roles.Learned
	if l.once() {
		name, folds = "learned once", split.Folds{}
	}
	key, err := digest(name, learnedCode, l.learner.Key, t.Answered, t.Classes, t.Seed, t.Name, folds, t.Labels,
		t.Quality, t.Cost, t.Samples, apply)
	if err != nil {
		return nil, fmt.Errorf("scores: %w", err)
	}
	if f, ok := out.fits[key]; ok {
		return f, nil
	}
	whole := func(f *router.Fitted) bool {
		return f != nil && len(f.OutOfFold) == len(t.Samples) && len(f.Applied) == len(apply)
	}
	f, err := remembered(in.Cache, key, whole, func() (*router.Fitted, error) {
		if l.once() {
			return router.FitOnce(ctx, l.learner, t, apply)
		}
		return router.CrossFit(ctx, l.learner, t, folds, apply)
	})
	out.fits[key] = f
	return f, err
}

func learner(in Input, base spec.Baseline) (router.Learner, error) {
	if own := baseline.Of(base.Kind).Learns.Learner; own != nil {
		return own(), nil
	}
	switch base.Learner {
	case router.Light:
		return router.NewLight(), nil
	}
	if open, ok := in.Learners[base.Learner]; ok {
		return open(base)
	}
	return router.Learner{}, fmt.Errorf("this program has no learner %q: use light", base.Learner)
}

// samples converts records for a learner. Confidences are those before calibration,
// because a calibrator is fitted to the errors.
func samples(r *records.Records, examples []int, l router.Learner, answered bool) ([]router.Sample, error) {
	out := make([]router.Sample, len(examples))
	for k, i := range examples {
		s := router.Sample{ID: r.Set.Examples[i].ID, Group: r.Set.Examples[i].Group, Query: r.Sheet.Input(i)}
		if answered {
			s.Class, s.Beta, s.Answer = -1, r.Student().Raw[i], r.Text(student, i)
			if r.Classifies() {
				s.Class = r.Student().Class[i]
				s.Answer = r.Dataset.Labels[s.Class].Word
			}
		}
		var err error
		if l.Tokens {
			s.Features, err = features(r, i)
		}
		if l.Embeds && err == nil {
			var v []float32
			v, err = r.Vector(s.Query)
			for _, x := range v {
				s.Embedding = append(s.Embedding, float64(x))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", s.ID, err)
		}
		out[k] = s
	}
	return out, nil
}

// features are what quantiles of token log-probabilities say of the student's answer; nil = no token, or one of
// probability 0. An answer that is no text has one token, as likely as the answer is confident.
func features(r *records.Records, i int) ([]float64, error) {
	a, err := r.Sheet.Heard(r.Student().At(i))
	if err != nil {
		return nil, err
	}
	if len(a.Tokens) == 0 {
		a = backends.Answer{Tokens: []backends.Token{{Logprob: calc.Log(r.Student().Raw[i])}}}
	}
	f, ok, err := confidence.FeatureOf(a)
	if !ok {
		return nil, err
	}
	return f[:], nil
}

func labels(r *records.Records, l *learnedPolicy, examples []int) []float64 {
	out := make([]float64, len(examples))
	for k, i := range examples {
		worth := baseline.Answers{Right: r.Student().IsRight(i), Student: 1 - r.Student().Errs[i],
			Master: 1 - r.Master().Errs[i]}
		if l.quality != nil {
			worth.Student, worth.Master = l.quality.student[i], l.quality.master[i]
		}
		out[k] = indicator(l.learning.Label(worth, l.base.Rules()))
	}
	return out
}

// compared returns the numbers that are compared with the threshold: the
// probabilities, or the baseline kind's function of them.
func (l *learnedPolicy) compared(p []float64) []float64 {
	if l.learning.Compared == nil {
		return p
	}
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = l.learning.Compared(v, l.base.Rules())
	}
	return out
}

func fitThreshold(r *records.Records, l *learnedPolicy) (router.Threshold, error) {
	scored := baseline.Scored{Score: l.fit, Dearer: r.Student().Cost.Summary > r.Master().Cost.Summary}
	scored.Most, _ = affordable(r, l)
	if l.quality != nil {
		scored.Student, scored.Master = records.Pick(l.quality.student, r.Fit), records.Pick(l.quality.master, r.Fit)
	} else {
		scored.Student, scored.Master = r.Student().Errors(r.Fit), r.Master().Errors(r.Fit)
	}
	if l.learning.Second {
		var err error
		scored.Second, err = router.Calibrated(records.Pick(r.Master().Raw, r.Fit), indicators(r.Master().Right(r.Fit)),
			!r.Classifies())
		if err != nil {
			return router.Threshold{}, err
		}
	}
	return l.learning.Fit(scored, l.base.Rules())
}

// once reports whether one fit scores everything, the records that it saw, too.
func (l *learnedPolicy) once() bool { return l.base.Released || l.learning.Once }

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

// learnedRowOf returns the name and the title of a learning baseline's row: its kind, and the
// options that are not the default.
func learnedRowOf(base spec.Baseline) (name, title string) {
	name, title = string(base.Kind), baseline.Of(base.Kind).Title
	switch base.Learner {
	case router.Light, "":
	case router.Command:
		name, title = name+"-"+string(base.Learner)+"-"+base.Program(), title+", "+base.Program()
	default:
		name, title = name+"-"+string(base.Learner), title+", "+string(base.Learner)
	}
	if base.Quality() && base.Delta != baseline.UsualDelta {
		name, title = name+"-delta-"+fraction(base.Delta), title+", δ = "+fraction(base.Delta)
	}
	if base.Released {
		name, title = name+"-released", title+", as released"
	}
	return name, title
}
