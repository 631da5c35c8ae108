// Package backends defines what infnet expects of a model: it answers requests in batches. It owns
// the types that all backends share (Model, Embedder, Request, Answer, Failure, Config). It refuses
// to talk to a model: each wire protocol has its own package below this one.
//
// Its opinion: an answer depends on its request alone, in any batch and on any number of threads. A request that
// cannot be answered gets a Failure, so one bad record never spoils the others.
package backends

import (
	"cmp"
	"context"
	"math"
	"strings"
	"time"
)

// Model answers requests.
//
// Answer returns one Answer per request, in order. The error is for problems that affect every request (the
// context is done, the weights cannot be read); the answers are then invalid. Implementations are safe for
// concurrent use and never keep or change reqs.
type Model interface {
	Answer(ctx context.Context, reqs []Request) ([]Answer, error)
}

// Embedder maps texts to vectors, one per text, in order, all of one length.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Batcher is an optional ability of a Model: the preferred number of requests per call. Other
// models get one request per call.
type Batcher interface {
	BatchSize() int
}

// TokenCounter is an optional ability of a Model: the exact number of tokens of a prompt.
type TokenCounter interface {
	CountTokens(prompt string) (int, error)
}

// Shaped is an optional ability of a Model: the shape of its network, from
// which the FLOPs of a query follow.
type Shaped interface {
	Shape() Shape
}

// LabelChecker is an optional ability of a Model that scores labels by their first token: whether
// it can distinguish these labels after this prompt. The error names the labels that it cannot
// distinguish, and the token they share.
type LabelChecker interface {
	CheckLabels(prompt string, labels []string) error
}

// Unscored is an optional ability of a Model: whether it answers without log-probabilities in this mode. Such a
// model can only be the last of a cascade, or vote (Sampling). It may have to ask the server, so it may fail.
type Unscored interface {
	Unscored(ctx context.Context, mode Mode) (bool, error)
}

// Server describes a model's servers, as found by probing them.
type Server struct {
	Name, Version string // vllm, ollama, …; "" where it does not say
	Fingerprint   string // of all that decides how answers come about

	// Labels are the ways to ask classifications that work in each mode; the
	// first is what LabelsAuto takes. A mode that the servers do not answer at
	// all is not there.
	Labels map[Mode][]LabelMode
}

// Probed is an optional ability of a Model behind a server: the result of probing it, which happens
// once. Only the given mode has to be probed successfully; a failure in another mode is not an
// error. asked is false if nothing was probed because the configuration already settles everything.
type Probed interface {
	Server(ctx context.Context, mode Mode) (found Server, asked bool, err error)
}

// Confirmer is an optional ability of a Model or an Embedder behind servers: it finds out from
// replies which model answers at each URL that is not known yet. It makes at most one short call to
// each URL.
type Confirmer interface {
	Confirm(ctx context.Context, known func(url string) bool) []Confirmation
}

// Confirmation says which model answers at one URL.
type Confirmation struct {
	URL   string // without secrets, since URLs with them are refused
	Model string // the name in its replies, which is one of the model asked; "" = they name none
	Err   error  // nil = it answered; a *Failure with cause OtherModel where another model did
}

// ModelID identifies a model, whichever machine serves it. Two ModelIDs that are equal promise the
// same weights: for a local folder the revision is a hash of its files.
type ModelID struct {
	ID       string `json:"id"`       // the hub's name, or the name in the spec where there is none
	Revision string `json:"revision"` // commit, or content hash of a local folder
	Kind     Kind   `json:"kind"`     // which backend computes it
}

// Mode says how the prompt reaches the model.
type Mode string

const (
	Raw  Mode = "raw"  // the prompt is the model's input, after the beginning-of-sequence token
	Chat Mode = "chat" // the prompt is one user turn, wrapped by the model's chat template
)

