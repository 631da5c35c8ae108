package backends

import (
	"context"
	"encoding/json"
)

// Driver is one kind of backend: what it can do, and how its models are
// opened. A nil function is something the kind cannot do. Package open lists
// the drivers.
type Driver struct {
	Kind Kind

	Model    func(Config) (Model, error)    // answers requests
	Embedder func(Config) (Embedder, error) // embeds texts
	Scorer   func(Config) (Scorer, error)   // scores pairs of texts

	// Batch writes and reads batch files, with classifications that are asked in this way.
	Batch func(Config, LabelMode) (Batch, error)

	// Revision identifies everything that decides a model's answers. Without it
	// the revision is Config.Model.Revision, as for servers.
	Revision func(Config) (string, error)

	// Inspect reads what a folder says about its model apart from the weights.
	Inspect func(Config) (Facts, error)
}

// Facts are what is known about a model before its weights are read: enough to
// price a study and to check its labels.
type Facts interface {
	Shaped
	LabelChecker
}

// Wrapper is an optional ability of a Model that adds behaviour to another
// one (retries, a rate limit): it names what it wraps, so that the abilities
// of the model inside stay visible.
type Wrapper interface {
	Unwrap() Model
}

// Ability returns the model's optional ability T (Batcher, TokenCounter,
// Shaped, …), looking through wrappers from the outside in.
func Ability[T any](m Model) (T, bool) {
	for m != nil {
		if t, ok := m.(T); ok {
			return t, true
		}
		w, ok := m.(Wrapper)
		if !ok {
			break
		}
		m = w.Unwrap()
	}
	var none T
	return none, false
}

// Batch makes the calls that go into a provider's batch file, and reads the replies that come back in
// another one. Both are those of a model that is asked live: the same bodies, the same checks. It is safe
// for concurrent use.
type Batch interface {
	// Call is the call that asks a request. The failure says why no call can ask it.
	Call(ctx context.Context, r Request) (BatchCall, *Failure)

	// Answer reads the reply to a request. The answer has no latency, since nobody measured any.
	Answer(ctx context.Context, r Request, reply BatchReply) Answer
}

// BatchCall is a call that waits in a batch file.
type BatchCall struct {
	URL  string // the route, such as /v1/chat/completions
	Body json.RawMessage
}

// BatchReply is what came back for a call.
type BatchReply struct {
	Status int // HTTP
	Body   []byte
}

// Batched reports whether a classification that is asked in this way is one call that needs nothing else of
// the server, so that it can wait in a batch file.
func (m LabelMode) Batched() bool {
	return m == LabelsTopLogprobs || m == LabelsText
}

// Verdict says what a finding means for a study.
type Verdict int

const (
	Fine    Verdict = iota // what a study needs
	Unknown                // cannot be found out; nothing is wrong
	Doubt                  // a study runs, but less is known or it is slower
	Broken                 // a study cannot run, or its numbers would not hold
)

// Finding is one line of a check-up: a question, the answer, and the fix if a study needs something
// else. It holds no secret.
type Finding struct {
	Verdict  Verdict
	Question string // two words, such as "log-probabilities"
	Found    string
	Fix      string // "" = nothing to do
}

// On is a finding with this verdict.
func (v Verdict) On(question, found, fix string) Finding { return Finding{v, question, found, fix} }

// Examination describes what to check: how the study asks the model, and whether its confidence is
// used.
type Examination struct {
	Mode    Mode
	Student bool       // the model is not the last of a cascade
	Labels  [][]string // of each classification, as requests have them
}

// Examined is an optional ability of a Model: it checks what serves the model by calling it. Each
// finding comes after those it depends on. alive is false if the model cannot be called at all, so
// that further checks are pointless.
type Examined interface {
	Examine(ctx context.Context, e Examination) (found []Finding, alive bool)
}

// Pair is a text and what may follow from it.
type Pair struct {
	Source string
	Target string
}

// Scorer says how well targets follow from their sources: one score per pair,
// in order, the mean log-probability of the target's tokens given the source,
// ≤ 0. A score depends on its pair alone.
//
// W. Yuan, G. Neubig and P. Liu, BARTScore: Evaluating Generated Text as Text
// Generation, 2021, eq. 2 with equal weights.
type Scorer interface {
	Score(ctx context.Context, pairs []Pair) ([]float64, error)
}

type beginKey struct{}

// Begin attaches to calls, the context of calls in flight, a second context that ends earlier: no call may start once
// begin is done.
func Begin(calls, begin context.Context) context.Context {
	return context.WithValue(calls, beginKey{}, begin)
}

// MayBegin reports whether calls may start.
func MayBegin(ctx context.Context) bool {
	begin, ok := ctx.Value(beginKey{}).(context.Context)
	return ctx.Err() == nil && (!ok || begin.Err() == nil)
}

// Beginning returns a context that is done when ctx is done or when no more calls may start. Use it
// to wait before a call or a retry. cancel releases it.
func Beginning(ctx context.Context) (begin context.Context, cancel context.CancelFunc) {
	begin, end := context.WithCancelCause(ctx)
	unwatch := func() bool { return true }
	if outer, ok := ctx.Value(beginKey{}).(context.Context); ok {
		unwatch = context.AfterFunc(outer, func() { end(context.Cause(outer)) })
	}
	return begin, func() {
		unwatch()
		end(context.Canceled)
	}
}
