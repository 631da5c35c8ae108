package serving

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"infnet/backends/engine"
	"infnet/backends/engine/supervisor"
	"infnet/harness/fault"
)

// shown is how many last lines of a log an error has; studied is how many are looked at for the cause.
const shown, studied = 8, 400

// DeadError says that a server ended, or was given up.
type DeadError struct {
	Model, Engine string
	What          string // what happened: "ended with exit code 1"
	Diagnosis     engine.Diagnosis
	Last          []string // lines of its log
	Log           string   // its file
}

// Brief is what happened, and its cause where it is known.
func (e *DeadError) Brief() string {
	if e.Diagnosis.Cause == "" {
		return e.What
	}
	return e.What + ": " + e.Diagnosis.Cause
}

func (e *DeadError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "model %s: its server (%s) %s", e.Model, e.Engine, e.Brief())
	if e.Diagnosis.Fix != "" {
		b.WriteString(": " + e.Diagnosis.Fix)
	}
	if line := e.Diagnosis.Line; line != "" && !slices.Contains(e.Last, short(line)) {
		fmt.Fprintf(&b, "\nit said:\n    %s", short(line))
	}
	if len(e.Last) > 0 {
		fmt.Fprintf(&b, "\nits last lines, of %s:", e.Log)
		for _, line := range e.Last {
			b.WriteString("\n    " + line)
		}
	} else {
		fmt.Fprintf(&b, "; it printed nothing (%s)", e.Log)
	}
	return b.String()
}

// late is how long the first line of a server's log may take to arrive: its answers do not wait for it.
const late = 500 * time.Millisecond

// about makes an error about a process of the server.
func (r *replica) about(p *supervisor.Process, what string) *DeadError {
	m, l := r.servers.model, r.servers.model.Task.Launch
	for end := time.Now().Add(late); len(p.Tail(1)) == 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	e := &DeadError{Model: m.Name, Engine: engine.Name(l), What: what, Diagnosis: engine.Diagnose(l, p.Tail(studied)),
		Log: r.log()}
	route := engine.Health(r.task())
	for _, line := range slices.Backward(p.Tail(studied)) {
		if strings.TrimSpace(line) != "" && !strings.Contains(line, route) && len(e.Last) < shown {
			e.Last = append(e.Last, short(line))
		}
	}
	slices.Reverse(e.Last)
	return e
}

// dead says how a process ended.
func (r *replica) dead(p *supervisor.Process) *DeadError {
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
	e := r.about(p, what)
	switch {
	case e.Diagnosis.Cause != "" || worked:
	case healthy:
		e.Diagnosis = engine.Diagnosis{Cause: "it was healthy, and its first call ended it",
			Fix: "its log says why; what often helps: a newer version, or less of its memory asked for in args"}
	case exit != nil && exit.Code == 0 && !exit.Lost:
		e.Diagnosis = engine.Diagnosis{Cause: "it did not fail, so it may have gone into the background",
			Fix: "a server has to stay in the foreground: no -d, --daemon or & in its command"}
	}
	return e
}

// usedUp says that a server died once more than it may be started again.
func usedUp(dead *DeadError, restarts int) error {
	times := "1 time"
	if restarts != 1 {
		times = fmt.Sprintf("%d times", restarts)
	}
	return fault.Model.Wrap(fmt.Errorf("%w\nits server was started again %s, which is what restarts in its launch "+
		"table allows; "+
		"everything received is on disk, and the same command goes on from there", dead, times))
}

// short cuts a line.
func short(line string) string {
	const most = 300
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}
