package backendtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/retry"
)

// WireFault is something that goes wrong between a backend and its server.
type WireFault struct {
	Name string

	// Do answers in the server's place; good is what the server would have
	// answered, status 200.
	Do func(w http.ResponseWriter, r *http.Request, good []byte)

	Cause   backends.Cause // of the failure it leads to; "" = it does no harm
	Lasting bool           // a retry would fail too, and none is made
	After   time.Duration  // the wait that the failure carries; 0 = none
	Hangs   bool           // the caller's time must run out
	// the backend may ask once more by itself: a kept connection broke before a byte of an answer came
	Renewed bool
}

// Wire is an HTTP backend and a working server for it.
type Wire struct {
	Server http.Handler
	// whether a call asks the model, and may go wrong
	Asks     func(r *http.Request) bool
	Open     func(t *testing.T, url string, d time.Duration) backends.Model // with d for one call, and one call a request
	Requests []backends.Request                                             // three or more, all answerable
	// in addition to WireFaults: faults that only this protocol has
	Own []WireFault
}

// WireFaults are the faults that any server behind HTTP has.
func WireFaults() []WireFault {
	status := func(code int, body string, headers ...string) func(http.ResponseWriter, *http.Request, []byte) {
		return func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			w.Header().Set("Content-Type", "application/json")
			for _, h := range headers {
				name, value, _ := strings.Cut(h, ": ")
				w.Header().Set(name, value)
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	return []WireFault{
		{Name: "429", Do: status(429, `{"error":"slow down"}`), Cause: backends.RateLimited},
		{Name: "429 with Retry-After", Do: status(429, `{"error":"slow down"}`, "Retry-After: 1"),
			Cause: backends.RateLimited, After: time.Second},
		{Name: "500", Do: status(500, `{"error":"out of order"}`), Cause: backends.ServerError},
		{Name: "503 without a body", Do: status(503, ``), Cause: backends.ServerError},
		{Name: "a page of a proxy", Do: status(502, `<html><h1>Bad gateway</h1>`), Cause: backends.ServerError},
		{Name: "reset before the answer", Do: broken(0), Cause: backends.Connection, Renewed: true},
		{Name: "reset within the answer", Do: broken(0.5), Cause: backends.Connection},
		{Name: "hang", Do: func(_ http.ResponseWriter, r *http.Request, _ []byte) { <-r.Context().Done() },
			Cause: backends.Timeout, Hangs: true},
		{Name: "truncated JSON", Do: Rewritten(func(good string) string { return good[:len(good)/2] }),
			Cause: backends.BadResponse},
		{Name: "garbage", Do: Rewritten(func(string) string { return "}{ \x00\xff" }), Cause: backends.BadResponse},
		{Name: "nothing", Do: Rewritten(func(string) string { return "" }), Cause: backends.BadResponse},
		{Name: "a web page", Do: Rewritten(func(string) string { return "<!doctype html><p>Welcome" }),
			Cause: backends.BadResponse},
		{Name: "400", Do: status(400, `{"error":"what do you mean?"}`), Cause: backends.BadRequest, Lasting: true},
		{Name: "401", Do: status(401, `{"error":"who are you?"}`), Cause: backends.Unauthorized, Lasting: true},
		{Name: "413", Do: status(413, `{"error":"too much"}`), Cause: backends.TooLong, Lasting: true},
		{Name: "a line of 600 kB", Do: Rewritten(func(good string) string { return strings.Repeat(" ", 600_000) + good })},
		{Name: "another content type", Do: func(w http.ResponseWriter, _ *http.Request, good []byte) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write(good)
		}},
	}
}

// Rewritten answers with status 200 and a changed body.
func Rewritten(change func(good string) string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, good []byte) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, change(string(good)))
	}
}

// broken closes the connection after a share of the good answer.
func broken(share float64) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, good []byte) {
		conn, out, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		if share > 0 {
			fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(good),
				good[:int(share*float64(len(good)))])
			_ = out.Flush()
		}
	}
}