// Request is one question to one model. With Labels it asks for a
// classification: which label continues the prompt, by the log-probability of
// each label's first token. Without, for a generation of at most MaxTokens
// tokens. Both are greedy unless Sampling says otherwise.
type Request struct {
	Model       ModelID
	Mode        Mode
	Prompt      string
	Labels      []string // the continuations to choose among, leading space included; order is class index
	MaxTokens   int      // generation: limit on new tokens, > 0
	Stop        []string // generation: text that ends the answer; the answer excludes it
	Seed        uint64   // for models that sample; part of the key
	TopLogprobs int      // generation: alternatives recorded per token; 0 = none

	// LabelMode is how a classification is asked if the model's servers were probed for it
	// (Probed), so that answers obtained in different ways have different keys; "" = the model has
	// only one way, or its revision determines it.
	LabelMode LabelMode

	// The following fields came with version 2 of the key. A field that is set is part of the key;
	// an empty one leaves the key unchanged. A backend that does not support a field refuses requests
	// that set it (Carries), so that the answer to a different question is never used. System and
	// Examples are turns, so mode raw has none.
	Served   string    // the model's name on its servers; "" = no server knows it by a name
	System   string    // the system turn of a chat
	Examples []Example // turns before the prompt, in order
	Template string    // the chat template, in place of the model's own
	Settings []Setting // settings of the engine that change answers, in any order
	Sampling Sampling  // how the answer is drawn, with Seed; a sampled classification is the label that was said
	Question string    // classification: what a decision model is asked of the prompt
	Criteria []string  // with Question: what each label means, "" = its word; none = their words alone
}

// Shown is everything that the request shows the model, for people and for counts of it: the prompt, and where there
// are turns before it, each behind a line that says whose it is.
func (r Request) Shown() string {
	if r.System == "" && len(r.Examples) == 0 && r.Question == "" {
		return r.Prompt
	}
	var b strings.Builder
	turn := func(role, text string) { b.WriteString("[" + role + "]\n" + text + "\n") }
	if r.Question != "" {
		turn("question", r.Question)
	}
	for i, c := range r.Criteria {
		turn("option", strings.TrimSpace(r.Labels[i])+": "+c)
	}
	if r.System != "" {
		turn("system", r.System)
	}
	for _, e := range r.Examples {
		turn("user", e.Prompt)
		turn("assistant", e.Answer)
	}
	turn("user", r.Prompt)
	return b.String()
}

// Example is a question with its answer, shown to a model before the prompt.
type Example struct {
	Prompt, Answer string
}

// Setting is a setting of an engine.
type Setting struct {
	Name, Value string
}

func (s Setting) compare(o Setting) int {
	return cmp.Or(strings.Compare(s.Name, o.Name), strings.Compare(s.Value, o.Value))
}

