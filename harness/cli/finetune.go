package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"infnet/harness/fault"
	"infnet/harness/finetune"
	learn "infnet/harness/router"
	"infnet/harness/spec"
	"infnet/harness/split"
	"infnet/harness/task"
)

// trainFlags say how dear an analysis may be.
type trainFlags struct {
	Yes bool `help:"Fine-tune encoders even where that takes this machine's processor more than an hour."`
}

// longTraining is the time from which on fine-tuning is begun only when asked
// for with --yes.
const longTraining = time.Hour

// tuners opens the encoders that baselines fine-tune, each once.
type tuners struct {
	st    *study
	cache string // folder of checkpoints; "" = none
	yes   bool

	mu   sync.Mutex
	open map[string]*finetune.Learner
	sum  *time.Duration // see total
}

// tuners keeps checkpoints in the study's cache, so that an interrupted run
// does not train again what it had trained.
func (st *study) tuners(noCache bool) *tuners {
	t := &tuners{st: st, yes: st.flags.Long, open: map[string]*finetune.Learner{}}
	if !noCache {
		t.cache = filepath.Join(st.out, cacheFolder, "encoders")
	}
	return t
}

// learner returns the learner of a baseline; nil where its folder is on the
// hub and the command does without.
func (t *tuners) learner(ctx context.Context, b spec.Baseline) (*finetune.Learner, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l, ok := t.open[b.Encoder]; ok {
		return l, nil
	}
	m, ok := t.st.spec.Encoder(b.Encoder)
	if !ok || m.Config.Local == nil {
		return nil, fault.Spec.Wrap(fmt.Errorf("encoder %q: want a model of the backend local, whose path is a folder of BERT or DistilBERT", b.Encoder))
	}
	cfg, here, err := t.st.withFolder(ctx, m)
	if err != nil {
		return nil, fault.Model.Wrap(fmt.Errorf("encoder %q: %w", m.Name, err))
	}
	if !here {
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

// tuned is a learner that asks before it works for hours.
type tuned struct {
	*finetune.Learner
	t *tuners
}

var _ learn.Serial = tuned{}

// Fit refuses what would take too long.
func (l tuned) Fit(ctx context.Context, k learn.Task) (learn.Scorer, learn.Report, error) {
	if !l.t.yes && !l.Kept(k) {
		total, err := l.t.total(ctx)
		if err != nil {
			return nil, learn.Report{}, err
		}
		if total > longTraining {
			return nil, learn.Report{}, fault.Budget.Wrap(fmt.Errorf("fine-tuning the encoders of this study takes this machine's processor up to %s, and more than %s "+
				"is begun only with --yes; the answers are on disk. infnet plan says what takes how long; learner = \"light\" takes seconds", hours(total), hours(longTraining)))
		}
	}
	return l.Learner.Fit(ctx, k)
}

// check opens every encoder, so that what is wrong with one is known before a
// model is asked.
func (t *tuners) check(ctx context.Context) error {
	for _, b := range t.st.spec.Baselines {
		if b.Learner != learn.Encoder || !b.Kind.Learns() {
			continue
		}
		if _, err := t.learner(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// learners are what package analyze is given.
func (t *tuners) learners(ctx context.Context) map[learn.Kind]func(spec.Baseline) (learn.Learner, error) {
	return map[learn.Kind]func(spec.Baseline) (learn.Learner, error){
		learn.Encoder: func(b spec.Baseline) (learn.Learner, error) {
			l, err := t.learner(ctx, b)
			if err != nil {
				return nil, err
			}
			if l == nil {
				return nil, fmt.Errorf("encoder %q: its folder is not here", b.Encoder)
			}
			return tuned{l, t}, nil
		},
	}
}

// training is what fine-tuning costs for one baseline on one dataset of one
// cascade.
type training struct {
	cascade, dataset, baseline, encoder string
	records                             int
	price                               finetune.Price
}

// planned prices all fine-tuning of the study, as if nothing were kept and no
// training stopped early. What is away is left out.
func (t *tuners) planned(ctx context.Context) ([]training, error) {
	var out []training
	speed := map[string]float64{}
	for _, b := range t.st.spec.Baselines {
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
			if speed[b.Encoder], err = l.Speed(ctx, t.st.threads()); err != nil {
				return nil, err
			}
		}
		for _, c := range t.st.spec.Cascades {
			for _, d := range c.Datasets {
				samples := t.st.likely(d, b.Kind == spec.FrugalGPT)
				if len(samples) == 0 {
					continue
				}
				n := len(samples)
				fits := []int{n}
				for range tuningFolds {
					fits = append(fits, n*(tuningFolds-1)/tuningFolds)
				}
				p, err := l.Price(ctx, samples, b.Kind == spec.FrugalGPT, fits, speed[b.Encoder])
				if err != nil {
					return nil, err
				}
				out = append(out, training{c.Name, d, string(b.Kind), b.Encoder, n, p})
			}
		}
	}
	return out, nil
}

// tuningFolds is the number of folds of package analyze.
const tuningFolds = 5

// likely are samples of a dataset's fit part as they will look: with an answer
// of about the right length, since the student's is not known yet.
func (st *study) likely(name string, answered bool) []learn.Sample {
	sheet := st.sheets[name]
	d, ok := st.spec.Dataset(name)
	if sheet == nil || !ok {
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

// total is the time of all fine-tuning, worked out once.
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
		*t.sum += x.price.Time
	}
	return *t.sum, nil
}

// showTraining prints what fine-tuning would cost.
func (t *tuners) showTraining(ctx context.Context, w io.Writer) error {
	list, err := t.planned(ctx)
	if err != nil {
		return err
	}
	return showTraining(w, list)
}

func showTraining(w io.Writer, list []training) (err error) {
	if len(list) == 0 {
		return nil
	}
	lines := [][]string{{"FINE-TUNING", "DATASET", "CASCADE", "RECORDS", "TOKENS EACH", "TFLOPS", "TIME"}}
	var sum time.Duration
	for _, x := range list {
		lines = append(lines, []string{x.baseline + ", " + x.encoder, x.dataset, x.cascade, fmt.Sprint(x.records),
			fmt.Sprintf("%.0f", x.price.Tokens), fmt.Sprintf("%.1f", x.price.FLOPs/1e12), hours(x.price.Time)})
		sum += x.price.Time
	}
	fmt.Fprintln(w)
	if err := printColumns(w, lines); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "At most, together %s: %d fits each of up to %d passes, at the speed of a step measured now.\n"+
		"Training stops early where it does no good, and what is in the study's cache is not trained again.\n", hours(sum), tuningFolds+1, finetune.Epochs)
	if err == nil && sum > longTraining {
		_, err = fmt.Fprintf(w, "Warning: more than %s of processor time: run and analyze begin it only with --yes.\n", hours(longTraining))
	}
	return err
}

// hours writes a time for people.
func hours(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f seconds", d.Seconds())
	case d < longTraining:
		return fmt.Sprintf("%.0f minutes", d.Minutes())
	case d == longTraining:
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
