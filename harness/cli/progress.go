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

	"golang.org/x/term"

	"infnet/harness/pipeline"
)

// screen shows a command's progress: a line that changes on a terminal, plain log lines elsewhere, and only warnings
// if quiet. Results go to stdout, never to the screen.
type screen struct {
	log   *slog.Logger
	err   io.Writer
	width int // of the terminal; 0 = there is none, or it shows nothing that moves

	mu    sync.Mutex
	shown string // the line at the end of the terminal, which the next one replaces
	drawn bool   // some was
}

var _ pipeline.Events = (*screen)(nil)

// newScreen looks at stderr once.
func newScreen(stderr io.Writer, f screenFlags) *screen {
	s := &screen{err: stderr, width: terminalWidth(stderr)}
	from := slog.LevelInfo
	if f.Quiet {
		from = slog.LevelWarn
	}
	if f.Quiet || os.Getenv("TERM") == "dumb" {
		s.width = 0
	}
	// Lines have no time: a log a person compares between runs should differ only where the runs did.
	s.log = slog.New(slog.NewTextHandler(above{s}, &slog.HandlerOptions{Level: from,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
	return s
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
	return terminalWidth(w) > 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// above prints log lines above the line that changes.
type above struct{ *screen }

func (a above) Write(line []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	shown := a.shown
	a.draw("")
	_, err := io.WriteString(a.err, hang(clean(string(line)), a.width, 4))
	a.draw(shown)
	return len(line), err
}

// draw replaces the line that changes.
func (s *screen) draw(text string) {
	if s.width == 0 || text == s.shown {
		return
	}
	if r := []rune(text); len(r) >= s.width {
		text = string(r[:max(0, s.width-2)]) + "…"
	}
	s.shown, s.drawn = text, true
	fmt.Fprintf(beneath(s.err), "\r%s\x1b[K", text)
}

// Info logs a line, but not on a terminal, which is for what is going on and for what came out.
func (s *screen) Info(message string, about ...any) {
	if s.width == 0 {
		s.log.Info(message, about...)
	}
}

// Warn logs a warning.
func (s *screen) Warn(message string, about ...any) { s.log.Warn(message, about...) }

// wait ends the display: an empty line parts it from what follows.
func (s *screen) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn {
		s.draw("")
		fmt.Fprintln(s.err)
		s.drawn = false
	}
}

// meter is a piece of work under way.
type meter struct {
	pipeline.Task
	screen *screen
	began  time.Time

	mu     sync.Mutex
	done   int64
	failed int
	said   time.Time
}

// Begin shows a piece of work.
func (s *screen) Begin(task pipeline.Task) pipeline.Meter {
	task.Name = strings.Join(strings.Fields(clean(task.Name)), " ") // the line bypasses the writer that cleans
	now := time.Now()
	m := &meter{Task: task, screen: s, began: now, done: task.Done, said: now}
	if task.Download {
		s.Info("fetching", "file", task.Name, "bytes", task.Total, "on_disk", task.Done)
	} else {
		s.Info("start", "task", task.Name, "total", task.Total, "on_disk", task.Done)
	}
	m.show()
	return m
}

// show draws the line.
func (m *meter) show() {
	text := m.Name
	switch passed := time.Since(m.began); {
	case m.Download:
		text += fmt.Sprintf("  %.1f of %.1f MiB", float64(m.done)/(1<<20), float64(m.Total)/(1<<20))
	default:
		text += fmt.Sprintf("  %d/%d", m.done, m.Total)
		if now := m.done - m.Task.Done; now > 0 && m.done < m.Total {
			left := time.Duration(float64(passed) / float64(now) * float64(m.Total-m.done))
			text += "  " + left.Round(time.Second).String() + " left"
		}
	}
	if m.failed > 0 {
		text += fmt.Sprintf("  %d failed", m.failed)
	}
	m.screen.mu.Lock()
	defer m.screen.mu.Unlock()
	m.screen.draw(text)
}

// Add counts n finished steps, failed of which brought no answer.
func (m *meter) Add(n, failed int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done, m.failed = m.done+int64(n), m.failed+failed
	every := 10 * time.Second
	if m.screen.width > 0 {
		every = 100 * time.Millisecond
	}
	now := time.Now()
	if now.Sub(m.said) < every {
		return
	}
	m.said = now
	if m.screen.width > 0 {
		m.show()
	} else {
		m.screen.Info("progress", "task", m.Name, "done", fmt.Sprintf("%d/%d", m.done, m.Total), "failed", m.failed)
	}
}

// Set says how many steps are done. A download that starts again goes back to fewer.
func (m *meter) Set(done int64) {
	m.mu.Lock()
	n := done - m.done
	m.mu.Unlock()
	m.Add(int(n), 0)
}

// Finish ends the task, complete or not. Its last line stays on a terminal.
func (m *meter) Finish(ctx context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	word := "done"
	if ctx.Err() != nil || m.done < m.Total {
		word = "stopped"
	}
	switch s := m.screen; {
	case s.width > 0:
		m.show()
		s.mu.Lock()
		fmt.Fprintln(s.err)
		s.shown = ""
		s.mu.Unlock()
	case !m.Download || m.done != m.Total:
		s.Info(word, "task", m.Name, "done", m.done, "total", m.Total, "failed", m.failed)
	}
}
