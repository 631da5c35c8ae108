package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"infnet/harness/baseline"
	"infnet/harness/fault"
	"infnet/harness/finetune"
	"infnet/harness/pipeline/folder"
	learn "infnet/harness/router"
	"infnet/harness/spec"
	"infnet/harness/split"
	"infnet/harness/task"
)

// LongTraining is the expected duration above which fine-tuning needs Options.LongTraining.
const LongTraining = time.Hour

// tuners opens the encoders that baselines fine-tune, each once.
type tuners struct {
	study *Study
	cache string // folder of checkpoints; "" = none

	mu   sync.Mutex
	open map[string]*finetune.Learner // by the encoder's name; nil = its folder is not on this machine
	sum  *time.Duration               // see total
}

// newTuners keeps checkpoints in the study's cache, so that an interrupted run
// does not train again what it had trained.
func newTuners(st *Study, keep bool) *tuners {
	t := &tuners{study: st, open: map[string]*finetune.Learner{}}
	if keep {
		t.cache = filepath.Join(st.options.Out, folder.Cache, "encoders")
	}
	return t
}

// learner returns the learner of a baseline; nil if its folder is on the hub and was not
// downloaded.
func (t *tuners) learner(ctx context.Context, b spec.Baseline) (*finetune.Learner, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.open[b.Encoder]; ok {
		return l, nil
	}
	m := t.encoder(b.Encoder)
	if m == nil || !m.Config.Traits().Folder || !m.Config.Traits().Answers {
		return nil, fault.Spec.Wrap(fmt.Errorf("encoder %q: want a model of the backend local, whose path is a folder of "+
			"BERT or DistilBERT", b.Encoder))
	}
	cfg, ok, err := m.withFolder(ctx)
	if err != nil {
		return nil, fault.Model.Wrap(fmt.Errorf("encoder %q: %w", m.Name, err))
	}
	if !ok {
		t.open[b.Encoder] = nil
		return nil, nil
	}
	l, err := finetune.Open(finetune.Options{Name: m.Name, Folder: cfg.Files, Cache: t.cache})
	if err != nil {
		return nil, fault.Model.Wrap(fmt.Errorf("folder %s: %w", m.Path, err))
	}
	t.open[b.Encoder] = l
	return l, nil
}

// encoder returns the model that a baseline fine-tunes; nil if there is none.
func (t *tuners) encoder(name string) *Model {
	st := t.study
	found, ok := st.Spec.Encoder(name)
	if !ok {
		return nil
	}
	for _, m := range slices.Concat(st.Models, st.encoders) {
		if m.Model == found {
			return m
		}
	}
	m := st.model(found)
	st.encoders = append(st.encoders, m)
	return m
}

// tuned is a learner that needs permission to train for hours.
type tuned struct {
	*finetune.Learner
	t *tuners
}

var _ learn.Serial = tuned{}

// Fit refuses what would take too long.
func (l tuned) Fit(ctx context.Context, k learn.Task) (learn.Predictor, learn.Report, error) {
	if !l.t.study.options.LongTraining && !l.Kept(k) {
		total, err := l.t.total(ctx)
		if err != nil {
			return nil, learn.Report{}, err
		}
		if total > LongTraining {
			return nil, learn.Report{}, fault.Budget.Wrap(fmt.Errorf("fine-tuning the encoders of this study takes this "+
				"machine's processor up to %s, and more than %s "+
				"is begun only with --yes; the answers are on disk. infnet plan says what takes how long; learner = \"light\" "+
				"takes seconds", Hours(total), Hours(LongTraining)))
		}
	}
	return l.Learner.Fit(ctx, k)
}

