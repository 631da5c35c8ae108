package supervisor

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"infnet/backends/redact"
)

// identity is a process for good: numbers are used again, a number with the time
// at which it began is not, within one boot of a machine.
type identity struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // in clock ticks since boot
}

// record is what a later run finds about a server: a file of the folder
// Server.State for as long as anything of the server may run.
type record struct {
	File       string        `json:"file"`
	Name       string        `json:"name"`
	Command    []string      `json:"command"` // without secrets
	Log        string        `json:"log"`
	Began      time.Time     `json:"began"`
	Host       string        `json:"host"`
	Boot       string        `json:"boot"`
	Namespace  string        `json:"namespace"`
	Marker     string        `json:"marker"`
	Grace      time.Duration `json:"grace"` // in nanoseconds
	Owner      identity      `json:"infnet"`
	Supervisor identity      `json:"supervisor"`
	Engine     identity      `json:"engine"`
	Processes  []identity    `json:"processes"` // all seen so far, the engine first
}

func newRecord(s Server) record {
	r := record{Name: s.Name, Command: []string{s.Path}, Log: s.Log, Began: time.Now().UTC().Truncate(time.Second),
		Marker: strings.ToLower(rand.Text()), Grace: s.Grace, Owner: identify(os.Getpid())}
	r.File = filepath.Join(s.State, "server-"+r.Marker+".json")
	r.Host, _ = os.Hostname()
	r.Boot, r.Namespace = place()
	hidden := redact.New(s.Secrets...)
	for _, a := range s.Args {
		r.Command = append(r.Command, hidden.Text(a))
	}
	return r
}

// most is how many processes a record keeps: enough for any engine, and a bound
// for one that forks without end.
const most = 4096

// add notes processes not seen before, and reports whether there are any.
func (r *record) add(now []identity) bool {
	changed := false
	for _, p := range now {
		if !slices.Contains(r.Processes, p) {
			r.Processes, changed = append(r.Processes, p), true
		}
	}
	if extra := len(r.Processes) - most; extra > 0 {
		r.Processes = slices.Delete(r.Processes, 1, 1+extra)
	}
	return changed
}

// write replaces a record's file in one step. A record has one writer at
// a time: infnet, and then the supervisor. It need not outlive a machine that goes down.
func (r *record) write() error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.WriteFile(r.File+".tmp", append(b, '\n'), 0o666)
	}
	if err == nil {
		err = os.Rename(r.File+".tmp", r.File)
	}
	if err != nil {
		_ = os.Remove(r.File + ".tmp")
		return fmt.Errorf("recording server %q: %w", r.Name, err)
	}
	return nil
}

// remove removes a record, and what an interrupted writer left.
func (r *record) remove() {
	_ = os.Remove(r.File)
	_ = os.Remove(r.File + ".tmp")
}

func readRecord(path string) (r record, err error) {
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	r.File = path
	return r, err
}

// Leftover is a server of an earlier run that was killed, and that still runs.
type Leftover struct {
	record
	pids     []int // its processes
	stopping bool  // its supervisor lives, and is stopping it
}

// String is one line about it.
func (l Leftover) String() string {
	state := "still runs"
	if l.stopping {
		state = "is being stopped"
	}
	return fmt.Sprintf("server %q, started %s by a run that was killed, %s (%s, process %s)", l.Name,
		l.Began.Format(time.DateTime+" MST"), state, filepath.Base(l.Command[0]), list(l.pids))
}
