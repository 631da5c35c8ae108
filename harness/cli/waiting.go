package cli

import (
	"context"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"infnet/harness/pipeline"
)

// saidAgain is how often a log line repeats that something is waited for.
const saidAgain = 30 * time.Second

// waiting shows something that is waited for, and the last that was heard of it: a line that
// changes on a terminal, a log line now and then elsewhere.
type waiting struct {
	screen *screen
	name   string
	status func() string
	bar    *mpb.Bar

	mu    sync.Mutex
	began time.Time
	last  time.Time
}

var _ pipeline.Meter = (*waiting)(nil)

// startWaiting shows that something begins.
func (s *screen) startWaiting(name string, status func() string) *waiting {
	now := time.Now()
	w := &waiting{screen: s, name: barName(name), status: status, began: now, last: now}
	if s.bars == nil {
		s.log.Info(w.name)
		return w
	}
	s.drawn = true
	w.bar = s.bars.New(1, mpb.NopStyle(), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string {
			return w.line(s.width)
		})))
	return w
}

// line is what the terminal shows.
func (w *waiting) line(width int) string {
	text := w.name + " " + time.Since(w.began).Round(time.Second).String()
	if said := barName(w.status()); said != "" {
		text += ": " + said
	}
	if r := []rune(text); width > 1 && len(r) >= width {
		text = string(r[:width-2]) + "…"
	}
	return text
}

// Add says in the log, now and then, what was heard last.
func (w *waiting) Add(int, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); w.bar == nil && now.Sub(w.last) >= saidAgain {
		w.last = now
		w.screen.log.Info("waiting", "for", w.name, "since", now.Sub(w.began).Round(time.Second), "log", oneLine(w.status()))
	}
}

// Set is Add: it is not known how far a wait is.
func (w *waiting) Set(int64) { w.Add(0, 0) }

// Finish ends the wait.
func (w *waiting) Finish(context.Context) {
	if w.bar != nil {
		w.bar.Abort(true)
	}
}
