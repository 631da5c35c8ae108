package fakeengine

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"
)

// ServeHTTP answers as the server does, until the settings say otherwise.
func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
