package serving

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"infnet/backends/engine"
	"infnet/backends/engine/supervisor"
)

// shown is how many last lines of a log an error has; studied is how many are looked at for the cause.
const shown, studied = 8, 400

type deadError struct {
	brief string // what happened, and its cause where it is known
	text  string // all of it: the fix, and the last lines of its log
	port  bool   // its port was taken: another one may do
}

func (e *deadError) Error() string { return e.text }

// late is how long the first line of a server's log may take to arrive: its answers do not wait for it.
const late = 500 * time.Millisecond

// about makes an error about a process of the server. Its log says more than what happened, or else this diagnosis.
func (r *replica) about(p *supervisor.Process, what string, otherwise engine.Diagnosis) *deadError {
	m, l := r.servers.model, r.servers.model.Task.Launch
	for end := time.Now().Add(late); len(p.Tail(1)) == 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	lines := p.Tail(studied)
	d := engine.Diagnose(l, lines)
	if d.Cause == "" {
		d = otherwise
	}
	e := &deadError{brief: what, port: d.Port}
	if d.Cause != "" {
		e.brief += ": " + d.Cause
	}
	e.text = fmt.Sprintf("model %s: its server (%s) %s", m.Name, engine.Name(l), e.brief)
	if d.Fix != "" {
		e.text += ": " + d.Fix
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, engine.Health(r.task())) })
	if lines = lines[max(0, len(lines)-shown):]; len(lines) == 0 {
		e.text += "; it printed nothing (" + r.log() + ")"
		return e
	}
	if d.Line != "" && !slices.ContainsFunc(lines, func(line string) bool { return strings.TrimSpace(line) == d.Line }) {
		e.text += "\nit said:\n    " + short(d.Line)
	}
	e.text += "\nits last lines, of " + r.log() + ":"
	for _, line := range lines {
		e.text += "\n    " + short(line)
	}
	return e
}

func (r *replica) dead(p *supervisor.Process) *deadError {
	what, worked, healthy := "ended by itself", false, false
	exit, _ := p.Err().(*supervisor.ExitError)
	if exit != nil {
		what = exit.Error()
	}
	r.change(func() {
		worked, healthy = r.ready, r.healthy
		if r.hangs {
			what = fmt.Sprintf("left calls open, a short one for %v (silence), and was stopped",
				r.servers.model.Task.Launch.Silence)
		}
	})
	var otherwise engine.Diagnosis
	switch {
	case worked:
	case healthy:
		otherwise = engine.Diagnosis{Cause: "it was healthy, and its first call ended it",
			Fix: "its log says why; what often helps: a newer version, or less of its memory asked for in args"}
	case exit != nil && exit.Code == 0 && !exit.Lost:
		otherwise = engine.Diagnosis{Cause: "it did not fail, so it may have gone into the background",
			Fix: "a server has to stay in the foreground: no -d, --daemon or & in its command"}
	}
	return r.about(p, what, otherwise)
}

func short(line string) string {
	const most = 300
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}
