package backends

import (
	"fmt"
	"strings"
	"time"
)

// Cause classifies why a request has no answer.
type Cause string

// The causes. Rate limits, server errors, timeouts and broken connections are
// worth another try; the others would fail again.
const (
	RateLimited  Cause = "rate-limited"    // HTTP 429
	ServerError  Cause = "server-error"    // HTTP 5xx
	Timeout      Cause = "timeout"         // no answer in time
	Connection   Cause = "connection"      // refused, reset, cut short
	BadResponse  Cause = "bad-response"    // truncated or garbage JSON, missing choices, NaN
	BadRequest   Cause = "bad-request"     // HTTP 4xx, or a request the model cannot take
	Unauthorized Cause = "unauthorized"    // HTTP 401, 403
	OtherModel   Cause = "other-model"     // a model other than the one asked for answered
	TooLong      Cause = "too-long"        // the prompt does not fit and may not be truncated
	CutEmpty     Cause = "cut-before-text" // the answer reached its limit of tokens before it had any text
	Refused      Cause = "refused"         // the model, or a filter before it, refused to answer
	ToolCall     Cause = "tool-call"       // the model called a tool although none was offered, and gave no text
	Thoughts     Cause = "reasoning-only"  // the reply holds the model's reasoning and no answer
	NoContent    Cause = "no-content"      // the reply holds no text, and the model did not end it
	NoLabel      Cause = "no-label"        // what the model says is none of the labels, or no one of them
	Template     Cause = "template-text"   // the text holds marks of the chat template, or repeats the prompt
	NotRecorded  Cause = "not-recorded"    // a replayed model has no usable answer for this request in its file
	Internal     Cause = "internal"        // a fault of ours; please report it
)

// Failure says why a request has no answer. It is an error.
type Failure struct {
	Cause      Cause         `json:"cause"`
	Status     int           `json:"status,omitzero"` // HTTP status, 0 = none
	Message    string        `json:"message"`         // for people; holds no secret
	RetryAfter time.Duration `json:"-"`               // as the server asked; 0 = did not say
}

func (f *Failure) Error() string {
	if f.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d): %s", f.Cause, f.Status, f.Message)
	}
	return fmt.Sprintf("%s: %s", f.Cause, f.Message)
}

// Unsaid reports whether the model was reached but gave no answer: its server works, and the same
// request would fail again.
func (c Cause) Unsaid() bool {
	switch c {
	case CutEmpty, Refused, ToolCall, Thoughts, NoContent, NoLabel, Template:
		return true
	}
	return false
}

// Later reports whether the server took no look at the request and asked for it later.
func (f *Failure) Later() bool {
	return f.Cause == RateLimited || (f.Status == 503 || f.Status == 529) && f.RetryAfter > 0 && f.Temporary()
}

// Temporary reports whether another try may succeed.
func (f *Failure) Temporary() bool {
	switch f.Cause {
	case RateLimited, ServerError, Timeout, Connection, BadResponse:
		return true
	}
	return false
}

// Finish says why a generation ended. "" = not recorded; the text may be cut.
type Finish string

// The reasons. Any other value is the server's own word for something else.
const (
	FinishEnd    Finish = "end"      // the model ended its answer, or said a stop
	FinishLength Finish = "length"   // cut: the answer reached max_tokens, or the context its end
	FinishUnsaid Finish = "not said" // the server gave no reason
)

// Cut reports whether the answer is known to have been cut: a reason was recorded, and the model
// did not end the answer itself.
func (f Finish) Cut() bool { return f != "" && f != FinishEnd }

// FinishOf translates the finish reasons of OpenAI, TGI, llama.cpp, Anthropic and Gemini, in any
// letter case. limit says whether the answer has as many tokens as were allowed; it decides if
// there is no reason.
func FinishOf(word string, limit bool) Finish {
	switch w := strings.ToLower(strings.TrimSpace(word)); w {
	case "stop", "eos", "eos_token", "stop_sequence", "end_turn", string(FinishEnd):
		return FinishEnd
	case "length", "max_tokens", "model_length", "limit", "max_output_tokens":
		return FinishLength
	case "":
		if limit {
			return FinishLength
		}
		return FinishUnsaid
	default:
		const longest = 40
		w = strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return '?'
			}
			return r
		}, w)
		return Finish(w[:min(len(w), longest)])
	}
}

// BeforeStop cuts a text at the first stop; servers that honour stops leave nothing to do.
func BeforeStop(text string, stops []string) string {
	cut := len(text)
	for _, s := range stops {
		if i := strings.Index(text, s); s != "" && i >= 0 {
			cut = min(cut, i)
		}
	}
	return text[:cut]
}
