package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"infnet/harness/pipeline"
)

// screen shows a command's progress: bars on a terminal, plain log lines otherwise, only warnings
// if quiet, and then a heartbeat. Results go to stdout, never to the screen.
type screen struct {
	log   *slog.Logger
	err   io.Writer
	bars  *mpb.Progress // nil where there is no terminal
	width int
	drawn bool // some bar was

	beats *slog.Logger // gets the heartbeats
	began time.Time

	mu    sync.Mutex
	beat  *time.Timer // nil = there is no heartbeat, or no more
	task  *meter      // that began last and is not over
	whole *overview   // of the collection under way; nil = there is none
}

var _ pipeline.Events = (*screen)(nil)

// newScreen looks at stderr once.
func newScreen(stderr io.Writer, f screenFlags) *screen {
	s := &screen{err: stderr, width: terminalWidth(stderr), beats: logger(stderr, f, slog.LevelInfo), began: time.Now()}
	switch {
	case f.Quiet:
		s.log = logger(stderr, f, slog.LevelWarn)
		if f.Heartbeat > 0 {
			s.mu.Lock()
			s.beat = time.AfterFunc(f.Heartbeat, func() { s.heartbeat(f.Heartbeat) })
			s.mu.Unlock()
		}
	case f.Log != "json" && s.width > 0 && !dumb():
		s.bars = mpb.New(mpb.WithOutput(beneath(stderr)), mpb.WithWidth(min(s.width, 100)),
			mpb.WithRefreshRate(120*time.Millisecond), mpb.PopCompletedMode())
		s.log = logger(above{s.bars, stderr, s.width}, f, slog.LevelInfo)
	default:
		s.log = s.beats
	}
	return s
}

// logger writes lines from a level on. Plain ones have no time: a log a person compares between runs should differ only
// where the runs did.
func logger(w io.Writer, f screenFlags, from slog.Level) *slog.Logger {
	if f.Log == "json" {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: from}))
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: from,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
}

// heartbeat writes a line, so that whoever waits for a quiet command, person or CI, sees that it lives and how far it
// is.
func (s *screen) heartbeat(every time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.beat == nil {
		return
	}
	about := []any{"after", time.Since(s.began).Round(time.Second)}
	if t := s.task; t != nil {
		t.mu.Lock()
		about = append(about, "task", t.name, "done", fmt.Sprintf("%d/%d", t.done, t.total))
		t.mu.Unlock()
	}
	if s.whole != nil {
		about = append(about, wholeWords(s.whole.now())...)
	}
	s.beats.Info("heartbeat", about...)
	s.beat.Reset(every)
}

// at notes the task under way, and the collection; nil = none.
func (s *screen) at(task *meter, whole *overview) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.task, s.whole = task, whole
}