// check opens every encoder, so that a faulty one is found before a model is called.
func (t *tuners) check(ctx context.Context) error {
	for _, b := range t.study.Spec.Baselines {
		if b.Learner != learn.Encoder || !b.Kind.Learns() {
			continue
		}
		if _, err := t.learner(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// learners returns the learners for package analyze.
func (t *tuners) learners(ctx context.Context) map[learn.Kind]func(spec.Baseline) (learn.Learner, error) {
	return map[learn.Kind]func(spec.Baseline) (learn.Learner, error){
		learn.Encoder: func(b spec.Baseline) (learn.Learner, error) {
			l, err := t.learner(ctx, b)
			if err != nil {
				return nil, err
			}
			if l == nil {
				return nil, fmt.Errorf("encoder %q: its folder is not on this machine", b.Encoder)
			}
			return tuned{l, t}, nil
		},
	}
}

// Training is what fine-tuning costs for one baseline on one dataset of one
// cascade.
type Training struct {
	Cascade, Dataset, Baseline, Encoder string
	Records, Fits                       int
	Price                               finetune.Price
}

// planned estimates all fine-tuning of the study, without checkpoints and early stopping. Models
// that are not on this machine are left out.
func (t *tuners) planned(ctx context.Context) ([]Training, error) {
	var out []Training
	speed := map[string]float64{}
	for _, b := range t.study.Spec.Baselines {
		if b.Learner != learn.Encoder || !b.Kind.Learns() {
			continue
		}
		l, err := t.learner(ctx, b)
		if err != nil {
			return nil, err
		}
		if l == nil {
			continue
		}
		if speed[b.Encoder] == 0 {
			if speed[b.Encoder], err = l.Speed(ctx, t.study.threads()); err != nil {
				return nil, err
			}
		}
		for _, c := range t.study.Spec.Cascades {
			for _, d := range c.Datasets {
				samples := t.study.Dataset(d).likely(baseline.Of(b.Kind).Learns.Answers)
				if len(samples) == 0 {
					continue
				}
				n := len(samples)
				fits := []int{n}
				for range TuningFolds {
					if !b.Released {
						fits = append(fits, n*(TuningFolds-1)/TuningFolds)
					}
				}
				p, err := l.Price(ctx, samples, baseline.Of(b.Kind).Learns.Answers, fits, speed[b.Encoder])
				if err != nil {
					return nil, err
				}
				out = append(out, Training{c.Name, d, string(b.Kind), b.Encoder, n, len(fits), p})
			}
		}
	}
	return out, nil
}

// TuningFolds is the number of folds of package analyze. A baseline as released is
// fitted once.
const TuningFolds = 5

// likely returns typical samples of a dataset's fit part, with an answer of about the right length,
// since the student's is not known yet.
func (d *Dataset) likely(answered bool) []learn.Sample {
	sheet := d.Sheet
	if sheet == nil {
		return nil
	}
	out := make([]learn.Sample, split.Floor(d.Split.Fit, sheet.Len()))
	for i := range out {
		out[i].Query = sheet.Input(i)
		if !answered {
			continue
		}
		switch e := sheet.Set.Examples[i]; {
		case d.Task == task.Classification && len(d.Labels) > 0:
			out[i].Answer = d.Labels[0].Word
		case len(e.References) > 0:
			out[i].Answer = e.References[0]
		}
	}
	return out
}

// total is the time of all fine-tuning, computed once.
func (t *tuners) total(ctx context.Context) (time.Duration, error) {
	if t.sum != nil {
		return *t.sum, nil
	}
	list, err := t.planned(ctx)
	if err != nil {
		return 0, err
	}
	t.sum = new(time.Duration)
	for _, x := range list {
		*t.sum += x.Price.Time
	}
	return *t.sum, nil
}

// Hours formats a duration for people.
func Hours(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f seconds", d.Seconds())
	case d < LongTraining:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	case d == LongTraining:
		return "an hour"
	}
	return fmt.Sprintf("%.1f hours", d.Hours())
}

// tidy deletes the checkpoints of a study whose scores are all in its cache.
func (t *tuners) tidy() {
	if t.cache != "" {
		_ = os.RemoveAll(t.cache) // only space
	}
}

// Training estimates all fine-tuning of the study, without checkpoints and early stopping. Models
// that are not on this machine are left out.
func (st *Study) Training(ctx context.Context) ([]Training, error) {
	t := newTuners(st, false)
	if err := t.check(ctx); err != nil { // a faulty one is found before any is timed
		return nil, err
	}
	return t.planned(ctx)
}
