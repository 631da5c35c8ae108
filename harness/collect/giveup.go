package collect

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"infnet/backends"
)

// likeness is the key by which failures are grouped.
type likeness struct {
	cause   backends.Cause
	status  int
	message string // without its numbers and what it quotes
}

// numbers are what differs between messages that say the same: counts, ids, times, addresses.
var numbers = regexp.MustCompile(`[0-9a-fA-F]*[0-9][0-9a-fA-F.:-]*`)

// quotes are the parts of a message that cite one request: its tokens and texts.
var quotes = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

func likenessOf(f backends.Failure) likeness {
	return likeness{f.Cause, f.Status, numbers.ReplaceAllString(quotes.ReplaceAllString(f.Message, `""`), "#")}
}

// FailureGroup is failures with the same cause and with the same message, except for numbers and quoted texts.
type FailureGroup struct {
	Count   int
	First   backends.Failure // one of them
	Example string           // its record
}

// groups counts failures.
type groups map[likeness]*FailureGroup

func (g groups) add(f backends.Failure, example string) {
	k := likenessOf(f)
	if g[k] == nil {
		g[k] = &FailureGroup{First: f, Example: example}
	}
	g[k].Count++
}

// Failures returns the failures of this run and those of earlier runs that
// were not asked again, in groups, the largest first.
func (j JobReport) Failures() []FailureGroup {
	var out []FailureGroup
	for _, g := range j.groups {
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b FailureGroup) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.First.Cause, b.First.Cause),
			cmp.Compare(a.First.Message, b.First.Message))
	})
	return out
}

// A model is given up after so many failures in a row. Once something was answered, it takes so many times as many
// refused requests or empty answers, which may be caused by their requests: a filter, a run of bad records.
const (
	mostFailures = 20
	ofRequests   = 5
)

// streak counts failures with no answer between them.
type streak struct {
	n        int
	last     backends.Failure
	answered bool // the job has answers
}

// add counts a failure. Those that concern a single prompt neither count nor end a streak.
func (s *streak) add(f backends.Failure) {
	if f.Cause != backends.TooLong && f.Cause != backends.NotRecorded {
		s.n++
		s.last = f
	}
}

func (s *streak) end() { s.n, s.answered = 0, true }

// over reports whether to give up.
func (s *streak) over() bool {
	most := mostFailures
	if c := s.last.Cause; s.answered && (c == backends.BadRequest || c == backends.Internal || c.Unsaid()) {
		most *= ofRequests
	}
	return s.n >= most
}

// GaveUpError says that a run stopped after too many consecutive failures of a model. Callers may
// branch on it to choose an exit code.
type GaveUpError struct {
	Failures int // in a row
	Last     backends.Failure
}

func (e *GaveUpError) Error() string {
	fix := map[backends.Cause]string{
		backends.Unauthorized: "check the key (api_key_env) and what it may use",
		backends.Connection:   "check that the server runs, and its address",
		backends.Timeout:      "too slow, or it hangs: allow fewer calls at once (concurrency) or a longer timeout",
		backends.RateLimited:  "the server allows no more; ask later, or with fewer calls at once (concurrency)",
		backends.ServerError:  "see the server's log, or the provider's page of its status",
		backends.Internal:     "this is a fault of infnet; please report it",
	}[e.Last.Cause]
	if fix == "" {
		fix = "infnet doctor asks the model, shows what it answers and says what it misses"
	}
	return fmt.Sprintf("the last %d requests all failed, the last one with %v: stopped: %s; mend the cause and run again "+
		"with --retry-failed", e.Failures, &e.Last, fix)
}

func (e *GaveUpError) Unwrap() error { return &e.Last }

// pacer counts the calls in flight. It holds back new ones while it is unknown whether the model
// answers at all. Failures are fast and answers slow, so a streak counts only after every call that
// started before its end has returned.
type pacer struct {
	mu   sync.Mutex
	out  int           // calls begun and not back
	held chan struct{} // nil = new calls may begin; else closed when they may
}

// enter waits until a call may begin.
func (p *pacer) enter(ctx context.Context) bool {
	for {
		p.mu.Lock()
		held := p.held
		if held == nil {
			p.out++
			p.mu.Unlock()
			return true
		}
		p.mu.Unlock()
		select {
		case <-held:
		case <-ctx.Done():
			return false
		}
	}
}

// leave records that n calls are back, and whether new ones are to wait. It returns how many are still under way.
func (p *pacer) leave(n int, hold bool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out -= n
	switch {
	case hold && p.held == nil:
		p.held = make(chan struct{})
	case !hold && p.held != nil:
		close(p.held)
		p.held = nil
	}
	return p.out
}
