package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"infnet/backends"
	"infnet/backends/guard"
	"infnet/backends/httpfailure"
	"infnet/backends/redact"
)

// placeholder is the base URL that langchaingo is given; the transport puts a
// real one in its place, call by call.
const placeholder = "http://model.invalid/v1"

// exchange is one call as it happened: what to add to its body, and what came
// back. It travels in the call's context, so calls cannot be mixed up.
type exchange struct {
	add   map[string]any // fields of the body, over those there; nil removes one
	get   bool           // GET instead of POST
	own   bool           // a server-specific route, outside /v1
	plain bool           // the caller reads the body

	at      *endpoint         // which URL was asked; nil before the call
	reply   *response         // of a chat completion or a completion
	body    []byte            // as received
	latency time.Duration     // from sending to the last byte, without waiting for a place
	failure *backends.Failure // nil = status 200, and a readable reply where one is expected
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// transport carries every call of a model. It is langchaingo's HTTP client for chats and ours for
// everything else: it adds the fields langchaingo leaves out, picks the URL, waits for a place,
// limits the time, reads the whole response and hands on a copy without log-probabilities. It never
// follows redirects, and repeats a call only if a kept-alive connection was stale.
type transport struct {
	client    *http.Client
	balancer  *balancer
	places    chan struct{} // for calls in flight
	timeout   time.Duration
	maxBody   int64
	authorize func(http.Header) // sets the secret headers; a closure, so that printing a model cannot show them
	secrets   *redact.Redactor  // taken out of a server's words
	pool      *guard.Transport  // below the client
	replies   replies
	now       func() time.Time
}

var errTimeout = errors.New("no whole answer in time")

// Do is langchaingo's HTTP client. The error it returns only stops langchaingo;
// what happened is in the exchange.
func (t *transport) Do(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		panic("openai: a call without an exchange in its context")
	}
	var body []byte
	if req.Body != nil {
		var err error
		if body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
		_ = req.Body.Close()
	}
	if err := t.carry(req.Context(), x, strings.TrimPrefix(req.URL.String(), placeholder), body); err != nil {
		return nil, err
	}
	if x.failure != nil {
		return nil, x.failure
	}
	read, err := x.reply.readable()
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(read)), Body: io.NopCloser(bytes.NewReader(read)), Request: req,
	}, nil
}

// carry makes the call that x describes and records the outcome in x. The error is for the end of
// the caller's context, which ends all calls.
func (t *transport) carry(ctx context.Context, x *exchange, path string, body []byte) error {
	body, err := merged(body, x.add)
	if err != nil {
		x.failure = &backends.Failure{Cause: backends.Internal, Message: err.Error()}
		return nil
	}
	select {
	case t.places <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-t.places }()
	e, epoch, err := t.balancer.enter(ctx)
	if err != nil {
		return err
	}
	x.at = e
	t.once(ctx, x, e, path, body)
	if ctx.Err() != nil && x.failure != nil {
		t.balancer.forget(e)
		return context.Cause(ctx)
	}
	if _, batch := ctx.Value(postedKey{}).(*posted); batch { // what a batch was refused is no reason to wait
		t.balancer.forget(e)
		return nil
	}
	t.balancer.done(e, epoch, x.failure)
	return nil
}

