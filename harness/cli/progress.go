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
// if quiet. Results go to stdout, never to the screen.
type screen struct {
	log   *slog.Logger
	err   io.Writer
	bars  *mpb.Progress // nil where there is no terminal
	width int
	quiet bool
	drawn bool // some bar was

	beat  *heartbeat // nil where it is not quiet
	whole *overview  // of the collection under way; nil = there is none
}

// newScreen looks at stderr once.
func newScreen(stderr io.Writer, f screenFlags) *screen {
	quiet, logJSON := f.Quiet, f.Log == "json"
	level := slog.LevelInfo
	s := &screen{err: stderr, quiet: quiet, width: terminalWidth(stderr)}
	if quiet {
		level = slog.LevelWarn
		s.beat = newHeartbeat(stderr, f.Heartbeat, logJSON)
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: withoutTime}
	if logJSON {
		s.log = slog.New(slog.NewJSONHandler(stderr, &slog.HandlerOptions{Level: level}))
		return s
	}
	if s.width > 0 && !quiet && !dumb() {
		s.bars = mpb.New(mpb.WithOutput(beneath(stderr)), mpb.WithWidth(min(s.width, 100)),
			mpb.WithRefreshRate(120*time.Millisecond), mpb.PopCompletedMode())
		stderr = above{s.bars, stderr, s.width}
	}
	s.log = slog.New(slog.NewTextHandler(stderr, options))
	return s
}

// withoutTime drops the time from plain log lines: a log a person compares
// between runs should differ only where the runs did.
func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
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

var _ pipeline.Events = (*screen)(nil)

// Info logs a line, unless the screen is quiet or shows bars: a terminal is for what is going on and for
// what came out, and a log has the rest.
func (s *screen) Info(message string, about ...any) {
	if s.bars == nil {
		s.log.Info(message, about...)
	}
}

// Warn logs a warning.
func (s *screen) Warn(message string, about ...any) { s.log.Warn(message, about...) }

// Begin shows a piece of work as a bar, or as a line now and then.
func (s *screen) Begin(t pipeline.Task) pipeline.Meter {
	if t.Status != nil {
		return s.startWaiting(t.Name, t.Status)
	}
	return s.start(t.Name, int(t.Total), int(t.Done), t.Download)
}

// wait lets the bars draw their last state.
func (s *screen) wait() {
	s.beat.stop()
	if s.bars != nil {
		s.bars.Wait()
	}
	if s.drawn {
		fmt.Fprintln(s.err) // between the bars and what follows
	}
}

// meter is one bar, or one line now and then. The bar's renderer calls rate,
// which takes mu, while it holds what the bar's own methods wait for: so no
// method of the bar may be called under mu.
type meter struct {
	mu     sync.Mutex
	name   string
	total  int
	done   int
	had    int // done before this run
	failed int
	began  time.Time
	last   time.Time
	bar    *mpb.Bar
	brief  bool // says nothing when it is done
	screen *screen
}

// barName is a task's name as a bar shows it: on one line, and cleaned here because bars bypass the writer that cleans.
func barName(name string) string { return strings.Join(strings.Fields(clean(name)), " ") }

// start begins a task of total steps, or of bytes of a file, done of which are there already.
func (s *screen) start(name string, total, done int, bytes bool) *meter {
	name = barName(name)
	t := &meter{name: name, total: total, done: done, had: done, began: time.Now(), last: time.Now(), brief: bytes,
		screen: s}
	counts := decor.CountersNoUnit("%d/%d", decor.WCSyncSpace)
	switch {
	case bytes && (s.bars == nil || total == 0):
		s.log.Info("fetching", "file", name, "bytes", total, "on_disk", done)
		return t
	case bytes:
		counts = decor.Counters(decor.SizeB1024(0), "% .1f / % .1f", decor.WCSyncSpace)
	default:
		s.beat.at(t)
	}
	if s.bars == nil {
		s.log.Info("start", "task", name, "total", total, "on_disk", done)
		return t
	}
	s.drawn = true
	tail := []decor.Decorator{counts}
	if s.width >= 70 {
		tail = append(tail, decor.Any(t.rate, decor.WCSyncSpace))
	}
	t.bar = s.bars.AddBar(int64(total), mpb.PrependDecorators(decor.Name(name+" ", decor.WCSyncSpaceR)),
		mpb.AppendDecorators(tail...))
	t.bar.SetCurrent(int64(done))
	if !bytes {
		t.bar.DecoratorAverageAdjust(t.began)
	}
	return t
}

// rate renders the time left and the failures of a running bar.
func (t *meter) rate(decor.Statistics) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := ""
	if asked := t.done - t.had; asked > 0 && t.done < t.total {
		left := time.Duration(float64(time.Since(t.began)) / float64(asked) * float64(t.total-t.done))
		text = lasting(left) + " left"
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
	done, bad, now := t.done, t.failed, time.Now()
	due := now.Sub(t.last) > 10*time.Second
	if due {
		t.last = now
	}
	t.mu.Unlock()
	switch {
	case t.bar != nil:
		t.bar.SetCurrent(int64(done))
	case due:
		about := []any{"task", t.name, "done", fmt.Sprintf("%d/%d", done, t.total)}
		if bad > 0 {
			about = append(about, "failed", bad)
		}
		t.screen.log.Info("progress", about...)
	}
	t.screen.whole.moved()
}

// state returns how far the task is.
func (t *meter) state() (done, total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done, t.total
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
	t.screen.beat.at(nil)
	t.mu.Lock()
	done, failed := t.done, t.failed
	t.mu.Unlock()
	if t.bar != nil {
		if done < t.total {
			t.bar.Abort(false)
		}
		return
	}
	if t.brief && t.done == t.total {
		return
	}
	word := "done"
	if ctx.Err() != nil || done < t.total {
		word = "stopped"
	}
	t.screen.log.Info(word, "task", t.name, "done", done, "total", t.total, "failed", failed)
}
