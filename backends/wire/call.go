package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/strictjson"
)

// Call is one call to a server.
type Call struct {
	At     *Endpoint   // the URL; nil = the one whose turn it is. One that is named is asked at once.
	Path   string      // behind the URL
	Root   bool        // behind the URL without its last /v1, where servers keep routes of their own
	Body   []byte      // JSON; nil = GET
	Header http.Header // in addition to ours

	Read func(*Reply) *backends.Failure // judges a reply of status 200; nil = any is good
}

// Reply is what came back.
type Reply struct {
	At      *Endpoint
	Body    []byte
	Type    string        // the content type
	Latency time.Duration // from sending to the last byte, without waiting for a turn

	wire    *Wire
	request []byte
	lane    *lane // by which it came
}

var (
	errTimeout = errors.New("no whole answer in time")
	errLost    = errors.New("the connection carried another request's reply")
)

// Call makes a call. The reply is never nil. The error is a *backends.Failure, which holds no secret, or that of the
// context, where it ended first.
func (w *Wire) Call(ctx context.Context, c Call) (*Reply, error) {
	if c.At != nil {
		reply, f := w.once(ctx, c, c.At)
		return reply, w.outcome(ctx, f)
	}
	select {
	case w.places <- struct{}{}:
	case <-ctx.Done():
		return &Reply{}, context.Cause(ctx)
	}
	defer func() { <-w.places }()
	e, epoch, err := w.balancer.enter(ctx)
	if err != nil {
		return &Reply{}, err
	}
	reply, f := w.once(ctx, c, e)
	if f != nil && ctx.Err() != nil || w.Unpaced {
		w.balancer.forget(e)
	} else {
		w.balancer.done(e, epoch, f)
	}
	return reply, w.outcome(ctx, f)
}

func (w *Wire) outcome(ctx context.Context, f *backends.Failure) error {
	switch {
	case f == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	f.Message = w.Secrets.Text(f.Message)
	return f
}

func (w *Wire) once(ctx context.Context, c Call, e *Endpoint) (*Reply, *backends.Failure) {
	ctx, cancel := context.WithTimeoutCause(ctx, w.timeout, errTimeout)
	defer cancel()
	reply := &Reply{At: e, wire: w, request: c.Body}
	defer reply.leave()
	failed := func(err error) (*Reply, *backends.Failure) {
		if errors.Is(context.Cause(ctx), errTimeout) {
			return reply, &backends.Failure{Cause: backends.Timeout,
				Message: fmt.Sprintf("%v: more than %v", errTimeout, w.timeout)}
		}
		return reply, httpfailure.Broken(err)
	}
	url := e.Base + c.Path
	if c.Root {
		url = e.root + c.Path
	}
	start := time.Now()
	resp, stale, err := w.send(ctx, url, c, reply)
	if stale {
		w.client.CloseIdleConnections()
		resp, _, err = w.send(ctx, url, c, reply)
	}
	if err != nil {
		return failed(err)
	}
	defer resp.Body.Close()
	body := bytes.NewBuffer(make([]byte, 0, bytes.MinRead+max(0, min(resp.ContentLength, w.maxBody, 1<<20))))
	_, err = body.ReadFrom(io.LimitReader(resp.Body, w.maxBody+1))
	reply.Body = body.Bytes()
	reply.Latency, reply.Type = time.Since(start), resp.Header.Get("Content-Type")
	switch {
	case resp.StatusCode != http.StatusOK: // a broken error page is still an error page
		page := reply.Body[:min(len(reply.Body), httpfailure.LongestError)]
		return reply, httpfailure.Status(resp.StatusCode, resp.Header, []byte(w.Secrets.Text(string(page))), time.Now())
	case err != nil:
		return failed(err)
	case int64(len(reply.Body)) > w.maxBody:
		return reply, httpfailure.BadResponse("the response is longer than %d bytes", w.maxBody)
	case c.Read != nil:
		return reply, c.Read(reply)
	}
	return reply, nil
}

// send makes one call. stale says that it broke on a kept connection before a byte of its answer came: the server had
// closed it, as llama.cpp's does every hundred calls, and a new connection is worth a call.
func (w *Wire) send(ctx context.Context, url string, c Call, reply *Reply) (resp *http.Response, stale bool,
	err error) {
	var kept, answered atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) {
			kept.Store(c.Reused)
			reply.leave()
			reply.enter(c.Conn)
		},
		GotFirstResponseByte: func() { answered.Store(true) },
	})
	method := http.MethodPost
	if c.Body == nil {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(c.Body))
	if err != nil {
		return nil, false, fmt.Errorf("make the request: %w", err)
	}
	for name, values := range c.Header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json")
	if c.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	w.authorize(req.Header)
	resp, err = w.client.Do(req)
	if reply.lane != nil && reply.lane.lost { // net/http may have read ahead before the connection was closed
		if err == nil {
			_ = resp.Body.Close()
		}
		return nil, true, errLost
	}
	return resp, err != nil && ctx.Err() == nil && kept.Load() && !answered.Load(), err
}

