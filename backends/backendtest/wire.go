package backendtest

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"infnet/backends"
)

// Reply is what a server says in the place of a good reply, and the cause of the failure that it leads to.
type Reply struct {
	Name   string
	Status int // 0 = 200
	Says   func(good string) string
	Cause  backends.Cause
}

// RunReplies puts replies in the place of a server's, for each of some requests. Each is the failure that it should be,
// with no answer next to it, and is asked for once: retry alone retries. What can go wrong on the way of any call is a
// matter of backends/wire, and openai's tests have it.
func RunReplies(t *testing.T, server http.Handler, open func(t *testing.T, url string) backends.Model,
	reqs []backends.Request, replies []Reply) {
	t.Helper()
	for _, reply := range replies {
		t.Run(reply.Name, func(t *testing.T) {
			calls := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				good := httptest.NewRecorder()
				server.ServeHTTP(good, r)
				calls++
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(cmp.Or(reply.Status, http.StatusOK))
				_, _ = io.WriteString(w, reply.Says(good.Body.String()))
			}))
			defer s.Close()
			m := open(t, s.URL)
			for i, r := range reqs {
				a := answer(t, m, reqs[i:i+1])[0]
				if f := a.Failure; f == nil || f.Cause != reply.Cause || f.Message == "" && f.Status == 0 {
					t.Errorf("request %d: %+v, %q: want cause %s, and a message", i, f, a.Text, reply.Cause)
				} else if a.Key != r.Key() || a.Text != "" || a.Tokens != nil || a.Labels != nil || a.Usage != (backends.Usage{}) {
					t.Errorf("request %d: a failure together with an answer: %+v", i, a)
				}
			}
			if calls != len(reqs) {
				t.Errorf("%d requests took %d calls", len(reqs), calls)
			}
		})
	}
}
