package openai

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/retry"
)

// A reply given to two requests is refused, and a cached one is not.
func TestOneIDForTwoRequests(t *testing.T) {
	const id = "chatcmpl-0123456789abcdef"
	m := open(t, static(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := chatty("-0.5", alternatives)
		if said := string(body); strings.Contains(said, `"content":"p"`) || strings.Contains(said, `"content":"q"`) {
			text = strings.Replace(text, `{"choices"`, `{"id":"`+id+`","choices"`, 1)
		}
		says(200, text)(w, r)
	}),
		func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs })
	for i, test := range []struct {
		prompt string
		fails  bool
	}{{"p", false}, {"p", false}, {"q", true}, {"p", false}, {"q", true}} {
		f := ask(t, m, backends.Request{Model: testID, Mode: backends.Chat, Prompt: test.prompt,
			Labels: []string{" a", " b"}}).Failure
		if (f != nil) != test.fails ||
			f != nil && (f.Cause != backends.BadResponse || !strings.Contains(f.Message, "another request")) {
			t.Errorf("call %d, %q: %v, want a failure: %t", i+1, test.prompt, f, test.fails)
		}
	}
}

// Two URLs serve one model; one dies in the middle of a run, with calls under
// way. All answers come, with the bits of a calm run; the other takes over; and
// once the first is back it gets calls again.
func TestURLDiesMidRun(t *testing.T) {
	inner := func() http.Handler { return &fake{Flavour: flavours["vllm"]} }
	a, b := &counted{inner: inner(), dies: 60}, &counted{inner: inner()}
	first, second := httptest.NewServer(a), httptest.NewServer(b)
	t.Cleanup(second.Close)
	a.die = func() {
		_ = first.Listener.Close()
		first.CloseClientConnections()
	}
	t.Cleanup(func() { first.CloseClientConnections(); _ = first.Listener.Close() })
	address := first.Listener.Addr().String()
	var reqs []backends.Request
	for i := range 300 {
		reqs = append(reqs, backends.Request{Model: testID, Mode: backends.Raw, Prompt: fmt.Sprintf("d%d:", i),
			Labels: three})
	}
	_, calmURL := serve(t, flavours["vllm"])
	set := func(c *backends.OpenAIConfig) {
		c.Labels, c.Concurrency, c.CoolDown = backends.LabelsTokenIDs, 8, 20*time.Millisecond
	}
	calm, err := open(t, calmURL, set).Answer(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	m := open(t, first.URL+"/v1", set, func(c *backends.OpenAIConfig) { c.URLs = append(c.URLs, second.URL+"/v1") })
	r := retry.New(m, retry.Options{Tries: 12, First: time.Millisecond})
	got, err := r.Answer(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if why := backendtest.Differ(calm[i], got[i]); why != "" {
			t.Errorf("request %d: %s (%v)", i, why, got[i].Failure)
		}
	}
	if a.calls.Load() < 60 || b.calls.Load() < 200 {
		t.Errorf("%d calls reached the first, which died at its 60th, and %d the second", a.calls.Load(), b.calls.Load())
	}

	// It comes back at the same address.
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("the address was taken meanwhile: %v", err)
	}
	again := &counted{inner: inner()}
	back := &http.Server{Handler: again}
	go func() { _ = back.Serve(l) }()
	t.Cleanup(func() { _ = back.Close() })
	for deadline := time.Now().Add(30 * time.Second); again.calls.Load() < 5; {
		if time.Now().After(deadline) {
			t.Fatal("it is back, and gets no calls")
		}
		if as, err := r.Answer(t.Context(), reqs[:16]); err != nil || as[0].Failure != nil {
			t.Fatalf("%v, %v", err, as[0].Failure)
		}
	}
}

// counted is a server that counts its calls and dies, with those under way, at
// a given one.
type counted struct {
	inner http.Handler
	calls atomic.Int64
	dies  int64 // 0 = never
	die   func()
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if n := c.calls.Add(1); n == c.dies {
		go c.die()
	}
	time.Sleep(time.Millisecond) // so that both have calls in flight
	c.inner.ServeHTTP(w, r)
}

// Where no label is among the most probable tokens, auto measures another way
// if the server has one; where labels do not suit the best way, it takes the
// next.
func TestAutoFallsBack(t *testing.T) {
	few := flavours["vllm"] // named tokens, more than alternatives
	few.ChatTop, few.RawTop = 5, 5
	for _, test := range []struct {
		name string
		f    flavour
		mode backends.Mode
		all  bool // every answer sees every label
	}{
		{"more named tokens than alternatives", few, backends.Chat, true}, {"no more", few, backends.Raw, true},
	} {
		_, url := serve(t, test.f)
		m := open(t, url)
		all := 0
		for i := range 30 {
			r := backends.Request{Model: testID, Mode: test.mode, Prompt: fmt.Sprintf("b%d:", i), Labels: three}
			a := ask(t, m, r)
			if f := backends.Check(r, a); f != nil {
				t.Errorf("%s: %v", test.name, f)
				continue
			}
			seen := 0
			for _, l := range a.Labels {
				if l.Seen {
					seen++
				}
			}
			if seen == len(three) {
				all++
			}
		}
		if all == 0 || test.all && all != 30 {
			t.Errorf("%s: %d of 30 answers see all labels", test.name, all)
		}
	}
}
