package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A server that answers chats alone, asked in the raw mode, is refused before
// the first record, with the mode to set; asked in chat it serves the study.
func TestServerWithoutTheMode(t *testing.T) {
	s := &loopback{asked: map[string]int{}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/completions" {
			http.NotFound(w, r)
			return
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	url := quoted(srv.URL + "/v1")
	serverStudy(t, 20, url, url, "", "")
	_, told := infnet(t, ExitModel, "run", "study.toml")
	told = strings.Join(strings.Fields(told), " ")
	if !strings.Contains(told, `model student: its server does not answer in mode "raw", and does in mode "chat": set mode = "chat"`) {
		t.Errorf("the refusal does not name the mode:\n%s", told)
	}
	if n := s.calls(); n != 0 {
		t.Errorf("%d records were asked all the same", n)
	}
}
