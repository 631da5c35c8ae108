package serving

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"infnet/backends/engine"
	"infnet/backends/engine/supervisor"
)

// shown is how many last lines of a log an error has; studied is how many are looked at for the cause.
const shown, studied = 8, 100

// DeadError says that a server ended, or was given up.
type DeadError struct {
	Model, Engine string
	What          string // what happened: "ended with exit code 1"
	Diagnosis     engine.Diagnosis
	Last          []string // lines of its log
	Log           string   // its file
}

func (e *DeadError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "model %s: its server (%s) %s", e.Model, e.Engine, e.What)
	if e.Diagnosis.Cause != "" {
		fmt.Fprintf(&b, ": %s: %s", e.Diagnosis.Cause, e.Diagnosis.Fix)
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

// about makes an error about a process of the server.
func (r *replica) about(p *supervisor.Process, what string) *DeadError {
	m, l := r.servers.model, r.servers.model.Task.Launch
	e := &DeadError{Model: m.Name, Engine: engine.Name(l), What: what, Diagnosis: engine.Diagnose(l, p.Tail(studied)),
		Log: r.log()}
	for _, line := range p.Tail(shown) {
		if strings.TrimSpace(line) != "" {
			e.Last = append(e.Last, short(line))
		}
	}
	return e
}

// dead says how a process ended.
func (r *replica) dead(p *supervisor.Process) *DeadError {
	what := "ended"
	if err := p.Err(); err != nil {
		what += " (" + strings.SplitN(err.Error(), "\n", 2)[0] + ")"
	}
	return r.about(p, what)
}

// givenUp says why a process that still runs is not waited for any longer. An interruption stays one.
func (r *replica) givenUp(p *supervisor.Process, cause error) error {
	if interrupted(cause) {
		return fmt.Errorf("model %s: stopped while its server was starting: %w", r.servers.model.Name, cause)
	}
	return r.about(p, "was not ready: "+cause.Error())
}

// broken says that a healthy server refuses its first call.
func (r *replica) broken(p *supervisor.Process, cause error) error {
	return r.about(p, "is healthy and does not answer: "+cause.Error())
}

// short cuts a line.
func short(line string) string {
	const most = 300
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}

// interrupted reports whether an error is the end of the caller's context.
func interrupted(err error) bool { return errors.Is(err, context.Canceled) }