// Answer is what a model said to one request. Its tags are its form wherever it is kept; what a tag leaves out is not
// kept.
type Answer struct {
	Key    Key          `json:"-"`                // of the request it answers
	Text   string       `json:"text"`             // generation: the text; classification: the most probable label as asked for
	Tokens []Token      `json:"tokens,omitempty"` // generation: the tokens, end token included if it was produced
	Labels []LabelScore `json:"labels,omitempty"` // classification: one per requested label, same order
	Usage  Usage        `json:"usage"`            // what one call that asks this takes
	// what every call took that a server answered, where that is not one call with an answer (one call per
	// label, another try, a failure)
	Calls     []Usage  `json:"-"`
	Truncated int      `json:"truncated,omitzero"` // prompt tokens dropped to fit the context; 0 = none
	Failure   *Failure `json:"-"`                  // nil = answered

	// NoLogprobs says that the model gives no log-probabilities, so the answer has no confidence. A generation has
	// Text and no Tokens; a classification one Seen label, the one it named, at 0, and 0 as the upper bound of all
	// others.
	NoLogprobs bool `json:"no_logprobs,omitzero"`

	// Confidence is the confidence in [0,1] that was recorded with the answer, used as β unchanged; nil = compute β
	// from Tokens or Labels. Labels without scores are as with NoLogprobs.
	Confidence *float64 `json:"confidence,omitzero"`

	// By is how a classification was asked, if there are several ways. It differs from the
	// request's LabelMode if that one saw no label or does not suit these labels. "" = there is
	// only one way.
	By LabelMode `json:"by,omitzero"`

	// LabelMass is the probability mass on the labels of a classification, if the backend knows it;
	// nil = compute it from Labels if they allow it (Mass).
	LabelMass *Mass `json:"mass,omitzero"`

	// Vendor is what the reply of a decision model says besides; nil = another model's answer.
	Vendor *Vendor `json:"vendor,omitzero"`

	// Finish is why a generation ended; "" = not known. Classifications have
	// none: they take one token.
	Finish Finish `json:"finish,omitzero"`

	// Model is the model's name in the server's reply, which may be an alias of the name asked for
	// (Request.Served); "" = the reply names none.
	Model string `json:"model,omitzero"`

	// Thoughts are what the model thought before or while it answered, as far as its server hands them over apart from
	// the text; no token of them is in Tokens. "" = none, or nobody said. Thoughts that the text holds stay there.
	Thoughts string `json:"thoughts,omitzero"`

	// Thinks says that the reply is thoughts alone, or holds them in its text. It is an answer only where a study says
	// how the answer is found in a reply.
	Thinks bool `json:"thinks,omitzero"`

	// Kept is, with a failure whose cause is Thoughts, the answer that the reply is where a study says how the answer
	// is found in it (Found).
	Kept *Answer `json:"-"`

	// Grade is the grade in [0,1] that was recorded with the answer, 1 = right; nil = none was. Only a
	// dataset whose rule is "recorded" looks at it.
	Grade *float64 `json:"grade,omitzero"`

	// Cost is the cost that was recorded with the answer; nil = none was.
	Cost *Money `json:"cost,omitzero"`

	// Whole says that Tokens has one entry, the log-probability of the whole answer, whose number of
	// tokens is not known: it says nothing about the mean of a token.
	Whole bool `json:"whole,omitzero"`

	// Batch is the format of the provider's batch file in which the answer came; "" = it came from a live
	// call. Nobody measured how long such an answer took.
	Batch string `json:"batch,omitzero"`

	// System is what the server's reply says of the system that computed it (system_fingerprint); "" = nothing.
	System string `json:"system,omitzero"`

	Latency time.Duration `json:"latency_ns"` // wall time attributed to this request
}

// Money is an amount of a currency.
type Money struct {
	Amount   float64 `json:"amount"` // ≥ 0
	Currency string  `json:"currency"`
}

// Token is one generated token.
type Token struct {
	Text    string        `json:"t"`
	Logprob float64       `json:"lp"`           // natural logarithm, ≤ 0
	End     bool          `json:"end,omitzero"` // an end-of-sequence token
	Top     []Alternative `json:"top,omitempty"`
}

// Equal reports whether all tokens are one, which has no alternatives, again and again: the share of each in a
// log-probability that was recorded of a whole answer.
func Equal(tokens []Token) bool {
	for _, t := range tokens {
		if first := tokens[0]; t.Top != nil || t.End || t.Text != first.Text ||
			math.Float64bits(t.Logprob) != math.Float64bits(first.Logprob) {
			return false
		}
	}
	return len(tokens) > 1
}

// Alternative is a token the model could have said.
type Alternative struct {
	Text    string  `json:"t"`
	Logprob float64 `json:"lp"`
}

// LabelScore is a label's log-probability. The scores of one answer share an
// unknown additive constant (some backends normalise over the labels, some
// over the vocabulary), so only their differences mean anything. A label the
// server did not report is not Seen and Logprob is an upper bound.
type LabelScore struct {
	Logprob float64 `json:"lp"`
	Seen    bool    `json:"seen"`
}