// once sends the request to one URL and reads the response.
func (t *transport) once(ctx context.Context, x *exchange, e *endpoint, path string, body []byte) {
	ctx, cancel := context.WithTimeoutCause(ctx, t.timeout, errTimeout)
	defer cancel()
	fail := func(err error) {
		if errors.Is(context.Cause(ctx), errTimeout) {
			x.failure = &backends.Failure{Cause: backends.Timeout,
				Message: fmt.Sprintf("%v: more than %v", errTimeout, t.timeout)}
			return
		}
		x.failure = httpfailure.Broken(err)
	}
	base, method := e.base, http.MethodPost
	if x.own {
		base = e.root
	}
	if x.get {
		method, body = http.MethodGet, nil
	}
	start := t.now()
	once := !t.keeps(e)
	resp, stale, err := t.send(ctx, method, base+path, body, once)
	if stale {
		t.client.CloseIdleConnections()
		resp, _, err = t.send(ctx, method, base+path, body, once)
	}
	if err != nil {
		fail(err)
		return
	}
	defer resp.Body.Close()
	e.numbered.Store(resp.ProtoMajor > 1)
	x.body, err = io.ReadAll(io.LimitReader(resp.Body, t.maxBody+1))
	x.latency = t.now().Sub(start)
	switch {
	case resp.StatusCode != http.StatusOK: // a broken error page is still an error page
		x.failure = httpfailure.Status(resp.StatusCode, resp.Header,
			[]byte(t.secrets.Text(string(x.body[:min(len(x.body), httpfailure.LongestError)]))), t.now())
	case err != nil:
		fail(err)
	case int64(len(x.body)) > t.maxBody:
		x.failure = badResponse("the response is longer than %d bytes", t.maxBody)
	case !x.get && !x.own && !x.plain:
		x.reply, x.failure = decode(x.body, resp.Header.Get("Content-Type"))
		if x.failure == nil {
			x.failure = t.replies.note(x.reply.ID, body)
		}
	}
}

// send makes one call. stale says that it broke on a kept connection before a
// byte of an answer came: the server had closed it, as llama.cpp's does every
// hundred calls, and a new connection is worth a call. once asks for a connection
// of the call's own.
func (t *transport) send(ctx context.Context, method, url string, body []byte,
	once bool) (resp *http.Response, stale bool, err error) {
	var kept, answered atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(c httptrace.GotConnInfo) { kept.Store(c.Reused) },
		GotFirstResponseByte: func() { answered.Store(true) },
	})
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, false, fmt.Errorf("make the request: %w", err)
	}
	req.Close = once
	req.Header.Set("Accept", "application/json")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	t.authorize(req.Header)
	resp, err = t.client.Do(req)
	return resp, err != nil && ctx.Err() == nil && kept.Load() && !answered.Load(), err
}

// merged adds fields to a JSON object; nil values remove fields. Numbers
// already there keep their digits.
func merged(body []byte, add map[string]any) ([]byte, error) {
	if len(add) == 0 {
		return body, nil
	}
	fields := map[string]json.RawMessage{}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &fields); err != nil {
			return nil, fmt.Errorf("the request's body is no JSON object: %w", err)
		}
	}
	for k, v := range add {
		if v == nil {
			delete(fields, k)
			continue
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("field %q of the request: %w", k, err)
		}
		fields[k] = b
	}
	return json.Marshal(fields)
}

// endpoints checks the URLs of a model. No message repeats what may be a
// secret: a password, a query.
func endpoints(urls []string) ([]*endpoint, error) {
	var out []*endpoint
	for i, s := range urls {
		u, err := url.Parse(strings.TrimSpace(s))
		switch {
		case err != nil:
			return nil, fmt.Errorf("url %d is not a URL: want one like http://host:8000/v1", i+1)
		case u.User != nil:
			return nil, fmt.Errorf("url %d (%s) holds a user or password: name an environment variable with the key instead",
				i+1, u.Host)
		case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			return nil, fmt.Errorf("url %d: want http:// or https:// and a host, as in http://host:8000/v1", i+1)
		case u.RawQuery != "" || u.Fragment != "":
			return nil, fmt.Errorf("url %d (%s) holds a query or fragment: give the base URL alone, as in http://host:8000/v1",
				i+1, u.Host)
		}
		base := strings.TrimRight(u.String(), "/")
		if strings.HasSuffix(base, "/completions") {
			return nil, fmt.Errorf("url %d (%s) names one route: give the base URL, which ends before /chat/completions",
				i+1, u.Host)
		}
		out = append(out, &endpoint{base: base, root: strings.TrimSuffix(base, "/v1")})
	}
	if len(out) == 0 {
		return nil, errors.New("it has no URL: urls = [\"http://host:8000/v1\"]")
	}
	return out, nil
}
