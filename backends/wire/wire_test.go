package wire

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"infnet/backends"
)

// Connections are kept, over HTTP/1.1, over TLS, and over HTTP/2, where one carries all calls; and each call gets the
// reply to its own request. net/http dials while it waits for one that is in use, so there may be more than places.
func TestConnectionsAreKept(t *testing.T) {
	const places, calls = 8, 400
	for name, most := range map[string]int64{"http": 4 * places, "https": 4 * places, "h2": 1} {
		t.Run(name, func(t *testing.T) {
			var opened, flying, over atomic.Int64
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if flying.Add(1) > places {
					over.Add(1)
				}
				defer flying.Add(-1)
				body, _ := io.ReadAll(r.Body)
				fmt.Fprintf(w, `{"said": %q, "by": %q}`, body, r.Header.Get("Authorization"))
			}))
			s.Config.ConnState = func(_ net.Conn, c http.ConnState) {
				if c == http.StateNew {
					opened.Add(1)
				}
			}
			s.EnableHTTP2 = name == "h2"
			if name == "http" {
				s.Start()
			} else {
				s.StartTLS()
			}
			defer s.Close()
			w, err := Open(backends.Access{URLs: []string{s.URL + "/v1/"}, APIKey: "sk-0123456789", Concurrency: places}, "")
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			w.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
			ask := func(i int) {
				sent := fmt.Sprint("call ", i)
				var got struct{ Said, By string }
				_, err := w.Call(t.Context(), Call{Path: "/x", Body: []byte(sent),
					Read: func(r *Reply) *backends.Failure {
						var said struct {
							Said string `json:"said"`
							By   string `json:"by"`
						}
						f := r.JSON(&said)
						got = struct{ Said, By string }(said)
						return f
					}})
				if err != nil || got.Said != sent || got.By != "Bearer sk-0123456789" {
					t.Errorf("%s: %+v, %v", sent, got, err)
				}
			}
			ask(-1) // HTTP/2 is known from the first reply on
			w.Each(t.Context(), calls, ask)
			if over.Load() > 0 {
				t.Errorf("more than %d calls at a time", places)
			}
			if n := opened.Load(); n > most {
				t.Errorf("%d connections for %d calls, %d at a time: want at most %d", n, calls, places, most)
			}
		})
	}
}

// The key is sent to the URL alone: no redirect is followed, whoever it names.
func TestKeysStayHere(t *testing.T) {
	const key = "sk-0123456789abcdef"
	var mu sync.Mutex
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		elsewhere = append(elsewhere, r.URL.Path)
	}))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/"+r.Header.Get("X-Api-Key"), http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	w, err := Open(backends.Access{URLs: []string{s.URL}, APIKey: key}, "X-Api-Key")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_, err = w.Call(t.Context(), Call{Path: "/x", Body: []byte("{}")})
	if f := Failed(err); f.Cause != backends.BadRequest || strings.Contains(f.Message, key[:8]) ||
		!strings.Contains(f.Message, "[secret]") {
		t.Errorf("%v, want a refusal of the redirect without the key", err)
	}
	if len(elsewhere) > 0 {
		t.Errorf("asked elsewhere: %q", elsewhere)
	}
	if shown := fmt.Sprintf("%v %+v %#v", w, w, *w.client); strings.Contains(shown, key) {
		t.Error("a printed Wire shows the key")
	}
}

// What a library wrote stays, but for the fields that are set or taken out; numbers keep their digits.
func TestMerged(t *testing.T) {
	got, err := Merged([]byte(`{"b":0.10,"c":[1,2],"d":1e400}`), map[string]any{"a": "x", "c": nil, "e": 7})
	if want := `{"a":"x","b":0.10,"d":1e400,"e":7}`; err != nil || !bytes.Equal(got, []byte(want)) {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	for _, body := range []string{`[]`, ``, `{`} {
		if got, err := Merged([]byte(body), nil); err == nil {
			t.Errorf("%q: %s", body, got)
		}
	}
	if got, err := Merged([]byte(`{}`), map[string]any{"f": func() {}}); err == nil || !strings.Contains(err.Error(), "f") {
		t.Errorf("%s, %v", got, err)
	}
}
