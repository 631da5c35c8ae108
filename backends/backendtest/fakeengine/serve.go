package fakeengine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"
)

// ServeHTTP answers as the server does, until the settings say otherwise.
func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.name == "ollama" && e.library(w, r) {
		return
	}
	if e.is("logs") {
		fmt.Printf("INFO:     %s - \"%s %s HTTP/1.1\"\n", r.RemoteAddr, r.Method, r.URL.Path)
	}
	if !strings.HasPrefix(r.URL.Path, "/v1/") || r.Method != http.MethodPost {
		e.server.ServeHTTP(w, r)
		return
	}
	if wait := e.duration("lags") - time.Since(e.began); wait > 0 { // as llama.cpp does while it loads
		reply(w, http.StatusServiceUnavailable, map[string]any{"error": map[string]any{"code": 503,
			"message": "Loading model", "type": "unavailable_error"}})
		return
	}
	if e.is("quits") {
		os.Exit(0)
	}
	if time.Since(e.began) < e.duration("mounts") {
		reply(w, http.StatusNotFound, map[string]any{"detail": "Not Found"})
		return
	}
	if e.is("refuses") {
		reply(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"message": "no chat template"}})
		return
	}
	time.Sleep(e.duration("takes"))
	rec := httptest.NewRecorder()
	e.server.ServeHTTP(rec, r)
	n := int(e.answers.Add(1))
	if e.is("hangs") && n > e.number("hangs") {
		<-r.Context().Done()
		return
	}
	if e.is("dies") && n >= e.number("dies") {
		e.die(w, rec.Body.Bytes())
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// die ends the process with half an answer sent.
func (e *engine) die(w http.ResponseWriter, answer []byte) {
	conn, out, err := w.(http.Hijacker).Hijack()
	if err == nil {
		fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(answer),
			answer[:len(answer)/2])
		_ = out.Flush()
		_ = conn.Close()
	}
	fmt.Fprintln(os.Stderr, died)
	os.Exit(1)
}

// library answers what only Ollama has: which models there are, and making one.
func (e *engine) library(w http.ResponseWriter, r *http.Request) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case r.URL.Path == "/api/tags":
		reply(w, 200, map[string]any{"models": []any{}})
	case r.URL.Path == "/api/create":
		var body struct{ Model string }
		if json.NewDecoder(r.Body).Decode(&body) != nil || body.Model == "" {
			reply(w, 400, map[string]any{"error": "invalid model name"})
			return true
		}
		e.models[body.Model] = true
		e.server.Serve(body.Model)
		reply(w, 200, map[string]any{"status": "success"})
	case strings.HasPrefix(r.URL.Path, "/v1/models/"):
		name := strings.TrimPrefix(r.URL.Path, "/v1/models/")
		if !e.models[name] {
			reply(w, 404, map[string]any{"error": map[string]any{"message": fmt.Sprintf("model %q not found", name)}})
			return true
		}
		reply(w, 200, map[string]any{"id": name, "object": "model", "owned_by": "library"})
	default:
		return false
	}
	return true
}

// ollama is a command of ollama other than serve; it returns the exit code.
func ollama(address string, args []string) int {
	var err error
	var resp *http.Response
	switch {
	case len(args) > 0 && args[0] == "list":
		resp, err = http.Get("http://" + address + "/api/tags")
	case len(args) > 1 && args[0] == "create":
		body, _ := json.Marshal(map[string]string{"model": args[1]})
		resp, err = http.Post("http://"+address+"/api/create", "application/json", bytes.NewReader(body))
	case len(args) > 0 && args[0] == "pull":
		return 0
	default:
		err = fmt.Errorf("unknown command %q for \"ollama\"", strings.Join(args, " "))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		return 1
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		fmt.Fprintln(os.Stderr, "Error:", resp.Status)
		return 1
	}
	return 0
}