// terminalWidth returns the columns of a terminal, 0 for anything else.
func terminalWidth(w io.Writer) int {
	f, ok := beneath(w).(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// colour reports whether w may be sent colours.
func colour(w io.Writer) bool {
	return terminalWidth(w) > 0 && os.Getenv("NO_COLOR") == "" && !dumb()
}

// dumb reports a terminal that cannot move its cursor: no bars, no colours.
func dumb() bool { return os.Getenv("TERM") == "dumb" }

// above prints log lines above the bars: written directly to the terminal they would end up inside
// a bar.
type above struct {
	bars  *mpb.Progress
	err   io.Writer
	width int
}

func (a above) Write(line []byte) (int, error) {
	if _, err := a.bars.Write([]byte(hang(clean(string(line)), a.width, 4))); err == nil {
		return len(line), nil
	}
	return a.err.Write(line) // the bars are done
}

// Info logs a line, unless the screen is quiet or shows bars: a terminal is for what is going on and for
// what came out, and a log has the rest.
func (s *screen) Info(message string, about ...any) {
	if s.bars == nil {
		s.log.Info(message, about...)
	}
}

// Warn logs a warning.
func (s *screen) Warn(message string, about ...any) { s.log.Warn(message, about...) }

// wait ends the heartbeat and lets the bars draw their last state.
func (s *screen) wait() {
	s.mu.Lock()
	if s.beat != nil {
		s.beat.Stop()
		s.beat = nil
	}
	s.mu.Unlock()
	if s.bars != nil {
		s.bars.Wait()
	}
	if s.drawn {
		fmt.Fprintln(s.err) // between the bars and what follows
	}
}

// pace says when something is said again.
type pace struct {
	mu   sync.Mutex
	last time.Time
}

// due reports whether it was said that long ago, and is said now.
func (p *pace) due(every time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.last) < every {
		return false
	}
	p.last = now
	return true
}

// meter is one bar, or one line now and then. The bar's renderer calls rate,
// which takes mu, while it holds what the bar's own methods wait for: so no
// method of the bar may be called under mu.
type meter struct {
	name   string
	total  int
	had    int // done before this run
	began  time.Time
	said   pace
	bar    *mpb.Bar
	brief  bool // says nothing when it is done
	screen *screen

	mu     sync.Mutex
	done   int
	failed int
}

// barName is a task's name as a bar shows it: on one line, and cleaned here because bars bypass the writer that cleans.
func barName(name string) string { return strings.Join(strings.Fields(clean(name)), " ") }

// Begin shows a piece of work as a bar, or as a line now and then.
func (s *screen) Begin(task pipeline.Task) pipeline.Meter {
	name, now, bytes := barName(task.Name), time.Now(), task.Download
	t := &meter{name: name, total: int(task.Total), done: int(task.Done), had: int(task.Done), began: now,
		said: pace{last: now}, brief: bytes, screen: s}
	counts := decor.CountersNoUnit("%d/%d", decor.WCSyncSpace)
	switch {
	case bytes && (s.bars == nil || t.total == 0):
		s.log.Info("fetching", "file", name, "bytes", t.total, "on_disk", t.had)
		return t
	case bytes:
		counts = decor.Counters(decor.SizeB1024(0), "% .1f / % .1f", decor.WCSyncSpace)
	default:
		s.at(t, s.whole)
	}
	if s.bars == nil {
		s.log.Info("start", "task", name, "total", t.total, "on_disk", t.had)
		return t
	}
	s.drawn = true
	tail := []decor.Decorator{counts}
	if s.width >= 70 {
		tail = append(tail, decor.Any(t.rate, decor.WCSyncSpace))
	}
	t.bar = s.bars.AddBar(int64(t.total), mpb.PrependDecorators(decor.Name(name+" ", decor.WCSyncSpaceR)),
		mpb.AppendDecorators(tail...))
	t.bar.SetCurrent(int64(t.had))
	if !bytes {
		t.bar.DecoratorAverageAdjust(now)
	}
	return t
}

// rate renders the time left and the failures of a running bar.
func (t *meter) rate(decor.Statistics) (text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := pipeline.Whole{Total: t.total, Done: t.done, Asked: t.done - t.had, Took: time.Since(t.began)}
	if w.Asked > 0 && t.done < t.total {
		text = lasting(w.Left()) + " left"
	}
	if t.failed > 0 {
		text += fmt.Sprintf(" %d failed", t.failed)
	}
	return text
}

// Add counts n finished steps, failed of which brought no answer.
func (t *meter) Add(n, failed int) {
	t.mu.Lock()
	t.done += n
	t.failed += failed
	done, bad := t.done, t.failed
	t.mu.Unlock()
	switch {
	case t.bar != nil:
		t.bar.SetCurrent(int64(done))
	case t.said.due(10 * time.Second):
		about := []any{"task", t.name, "done", fmt.Sprintf("%d/%d", done, t.total)}
		if bad > 0 {
			about = append(about, "failed", bad)
		}
		t.screen.log.Info("progress", about...)
	}
	t.screen.whole.moved()
}

// Set says how many steps are done. A download that starts again goes back to fewer.
func (t *meter) Set(done int64) {
	t.mu.Lock()
	n := int(done) - t.done
	t.mu.Unlock()
	t.Add(n, 0)
}

// Finish ends the task, complete or not.
func (t *meter) Finish(ctx context.Context) {
	t.screen.at(nil, t.screen.whole)
	t.mu.Lock()
	done, failed := t.done, t.failed
	t.mu.Unlock()
	word := "done"
	if ctx.Err() != nil || done < t.total {
		word = "stopped"
	}
	switch {
	case t.bar != nil && done < t.total:
		t.bar.Abort(false)
	case t.bar == nil && !(t.brief && done == t.total):
		t.screen.log.Info(word, "task", t.name, "done", done, "total", t.total, "failed", failed)
	}
}
