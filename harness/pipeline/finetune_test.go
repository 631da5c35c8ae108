package pipeline

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"infnet/harness/fault"
	"infnet/harness/finetune"
	learn "infnet/harness/router"
)

// Fine-tuning for hours is begun only when asked for.
func TestLongTrainingWantsYes(t *testing.T) {
	l, err := finetune.Open(finetune.Options{Name: "tiny-bert", Folder: os.DirFS("../finetune/testdata/bert")})
	if err != nil {
		t.Fatal(err)
	}
	task := learn.Task{Samples: []learn.Sample{{ID: "a"}, {ID: "b"}}, Labels: []float64{0, 1}, Threads: 1}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // training that begins ends at once
	for _, tt := range []struct {
		name   string
		sum    time.Duration
		yes    bool
		begins bool
	}{
		{name: "an hour", sum: time.Hour, begins: true},
		{name: "more", sum: 90 * time.Minute},
		{name: "more, asked for", sum: 90 * time.Minute, yes: true, begins: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := tuned{l, &tuners{sum: &tt.sum, study: &Study{options: Options{LongTraining: tt.yes}}}}.Fit(ctx, task)
			if begun := errors.Is(err, context.Canceled); begun != tt.begins {
				t.Fatalf("begun: %v, %v", begun, err)
			}
			var e *fault.Error
			if !tt.begins && (!errors.As(err, &e) || e.Kind != fault.Budget || !strings.Contains(err.Error(), "1.5 hours") ||
				!strings.Contains(err.Error(), "--yes")) {
				t.Errorf("%v", err)
			}
		})
	}
}