// JSON reads the reply, and refuses one that says two things: members that are repeated, and texts that are no UTF-8.
func (r *Reply) JSON(into any) *backends.Failure {
	err := strictjson.Unmarshal(r.Body, into)
	if err == nil {
		return nil
	}
	what := "the response is no JSON we can read: " + err.Error()
	switch {
	case httpfailure.LooksLikeHTML(r.Body):
		what = "the response is an HTML page: is the URL that of the API, and is there a proxy in front of the server?"
	case len(bytes.TrimSpace(r.Body)) == 0:
		what = "the response is empty"
	case strings.HasPrefix(r.Type, "text/event-stream"):
		what = "the response is a stream, which was not requested"
	}
	return httpfailure.BadResponse("%s (content type %q, %d bytes)", what, r.Type, len(r.Body))
}

// Failed is the failure in an error of Call, and that of a call given up where the caller's context ended.
func Failed(err error) *backends.Failure {
	var f *backends.Failure
	if errors.As(err, &f) {
		return f
	}
	return &backends.Failure{Cause: backends.Timeout, Message: "the call was given up"}
}

// Placeholder is the address that a library is given. The real one takes its place, call by call.
const Placeholder = "http://model.invalid"

// Exchange is a call that a library makes. It travels in the call's context, so that calls cannot be mixed up.
type Exchange struct {
	Shape func(body []byte) ([]byte, error)               // what is sent in place of what the library wrote; nil = that
	Read  func(*Reply) (body []byte, f *backends.Failure) // what the library is to read in place of the reply

	Reply *Reply // what came back; nil = the library made no call
	Err   error  // of the call, as Wire.Call returns it
}

type exchangeKey struct{}

// Context returns a context in which calls of a library are this exchange.
func (x *Exchange) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// Do makes a Wire the HTTP client of a library. The error only stops the library; what happened is in the exchange.
func (w *Wire) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*Exchange)
	if !ok {
		return nil, errors.New("a library made a call without an exchange in its context")
	}
	body, err := io.ReadAll(req.Body)
	if err == nil && x.Shape != nil {
		body, err = x.Shape(body)
	}
	if err != nil {
		x.Err = &backends.Failure{Cause: backends.Internal, Message: "the library's request: " + err.Error()}
		return nil, x.Err
	}
	header := req.Header.Clone()
	for _, name := range []string{"Authorization", "X-Api-Key", "Content-Length", "Accept-Encoding"} {
		header.Del(name) // what libraries are given in the key's place
	}
	var read []byte
	x.Reply, x.Err = w.Call(req.Context(), Call{
		Path: strings.TrimPrefix(req.URL.String(), Placeholder), Body: body, Header: header,
		Read: func(r *Reply) (f *backends.Failure) {
			read, f = x.Read(r)
			return f
		},
	})
	if x.Err != nil {
		return nil, x.Err
	}
	return Response(req, http.StatusOK, read), nil
}

// Response is a reply of JSON that no server sent.
func Response(req *http.Request, status int, body []byte) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)), Request: req,
	}
}

// Merged puts fields into a JSON object, over those there; nil values remove fields. Numbers already there keep their
// digits.
func Merged(body []byte, fields map[string]any) ([]byte, error) {
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	for name, v := range fields {
		if v == nil {
			delete(all, name)
			continue
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", name, err)
		}
		all[name] = b
	}
	return json.Marshal(all)
}
