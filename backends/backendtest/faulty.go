package backendtest

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"infnet/backends"
)

// Fault is something that goes wrong with a request.
type Fault int

const (
	None         Fault = iota // a good answer
	TooMany                   // HTTP 429 without Retry-After
	TooManyAfter              // HTTP 429 with Retry-After: 2
	Down                      // HTTP 500
	Late                      // no answer in time
	Reset                     // the connection broke
	Truncated                 // the response's JSON ended early
	Garbage                   // the response was no JSON
	Forbidden                 // HTTP 401
	Refused                   // HTTP 400
	Long                      // the prompt does not fit
	NaN                       // a log-probability is NaN
	NoLogprobs                // text without log-probabilities
	WrongKey                  // the answer of another request
	Short                     // one answer too few for the whole call
	Extra                     // one answer too many for the whole call
	Panic                     // the call panics
	Fatal                     // the call returns an error
)

var failures = map[Fault]backends.Failure{
	TooMany:      {Cause: backends.RateLimited, Status: 429, Message: "slow down"},
	TooManyAfter: {Cause: backends.RateLimited, Status: 429, Message: "slow down", RetryAfter: 2 * time.Second},
	Down:         {Cause: backends.ServerError, Status: 500, Message: "out of order"},
	Late:         {Cause: backends.Timeout, Message: "no answer in time"},
	Reset:        {Cause: backends.Connection, Message: "connection reset by peer"},
	Truncated:    {Cause: backends.BadResponse, Message: "unexpected end of JSON input"},
	Garbage:      {Cause: backends.BadResponse, Message: "invalid character '<' looking for beginning of value"},
	Forbidden:    {Cause: backends.Unauthorized, Status: 401, Message: "who are you?"},
	Refused:      {Cause: backends.BadRequest, Status: 400, Message: "what do you mean?"},
	Long:         {Cause: backends.TooLong, Message: "the prompt has 9000 tokens, the context 8192"},
}

// ErrFatal is the error of the fault Fatal.
var ErrFatal = errors.New("the weights are gone")

// Faulty is a Model that follows a script: for each prompt, the fault of its first call, its
// second, and so on. After the script, and for prompts without one, it answers correctly. It is
// safe for concurrent use.
type Faulty struct {
	Script map[string][]Fault // by prompt
	Batch  int                // BatchSize; 0 = 1
	Delay  time.Duration      // of every call

	mu    sync.Mutex
	asked map[string]int
	calls int
}

func (f *Faulty) BatchSize() int { return max(1, f.Batch) }

// Asked returns how often a prompt was asked.
func (f *Faulty) Asked(prompt string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[prompt]
}

// Calls returns how many calls there were.
func (f *Faulty) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

func (f *Faulty) next(reqs []backends.Request) []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.asked == nil {
		f.asked = map[string]int{}
	}
	out := make([]Fault, len(reqs))
	for i, r := range reqs {
		n := f.asked[r.Prompt]
		f.asked[r.Prompt]++
		if script := f.Script[r.Prompt]; n < len(script) {
			out[i] = script[n]
		}
	}
	return out
}

// Answer plays the script.
func (f *Faulty) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	faults := f.next(reqs)
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	answers := make([]backends.Answer, len(reqs))
	size := len(reqs)
	for i, r := range reqs {
		if f := backends.Carries(r); f != nil {
			answers[i] = backends.Answer{Key: r.Key(), Failure: f}
			continue
		}
		answers[i] = Good(r)
		switch fault := faults[i]; fault {
		case NaN:
			spoil(&answers[i], math.NaN())
		case NoLogprobs:
			answers[i].Labels, answers[i].Tokens = nil, nil
		case WrongKey:
			answers[i].Key[0] ^= 1
		case Short:
			size = len(reqs) - 1
		case Extra:
			size = len(reqs) + 1
		case Panic:
			panic("a fault that was asked for")
		case Fatal:
			return nil, ErrFatal
		default:
			if fail, ok := failures[fault]; ok {
				answers[i] = backends.Answer{Key: r.Key(), Failure: &fail}
			}
		}
	}
	for len(answers) < size {
		answers = append(answers, backends.Answer{})
	}
	return answers[:size], nil
}

func spoil(a *backends.Answer, lp float64) {
	for i := range a.Labels {
		a.Labels[i].Logprob = lp
	}
	for i := range a.Tokens {
		a.Tokens[i].Logprob = lp
	}
}

// Good is the answer Faulty gives when nothing goes wrong: the first label, or
// the prompt repeated.
func Good(r backends.Request) backends.Answer {
	a := backends.Answer{Key: r.Key(), Usage: backends.Usage{Prompt: backends.Counted(1 + len(r.Prompt)),
		Completion: backends.Counted(1)}, Latency: time.Millisecond}
	if len(r.Labels) > 0 {
		a.Text = r.Labels[0]
		for i := range r.Labels {
			a.Labels = append(a.Labels, backends.LabelScore{Logprob: -float64(i), Seen: true})
		}
		return a
	}
	a.Text = r.Prompt
	a.Tokens = []backends.Token{{Text: r.Prompt, Logprob: -0.25}}
	return a
}
