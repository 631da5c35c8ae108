package analyze

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"infnet/harness/records"
	"infnet/harness/router"
	"infnet/harness/split"
)

// learnedCode is the version of the computation behind cached fits: raise it when
// the same samples lead to different scores. Each learner's key has a version too.
const learnedCode = 2

// lesson is a learner's training data, and the records to score with its fit.
type lesson struct {
	r     *records.Records
	task  router.Task
	apply []router.Sample
	once  bool // one fit, which scores what it saw
}

// fit trains a learner, or looks up an earlier fit on the same samples.
func (out *lessons) fit(ctx context.Context, in Input, l *learnedPolicy, x lesson) (*router.Fitted, error) {
	key, err := x.key(l.learner)
	if err != nil {
		return nil, err
	}
	if f, ok := out.fits[key]; ok {
		return f, nil
	}
	if in.Cache != nil {
		if data, ok := in.Cache.Get(key); ok {
			var f router.Fitted
			if json.Unmarshal(data, &f) == nil && len(f.OutOfFold) == len(x.task.Samples) && len(f.Applied) == len(x.apply) {
				out.fits[key] = &f
				return &f, nil
			}
		}
	}
	var f *router.Fitted
	if x.once {
		f, err = router.FitOnce(ctx, l.learner, x.task, x.apply)
	} else {
		f, err = router.CrossFit(ctx, l.learner, x.task, x.r.Roles.Learned, x.apply)
	}
	if err != nil {
		return nil, err
	}
	out.fits[key] = f
	if !f.Constant {
		out.trained = append(out.trained, Trained{
			Cascade: x.r.Cascade.Name, Dataset: x.r.Dataset.Name, Row: l.title, Learner: l.learner.Name(),
			Fits: len(f.Folds) + 1, Wall: f.Wall(), Held: f.All.Held,
		})
	}
	if in.Cache == nil {
		return f, nil
	}
	data, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("scores: %w", err)
	}
	return f, in.Cache.Put(key, data)
}

// key is the SHA-256, hexadecimal, of everything the fits depend on.
func (x lesson) key(l router.Learner) (string, error) {
	h := sha256.New()
	name, t := "learned", x.task
	folds := x.r.Roles.Learned
	if x.once {
		name, folds = "learned once", split.Folds{}
	}
	for _, part := range []any{name, learnedCode, l.Key(), t.Answered, t.Classes, t.Seed, t.Name, folds, t.Labels,
		t.Samples, x.apply} {
		data, err := json.Marshal(part)
		if err != nil {
			return "", fmt.Errorf("scores: %w", err)
		}
		h.Write(data)
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
