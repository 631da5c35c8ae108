package hosted

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/pace"
	"infnet/backends/redact"
)

// placeholder is the address that langchaingo's clients are given; the transport puts the real one in its place.
const placeholder = "http://model.invalid"

// exchange is one call as it happened. It travels in the call's context.
type exchange struct {
	question question

	reply   *said // as the provider wrote it; nil = none that can be used
	latency time.Duration
	failure *backends.Failure // nil = status 200, and a reply that is an answer
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// transport carries every call of a model: it is the HTTP client of langchaingo's clients. It never follows redirects
// and never repeats a call.
type transport struct {
	http     *http.Client
	base     string // where the provider's routes begin
	extra    map[string]any
	timeout  time.Duration
	maxBody  int64
	now      func() time.Time
	line     pace.Line
	mu       sync.Mutex // of what follows
	pace     pace.Pace
	key      string           // "" = none
	secrets  *redact.Redactor // taken out of a provider's words
	numbered atomic.Bool      // the provider speaks HTTP/2, which numbers responses
}

var errTimeout = errors.New("no whole answer in time")

// enter waits until a call may start.
func (t *transport) enter(ctx context.Context) (epoch int, err error) {
	begin, stop := backends.Beginning(ctx)
	defer stop()
	err = t.line.Wait(begin, func(now time.Time) time.Time {
		t.mu.Lock()
		defer t.mu.Unlock()
		due := t.pace.Due()
		if !due.After(now) {
			epoch = t.pace.Start(now)
		}
		return due
	})
	return epoch, err
}

// left says how a call went.
func (t *transport) left(epoch int, f *backends.Failure) {
	if f != nil && f.Later() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.pace.Refused(time.Now(), epoch, f.RetryAfter)
	}
}

// Do is langchaingo's HTTP client. The error that it returns only stops langchaingo; what happened is in the exchange.
func (t *transport) Do(req *http.Request) (*http.Response, error) { return t.RoundTrip(req) }

// RoundTrip makes the call of an exchange.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("hosted: a call without an exchange")
	}
	body, err := t.carry(req, x)
	if err != nil {
		f := failed(err)
		f.Message = t.secrets.Text(f.Message)
		x.failure = f
		return nil, f
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)), Request: req,
	}, nil
}

// carry makes the call, and returns what langchaingo is to read.
func (t *transport) carry(req *http.Request, x *exchange) ([]byte, error) {
	var written []byte
	if req.Body != nil {
		var err error
		if written, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
	}
	body, err := t.completed(written)
	if err != nil {
		return nil, &backends.Failure{Cause: backends.Internal, Message: "langchaingo's request: " + err.Error()}
	}
	status, header, reply, err := t.send(req, x, body)
	if err != nil {
		if errors.Is(context.Cause(req.Context()), errTimeout) {
			return nil, &backends.Failure{Cause: backends.Timeout,
				Message: fmt.Sprintf("%v: more than %v", errTimeout, t.timeout)}
		}
		return nil, httpfailure.Broken(err)
	}
	if status != http.StatusOK {
		reply = []byte(t.secrets.Text(string(reply[:min(len(reply), httpfailure.LongestError)])))
		return nil, httpfailure.Status(status, header, reply, t.now())
	}
	if int64(len(reply)) > t.maxBody {
		return nil, httpfailure.BadResponse("the response is longer than %d bytes", t.maxBody)
	}
	if f := isJSON(header.Get("Content-Type"), reply); f != nil {
		return nil, f
	}
	wire, readable, f := claude(reply)
	x.reply = wire // even where there is no answer: its tokens were paid for
	if f != nil {
		return nil, f
	}
	return readable, nil
}

// completed puts into a request what the configuration adds, and takes out what it removes.
func (t *transport) completed(written []byte) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(written, &fields); err != nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	for name, v := range t.extra {
		if v == nil {
			delete(fields, name)
			continue
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
		fields[name] = b
	}
	return json.Marshal(fields)
}

// send makes the HTTP call to the real address, with the real key.
func (t *transport) send(from *http.Request, x *exchange, body []byte) (status int, h http.Header, reply []byte,
	err error) {
	at := t.base + from.URL.EscapedPath()
	req, err := http.NewRequestWithContext(from.Context(), http.MethodPost, at, bytes.NewReader(body))
	if err != nil {
		return 0, nil, nil, fmt.Errorf("make the request: %w", err)
	}
	for name, values := range from.Header {
		req.Header[name] = values
	}
	for _, name := range []string{"Authorization", "X-Api-Key", "Content-Length", "Accept-Encoding"} {
		req.Header.Del(name) // the placeholders that langchaingo's clients insist on
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if t.key != "" {
		req.Header.Set("X-Api-Key", t.key)
	}
	// Not all replies have an id, so over HTTP/1.1 each call has a connection of its own: an unsolicited response could
	// not be distinguished from the answer.
	req.Close = !t.numbered.Load()
	start := t.now()
	resp, err := t.http.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	t.numbered.Store(resp.ProtoMajor > 1)
	reply, err = io.ReadAll(io.LimitReader(resp.Body, t.maxBody+1))
	x.latency = t.now().Sub(start)
	if err != nil && resp.StatusCode != http.StatusOK {
		err = nil // a broken error page is still an error page
	}
	return resp.StatusCode, resp.Header, reply, err
}

// isJSON refuses a reply that shows or says that it is no JSON object.
func isJSON(contentType string, body []byte) *backends.Failure {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch {
	case httpfailure.LooksLikeHTML(body) || kind == "text/html":
		return httpfailure.BadResponse("the response is an HTML page: is the URL that of the API, and is there a proxy in " +
			"front of it?")
	case len(bytes.TrimSpace(body)) == 0:
		return httpfailure.BadResponse("the response is empty")
	case kind == "text/event-stream":
		return httpfailure.BadResponse("the response is a stream, which was not requested")
	}
	return nil
}
