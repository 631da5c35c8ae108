// Package httpfailure turns what goes wrong between a client and an HTTP server into failures: statuses, error bodies,
// Retry-After, broken connections, and replies that are no answer. It owns how servers word errors, and what a reply
// has to hold to be an answer. It refuses to make calls and knows no secret: a caller takes secrets out of the texts it
// hands in.
//
// Its opinion: a failure's message is one short printable line that helps whoever reads it, and a URL is not part of
// it.
package httpfailure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"infnet/backends"
)

// Longest is the length in bytes that a server's own words may have in a
// failure's message.
const Longest = 300

// LongestError is the most of an error's body that is looked at.
const LongestError = 64 << 10

// longestWait is the longest that a Retry-After is believed.
const longestWait = time.Hour

// Status converts a status other than 200 to a failure.
func Status(status int, h http.Header, body []byte, now time.Time) *backends.Failure {
	code, message := Message(body)
	f := &backends.Failure{Status: status, Message: message, RetryAfter: max(retryAfter(h, now), loading(body))}
	if message == "" {
		f.Message = http.StatusText(status)
	}
	lower := strings.ToLower(code + " " + message)
	switch {
	case status == http.StatusTooManyRequests && strings.Contains(lower, "insufficient_quota"):
		f.Cause, f.RetryAfter = backends.Unauthorized, 0
		f.Message += " (the account's quota is used up; waiting does not help)"
	case status == http.StatusPaymentRequired || status < 500 && strings.Contains(lower, "credit balance is too low"):
		// the latter at Anthropic, with the status of a bad request
		f.Cause, f.RetryAfter = backends.Unauthorized, 0
		f.Message += " (the account has to be paid up; waiting does not help)"
	case status == http.StatusTooManyRequests:
		f.Cause = backends.RateLimited
	case status == http.StatusRequestTimeout:
		f.Cause = backends.Timeout
	case status >= 500:
		f.Cause = backends.ServerError
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.Cause = backends.Unauthorized
	case status == http.StatusRequestEntityTooLarge || tooLong(lower):
		f.Cause = backends.TooLong
	case status >= 300 && status < 400:
		f.Cause = backends.BadRequest
		f.Message = "the server sends us elsewhere" + elsewhere(h) +
			": name that URL in the spec; redirects are not followed, since they would carry the key along"
	case status < 300:
		f.Cause = backends.BadResponse
		f.Message = "a status that no answer has"
	default:
		f.Cause = backends.BadRequest
	}
	return f
}

// tooLong recognises the ways in which servers say that a prompt does not fit:
// OpenAI and vLLM, llama.cpp, TGI, SGLang, Anthropic and Bedrock, Gemini, Cohere, Hugging Face endpoints.
func tooLong(lower string) bool {
	for _, s := range []string{
		"context_length_exceeded", "maximum context length", "exceed_context_size", "exceeds the available context",
		"context size", "`inputs` tokens +", "`inputs` must have less than", "longer than the model's context",
		"input is too long", "prompt is too long", "sequence length", "must be less than",
		"exceeds the maximum number of tokens", "too many tokens",
	} {
		if strings.Contains(lower, s) {
			return true
		}
	}
	return false
}

