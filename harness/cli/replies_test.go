package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// replies starts a server of the OpenAI protocol for a script. What it says is in a file, a line each: the texts that
// a call has to hold ("if"), and the choice and the usage that then are its reply; of several lines the first counts.
// Its URL takes the place of http://replies in the spec; what chats are asked is appended to FILE.asked, a body per
// line. It keeps no state, so calls in any order get the same.
func replies(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: replies FILE SPEC")
	}
	type rule struct {
		If     []string       `json:"if"`
		Choice map[string]any `json:"choice"`
		Usage  map[string]any `json:"usage"`
	}
	var rules []rule
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var r rule
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			ts.Fatalf("%s: %q: %v", args[0], line, err)
		}
		rules = append(rules, r)
	}
	var mu sync.Mutex
	asked := ts.MkAbs(args[0]) + ".asked"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var q struct{ Model string }
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.Unmarshal(body, &q) != nil {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		f, err := os.OpenFile(asked, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
		if err == nil {
			fmt.Fprintln(f, string(body))
			_ = f.Close()
		}
		w.Header().Set("Content-Type", "application/json")
		for _, one := range rules {
			all := true
			for _, text := range one.If {
				all = all && bytes.Contains(body, []byte(text))
			}
			if all {
				_ = json.NewEncoder(w).Encode(map[string]any{"model": q.Model, "choices": []any{one.Choice}, "usage": one.Usage})
				return
			}
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error": {"message": "no line of the script says what to reply"}}`)
	}))
	ts.Defer(server.Close)
	spec := strings.ReplaceAll(ts.ReadFile(args[1]), "http://replies", server.URL)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(spec), 0o666))
}