// RunWire puts every fault between a backend and its server. Alone, a fault is the failure it
// should be, of that cause, with no answer next to it, and the backend itself does not retry. With
// retries around the backend, temporary faults are retried until the answer arrives, with the bits
// of an undisturbed run; lasting faults are tried once. So nothing is lost and nothing is scored
// wrong.
func RunWire(t *testing.T, w Wire) {
	t.Helper()
	calm := answer(t, w.Open(t, w.serve(t, nil).URL, time.Minute), w.Requests)
	for i, a := range calm {
		if f := backends.Check(w.Requests[i], a); f != nil {
			t.Fatalf("request %d fails without any fault: %v", i, f)
		}
	}
	for _, fault := range append(WireFaults(), w.Own...) {
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			w, calm := w, calm
			if last := len(calm) - 1; fault.Cause == backends.RateLimited { // one: a refusal holds back the calls after it
				w.Requests, calm = w.Requests[last:], calm[last:]
			}
			w.alone(t, fault, calm)
			w.retried(t, fault, calm)
		})
	}
}

// server is a working server with a fault in front of it.
type server struct {
	*httptest.Server
	wire  *Wire
	fault *WireFault // nil = none
	once  bool       // each request goes wrong once

	mu    sync.Mutex
	asked map[string]int // by body
}

func (w *Wire) serve(t *testing.T, fault *WireFault) *server {
	s := &server{wire: w, fault: fault, asked: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if s.fault == nil || !s.wire.Asks(r) {
		s.wire.Server.ServeHTTP(w, r)
		return
	}
	s.mu.Lock()
	key := r.URL.Path + string(body)
	s.asked[key]++
	first := s.asked[key] == 1
	s.mu.Unlock()
	if s.once && !first {
		s.wire.Server.ServeHTTP(w, r)
		return
	}
	good := httptest.NewRecorder()
	s.wire.Server.ServeHTTP(good, r)
	s.fault.Do(w, r, good.Body.Bytes())
}

// calls are how often each request was made.
func (s *server) calls() (each []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.asked {
		each = append(each, n)
	}
	return each
}

func (w *Wire) limit(fault WireFault) time.Duration {
	if fault.Hangs {
		return 300 * time.Millisecond
	}
	return time.Minute
}

func (w *Wire) alone(t *testing.T, fault WireFault, calm []backends.Answer) {
	s := w.serve(t, &fault)
	for i, a := range answer(t, w.Open(t, s.URL, w.limit(fault)), w.Requests) {
		f := a.Failure
		switch {
		case fault.Cause == "":
			if why := Differ(calm[i], a); why != "" {
				t.Errorf("request %d: %s (%v)", i, why, f)
			}
		case f == nil:
			t.Errorf("request %d was answered with %q", i, a.Text)
		case f.Cause != fault.Cause || f.Temporary() == fault.Lasting || f.Message == "" && f.Status == 0:
			t.Errorf("request %d: %+v, want cause %s, lasting %t, and a message", i, f, fault.Cause, fault.Lasting)
		case f.RetryAfter != fault.After:
			t.Errorf("request %d: wait %v, want %v", i, f.RetryAfter, fault.After)
		case a.Key != w.Requests[i].Key() || a.Text != "" || a.Tokens != nil || a.Labels != nil ||
			a.Usage != (backends.Usage{}):
			t.Errorf("request %d: a failure together with an answer: %+v", i, a)
		}
	}
	most := 1
	if fault.Renewed {
		most = 2
	}
	if n := s.calls(); len(n) != len(w.Requests) || slices.Max(n) > most {
		t.Errorf("%d requests were called %v times: want once each, since retry alone retries", len(w.Requests), n)
	}
}

func (w *Wire) retried(t *testing.T, fault WireFault, calm []backends.Answer) {
	s := w.serve(t, &fault)
	s.once = true
	m := retry.New(w.Open(t, s.URL, w.limit(fault)), retry.Options{Tries: 8, First: time.Millisecond})
	got, err := m.Answer(t.Context(), w.Requests)
	if err != nil || len(got) != len(w.Requests) {
		t.Fatalf("%d answers, %v", len(got), err)
	}
	for i, a := range got {
		var f *backends.Failure
		if a.Failure != nil && errors.As(a.Failure, &f) && fault.Lasting && f.Cause == fault.Cause {
			continue
		}
		if why := Differ(calm[i], a); why != "" {
			t.Errorf("request %d, asked again: %s (%v)", i, why, f)
		}
	}
	if n := s.calls(); fault.Lasting && slices.Max(n) != 1 {
		t.Errorf("what lasts was called %v times", n)
	}
}
