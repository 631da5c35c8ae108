package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"infnet/harness/pipeline"
)

// heartbeat is the line that a quiet command writes now and then, so that whoever waits for it, person or CI, sees
// that it lives and how far it is.
type heartbeat struct {
	every time.Duration
	log   *slog.Logger
	began time.Time

	mu    sync.Mutex
	timer *time.Timer
	over  bool
	task  *meter                // that began last and is not over
	whole func() pipeline.Whole // the collection under way; nil = there is none
}

// newHeartbeat begins to beat; every 0 never does.
func newHeartbeat(w io.Writer, every time.Duration, json bool) *heartbeat {
	h := &heartbeat{every: every, began: time.Now(), log: slog.New(slog.NewTextHandler(w,
		&slog.HandlerOptions{ReplaceAttr: withoutTime}))}
	if json {
		h.log = slog.New(slog.NewJSONHandler(w, nil))
	}
	if every > 0 {
		h.mu.Lock()
		h.timer = time.AfterFunc(every, h.beat)
		h.mu.Unlock()
	}
	return h
}

// beat writes a line.
func (h *heartbeat) beat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return
	}
	about := []any{"after", time.Since(h.began).Round(time.Second)}
	if h.task != nil {
		done, total := h.task.state()
		about = append(about, "task", h.task.name, "done", fmt.Sprintf("%d/%d", done, total))
	}
	if h.whole != nil {
		about = append(about, wholeWords(h.whole())...)
	}
	h.log.Info("heartbeat", about...)
	h.timer.Reset(h.every)
}

// stop ends it.
func (h *heartbeat) stop() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	if h.timer != nil {
		h.timer.Stop()
	}
}

// at notes the task under way; nil = none.
func (h *heartbeat) at(task *meter) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.task = task
}

// of notes the collection under way; nil = none.
func (h *heartbeat) of(whole func() pipeline.Whole) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.whole = whole
}

// wholeWords are the sums of a collection for a log line. What is not known, or nothing, is left out.
func wholeWords(w pipeline.Whole) []any {
	about := []any{"all", fmt.Sprintf("%d/%d", w.Done, w.Total), "tasks", fmt.Sprintf("%d/%d", w.Over, w.Tasks)}
	if r := w.Rate(); r > 0 {
		about = append(about, "rate", fmt.Sprintf("%.3g/s", r))
	}
	if left := w.Left(); left > 0 {
		about = append(about, "left", lasting(left))
	}
	if n := w.Spent.Tokens(); n > 0 {
		about = append(about, "tokens", short(n))
	}
	if w.Spent.Currency != "" {
		about = append(about, "cost", fmt.Sprintf("%.4g %s", w.Spent.Cost, w.Spent.Currency))
	}
	if w.Failed > 0 {
		about = append(about, "failed", w.Failed)
	}
	return about
}

// lasting is a duration with its two largest units: 5d03h, 3h12m, 4m10s.
func lasting(d time.Duration) string {
	switch {
	case d >= 100*time.Hour:
		d = d.Round(time.Hour)
		return fmt.Sprintf("%dd%02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	case d >= time.Hour:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	return d.Round(time.Second).String()
}

// short is a count with three digits: 812, 12.3k, 4.56M.
func short(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.3gG", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.3gM", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.3gk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

var _ pipeline.Overview = (*screen)(nil)

// Whole shows a collection of several tasks as a line of its own below the bars, and in heartbeats.
func (s *screen) Whole(now func() pipeline.Whole) (end func()) {
	s.beat.of(now)
	s.whole = &overview{screen: s, now: now, last: time.Now()}
	return func() {
		s.beat.of(nil)
		s.whole.finish(context.Background())
		s.whole = nil
	}
}

// saidWhole is how often a log line repeats how far a collection is as a whole.
const saidWhole = time.Minute

// overview shows a collection as a whole: the last bar on a terminal, a log line now and then elsewhere.
type overview struct {
	screen *screen
	now    func() pipeline.Whole

	mu   sync.Mutex
	bar  *mpb.Bar
	last time.Time
}

// moved is called when something was done.
func (o *overview) moved() {
	if o == nil {
		return
	}
	w := o.now()
	if o.screen.bars == nil {
		o.mu.Lock()
		due := time.Since(o.last) >= saidWhole
		if due {
			o.last = time.Now()
		}
		o.mu.Unlock()
		if due {
			o.screen.log.Info("collecting", wholeWords(w)...)
		}
		return
	}
	o.mu.Lock()
	if o.bar == nil && w.Tasks > 1 {
		o.bar = o.screen.bars.AddBar(0, mpb.BarPriority(math.MaxInt32), mpb.BarNoPop(),
			mpb.PrependDecorators(decor.Name(fmt.Sprintf("all %d tasks ", w.Tasks), decor.WCSyncSpaceR)),
			mpb.AppendDecorators(decor.Any(o.counts, decor.WCSyncSpace), decor.Any(o.words, decor.WCSyncSpace)))
	}
	bar := o.bar
	o.mu.Unlock()
	if bar != nil {
		bar.SetTotal(int64(w.Total), false)
		bar.SetCurrent(int64(w.Done))
	}
}

func (o *overview) counts(decor.Statistics) string {
	w := o.now()
	return fmt.Sprintf("%d/%d", w.Done, w.Total)
}

// words are the time left, tokens, money and failures, as far as they fit beside a bar.
func (o *overview) words(decor.Statistics) string {
	w := o.now()
	var parts []string
	if left := w.Left(); left > 0 {
		parts = append(parts, lasting(left)+" left")
	}
	if n := w.Spent.Tokens(); n > 0 {
		parts = append(parts, short(n)+" tokens")
	}
	if w.Spent.Currency != "" {
		parts = append(parts, fmt.Sprintf("%.3g %s", w.Spent.Cost, w.Spent.Currency))
	}
	if w.Failed > 0 && o.screen.width >= 100 {
		parts = append(parts, fmt.Sprintf("%d failed", w.Failed))
	}
	return strings.Join(parts, " ")
}

// finish leaves the last state on the screen.
func (o *overview) finish(context.Context) {
	o.moved()
	o.mu.Lock()
	bar := o.bar
	o.mu.Unlock()
	if bar == nil {
		return
	}
	if w := o.now(); w.Done >= w.Total {
		bar.SetTotal(int64(w.Total), true)
	} else {
		bar.Abort(false)
	}
}
