package supervisor

import (
	"fmt"
	"strings"
)

// ExitError says how a server ended that nobody asked to stop.
type ExitError struct {
	Name   string
	Code   int      // its exit code; −1 if a signal ended it
	Signal string   // "killed", "segmentation fault", …; "" = none
	OOM    bool     // the kernel killed a process for lack of memory while it ran
	Lost   bool     // its supervisor was killed, so how it ended is unknown
	Lines  []string // the last lines of its output
	Left   []int    // processes that could not be stopped
	Log    string   // the file with its whole output
}

// Error has everything but the last lines, which Output has.
func (e *ExitError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "server %q ", e.Name)
	switch {
	case e.Lost:
		b.WriteString("was stopped, because its supervisor was killed")
	case e.Signal != "":
		fmt.Fprintf(&b, "was ended by a signal (%s)", e.Signal)
	default:
		fmt.Fprintf(&b, "exited with code %d", e.Code)
	}
	switch {
	case e.OOM:
		b.WriteString("; the kernel killed a process for lack of memory while it ran: " +
			"free memory, or give the server less to do")
	case e.Signal == "killed":
		b.WriteString("; nobody here did that: a lack of memory or another user's kill does it")
	}
	if len(e.Left) > 0 {
		fmt.Fprintf(&b, "; processes that could not be stopped: %s", list(e.Left))
	}
	fmt.Fprintf(&b, "; its output is in %s", e.Log)
	return b.String()
}

// Output is the end of the server's output, a line each.
func (e *ExitError) Output() string { return strings.Join(e.Lines, "\n") }

func list(pids []int) string { return strings.Trim(fmt.Sprint(pids), "[]") }
