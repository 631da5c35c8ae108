package huggingface

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	hub "github.com/hupe1980/go-huggingface"

	"infnet/backends"
	"infnet/backends/redact"
)

// client sends go-huggingface's requests. It notes what came back, which
// go-huggingface reduces to a text, and mends forms both ways. It does not
// retry.
type client struct {
	http       *http.Client
	task       backends.HuggingFaceTask
	hypothesis string
	secrets    *redact.Redactor
	maxBody    int64
	numbered   atomic.Bool // the server speaks HTTP/2, which numbers responses
}

var _ hub.HTTPClient = (*client)(nil)

// longestError is the most of an error's body that is looked at.
const longestError = 64 << 10

// exchange is what came back in one call.
type exchange struct {
	status int
	header http.Header
	body   []byte
}

type exchangeKey struct{}

// Do sends a request whose context holds an *exchange.
func (c *client) Do(req *http.Request) (*http.Response, error) {
	req, err := c.shape(req)
	if err != nil {
		return nil, err
	}
	// Answers here have no id, so over HTTP/1.1 each call has a connection of its own: an
	// unsolicited response could not be distinguished from the answer.
	req.Close = !c.numbered.Load()
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, bare(err)
	}
	defer resp.Body.Close()
	c.numbered.Store(resp.ProtoMajor > 1)
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.maxBody+1))
	if err != nil {
		return nil, bare(err)
	}
	if int64(len(body)) > c.maxBody {
		return nil, unusable("it is longer than %d bytes", c.maxBody)
	}
	if resp.StatusCode != http.StatusOK {
		body = []byte(c.secrets.Text(string(body[:min(len(body), longestError)])))
	}
	if x, ok := req.Context().Value(exchangeKey{}).(*exchange); ok {
		*x = exchange{status: resp.StatusCode, header: resp.Header, body: body}
	}
	if resp.StatusCode == http.StatusOK {
		if body, err = mend(c.task, body); err != nil {
			return nil, err
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// shape gives a request the form that servers document today: one text instead
// of a list, the hypothesis, no empty options.
func (c *client) shape(req *http.Request) (*http.Request, error) {
	var body struct {
		Inputs     json.RawMessage            `json:"inputs"`
		Parameters map[string]json.RawMessage `json:"parameters,omitempty"`
	}
	sent, err := io.ReadAll(req.Body)
	if err == nil {
		err = json.Unmarshal(sent, &body)
	}
	if err != nil {
		return nil, &backends.Failure{Cause: backends.Internal, Message: "the request cannot be read back: " + err.Error()}
	}
	var texts []json.RawMessage
	if json.Unmarshal(body.Inputs, &texts) == nil && len(texts) == 1 {
		body.Inputs = texts[0]
	}
	if c.hypothesis != "" && c.task == backends.ZeroShot {
		quoted, err := json.Marshal(c.hypothesis)
		if err != nil {
			return nil, err
		}
		body.Parameters["hypothesis_template"] = quoted
	}
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	out := req.Clone(req.Context())
	out.Body = io.NopCloser(bytes.NewReader(b))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }
	out.ContentLength = int64(len(b))
	return out, nil
}

// bare takes the address off an error.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// failure says why a call has no answer.
func (m *Model) failure(ctx context.Context, x *exchange, err error) *backends.Failure {
	var f *backends.Failure
	switch {
	case x.status != 0 && x.status != http.StatusOK:
		return refused(x)
	case errors.As(err, &f):
		f.Status = x.status
		return f
	case x.status == http.StatusOK: // go-huggingface could not read what we mended
		return &backends.Failure{Cause: backends.BadResponse, Status: x.status,
			Message: "the server's answer cannot be used: " + clip(err.Error())}
	case errors.Is(ctx.Err(), context.DeadlineExceeded), timedOut(err):
		return &backends.Failure{Cause: backends.Timeout, Message: fmt.Sprintf("no answer within %v", m.cfg.Timeout)}
	}
	return &backends.Failure{Cause: backends.Connection, Message: clip(err.Error())}
}

func timedOut(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// tooLong is how servers say that a text does not fit.
var tooLong = regexp.MustCompile(`(?i)too long|too many tokens|(?:maximum|max|sequence|context) length|must be less than \d+ tokens`)

// refused classifies a status other than 200.
func refused(x *exchange) *backends.Failure {
	f := &backends.Failure{Status: x.status, RetryAfter: after(x), Message: clip(errorText(x.body))}
	if f.Message == "" {
		f.Message = clip(string(x.body))
	}
	if f.Message == "" {
		f.Message = "the server gives no reason"
	}
	hint := ""
	switch s := x.status; {
	case s == http.StatusTooManyRequests:
		f.Cause = backends.RateLimited
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		f.Cause, hint = backends.Unauthorized, "set the token's environment variable to a token that may use this endpoint"
	case s == http.StatusPaymentRequired:
		f.Cause, f.RetryAfter = backends.Unauthorized, 0
		hint = "the account has no credit left: add some, or name another account's token; waiting does not help"
	case s == http.StatusRequestTimeout:
		f.Cause = backends.Timeout
	case s >= 500:
		f.Cause = backends.ServerError
	case s == http.StatusRequestEntityTooLarge || tooLong.MatchString(f.Message):
		f.Cause = backends.TooLong
	case s == http.StatusNotFound || s == http.StatusGone:
		f.Cause, hint = backends.BadRequest, "there is no model at this URL"
	case s >= 300 && s < 400:
		f.Cause, f.Message = backends.BadRequest, "the server redirects, and the token is not sent elsewhere"
		hint = "name the final URL"
	default:
		f.Cause = backends.BadRequest
	}
	if hint != "" {
		f.Message += ": " + hint
	}
	return f
}

// longestWait bounds how long a server may ask to wait.
const longestWait = time.Hour

// after is how long the server asks to wait: its Retry-After in seconds or as
// a date, or the time it estimates for loading the model, whichever is longer.
func after(x *exchange) time.Duration {
	seconds := func(s float64) time.Duration {
		if !(s > 0) {
			return 0
		}
		return time.Duration(min(s, longestWait.Seconds()) * float64(time.Second))
	}
	var wait time.Duration
	h := strings.TrimSpace(x.header.Get("Retry-After"))
	if n, err := strconv.ParseFloat(h, 64); err == nil {
		wait = seconds(n)
	} else if at, err := http.ParseTime(h); err == nil {
		wait = min(max(time.Until(at), 0), longestWait)
	}
	var loading struct {
		Estimated float64 `json:"estimated_time"`
	}
	if json.Unmarshal(x.body, &loading) == nil {
		wait = max(wait, seconds(loading.Estimated))
	}
	return wait
}

// errorText is the text of {"error": "…"} or {"error": ["…"]}, "" where there
// is none.
func errorText(body []byte) string {
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &e) != nil || len(e.Error) == 0 || string(e.Error) == "null" {
		return ""
	}
	var one string
	if json.Unmarshal(e.Error, &one) == nil {
		return clip(one)
	}
	var many []string
	if json.Unmarshal(e.Error, &many) == nil {
		return clip(strings.Join(many, "; "))
	}
	return clip(string(e.Error))
}

// clip makes a server's text fit for a message: short and printable.
func clip(s string) string {
	const most = 300
	if len(s) > 16*most {
		s = s[:16*most]
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return ' '
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