func elsewhere(h http.Header) string {
	u, err := url.Parse(h.Get("Location"))
	if err != nil || u.String() == "" {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return ", to " + Clean(u.String())
}

// retryAfter reads Retry-After, in seconds or as a date (RFC 9110 §10.2.3), and
// OpenAI's retry-after-ms; 0 = none that makes sense.
func retryAfter(h http.Header, now time.Time) time.Duration {
	bounded := func(d time.Duration) time.Duration { return min(max(d, 0), longestWait) }
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 && ms < 1e9 {
		return bounded(time.Duration(ms * float64(time.Millisecond)))
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 && s < 1e9 {
			return bounded(time.Duration(s * float64(time.Second)))
		}
		return 0
	}
	if t, err := http.ParseTime(v); err == nil {
		return bounded(t.Sub(now))
	}
	return 0
}

// loading is how long a Hugging Face endpoint says that it loads its model, and refuses calls; 0 = it does not say.
func loading(body []byte) time.Duration {
	var w struct {
		Estimated float64 `json:"estimated_time"`
	}
	if json.Unmarshal(body, &w) != nil || !(w.Estimated > 0) {
		return 0
	}
	return time.Duration(min(w.Estimated, longestWait.Seconds()) * float64(time.Second))
}

// Message finds the error in a body: {"error": {"message", "code"}} as
// OpenAI, vLLM, llama.cpp and Ollama write it, {"error": "text"} as TGI does, {"error": ["text"]} as Hugging Face
// endpoints do, {"message": …} and {"detail": …} as others do; else the first words of the
// body itself, unless it is a page for people.
func Message(body []byte) (code, message string) {
	var w struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &w) != nil {
		if LooksLikeHTML(body) {
			return "", "an HTML page: is the URL that of the API, and is there a proxy in front of the server?"
		}
		return "", Clean(string(body))
	}
	var inner struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    any    `json:"code"`
	}
	var several []string
	switch {
	case json.Unmarshal(w.Error, &inner) == nil && inner.Message != "":
		return fmt.Sprint(inner.Code, " ", inner.Type), Clean(inner.Message)
	case json.Unmarshal(w.Error, &message) == nil && message != "":
		return "", Clean(message)
	case json.Unmarshal(w.Error, &several) == nil && len(several) > 0:
		return "", Clean(strings.Join(several, "; "))
	case w.Message != "":
		return "", Clean(w.Message)
	case len(w.Detail) > 0:
		return "", Clean(string(w.Detail))
	}
	return "", Clean(string(body))
}

// Says reports whether a member of a reply says anything: without an error, servers write null, and some "" or {}.
func Says(member json.RawMessage) bool {
	switch string(bytes.TrimSpace(member)) {
	case "", "null", `""`, "{}", "[]", "false":
		return false
	}
	return true
}

// Success is the failure of a reply with status 200 that holds an error.
func Success(body []byte) *backends.Failure {
	_, message := Message(body)
	return &backends.Failure{Cause: backends.ServerError, Status: http.StatusOK, Message: message}
}

// LooksLikeHTML reports whether a body is a page for people.
func LooksLikeHTML(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n\ufeff"), []byte("<"))
}

// Clean makes a server's words one short printable line.
func Clean(s string) string {
	if len(s) > Longest {
		s = s[:Longest] + "…"
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(s)
}

// Broken is the failure of a call that ended without a whole response.
// The URL that errors of net/http carry is left out.
func Broken(err error) *backends.Failure {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var n net.Error
	if errors.As(err, &n) && n.Timeout() {
		return &backends.Failure{Cause: backends.Timeout, Message: Clean(err.Error())}
	}
	return &backends.Failure{Cause: backends.Connection, Message: Clean(err.Error())}
}

// BadResponse is the failure of a reply that cannot be used.
func BadResponse(format string, args ...any) *backends.Failure {
	return &backends.Failure{Cause: backends.BadResponse, Message: Clean(fmt.Sprintf(format, args...))}
}

// Unusable is the failure of a reply whose answer says what no answer of its protocol may say.
func Unusable(format string, args ...any) *backends.Failure {
	return BadResponse("the server's answer cannot be used: "+format, args...)
}

// BadRequest is the failure of a request that cannot be made.
func BadRequest(format string, args ...any) *backends.Failure {
	return &backends.Failure{Cause: backends.BadRequest, Message: fmt.Sprintf(format, args...)}
}

// Carries is backends.Carries for a model that its servers know by this name.
func Carries(r backends.Request, served string, parts ...backends.Part) *backends.Failure {
	if f := backends.Carries(r, append(parts, backends.ServedPart)...); f != nil {
		return f
	}
	if r.Served != "" && r.Served != served {
		return BadRequest("the request is for a model served as %q, this one is served as %q", r.Served, served)
	}
	return nil
}

// Labels refuses labels of which one is empty or that an answer could not tell apart, as fold spells them.
func Labels(labels []string, fold func(string) string) *backends.Failure {
	seen := map[string]bool{}
	for i, l := range labels {
		word := fold(strings.TrimSpace(l))
		if word == "" || seen[word] {
			return BadRequest("label %d (%q) is empty or given twice, so that an answer could not name it", i+1, l)
		}
		seen[word] = true
	}
	return nil
}

// Of is a failure as the error of a model, or nil.
func Of(model string, f *backends.Failure) error {
	if f == nil {
		return nil
	}
	return fmt.Errorf("model %q: %s", model, f.Message)
}
