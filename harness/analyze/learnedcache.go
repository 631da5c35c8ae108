package analyze

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"infnet/harness/router"
	"infnet/harness/split"
)

// learnedCode is the version of the computation behind cached fits: raise it
// where the same samples lead to other scores. Each learner has a version of
// its own, in its key.
const learnedCode = 2

// crossFit trains, or looks up what was trained before on the same samples.
func (b *Bench) crossFit(ctx context.Context, l *learnedPolicy, t router.Task, folds split.Folds, apply []router.Sample) (*router.Fitted, error) {
	key, err := fitKey(l.learner, t, folds, apply)
	if err != nil {
		return nil, err
	}
	if f, ok := b.fits[key]; ok {
		return f, nil
	}
	f, err := b.cachedFit(ctx, key, l, t, folds, apply)
	if err != nil {
		return nil, err
	}
	if b.fits == nil {
		b.fits = map[string]*router.Fitted{}
	}
	b.fits[key] = f
	return f, nil
}

// cachedFit trains unless an earlier run did and kept what came out.
func (b *Bench) cachedFit(ctx context.Context, key string, l *learnedPolicy, t router.Task, folds split.Folds, apply []router.Sample) (*router.Fitted, error) {
	if b.in.Cache != nil {
		if data, ok := b.in.Cache.Get(key); ok {
			var f router.Fitted
			if json.Unmarshal(data, &f) == nil && len(f.OutOfFold) == len(t.Samples) && len(f.Applied) == len(apply) {
				return &f, nil
			}
		}
	}
	f, err := router.CrossFit(ctx, l.learner, t, folds, apply)
	if err != nil {
		return nil, err
	}
	if !f.Constant {
		b.trained = append(b.trained, Trained{
			Cascade: b.Cascade.Name, Dataset: b.Dataset.Name, Row: l.title, Learner: l.learner.Name(),
			Fits: len(f.Folds) + 1, Wall: f.Wall(), Held: f.All.Held,
		})
	}
	if b.in.Cache == nil {
		return f, nil
	}
	data, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("scores: %w", err)
	}
	return f, b.in.Cache.Put(key, data)
}

// fitKey is the SHA-256, hexadecimal, of everything a cross-fit depends on.
func fitKey(l router.Learner, t router.Task, folds split.Folds, apply []router.Sample) (string, error) {
	h := sha256.New()
	for _, part := range []any{"learned", learnedCode, l.Key(), t.Answered, t.Classes, t.Seed, t.Name, folds, t.Labels, t.Samples, apply} {
		data, err := json.Marshal(part)
		if err != nil {
			return "", fmt.Errorf("scores: %w", err)
		}
		h.Write(data)
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
