// Package browsertest opens pages in a real headless Chromium and says what happened: what scripts logged, what
// was asked of the network, what a policy forbade. It owns the process and the protocol; it refuses to know
// what is on a page. Only tests import it.
//
// Its opinion: a pipe and JSON are all that the DevTools protocol needs, so no library is. Where no Chromium is
// installed, tests are skipped and say so.
package browsertest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// patience is how long an answer of the browser is waited for. It is generous: machines that test are slow.
const patience = 4 * time.Minute

// programs are the names under which distributions install it.
var programs = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// Find returns the path of a Chromium; "" = none is installed.
func Find() string {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Browser is one headless Chromium with a profile of its own.
type Browser struct {
	t  testing.TB
	to io.Writer

	mu      sync.Mutex
	last    int
	waiting map[int]chan reply
	pages   map[string]*Page // by session
	gone    error            // why nothing is answered any more
}

// reply is an answer to a call, or an event, which has a method and no id.
type reply struct {
	ID      int             `json:"id"`
	Session string          `json:"sessionId"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Start starts a browser that ends with the test. It skips the test where none is installed.
func Start(t testing.TB) *Browser {
	t.Helper()
	path := Find()
	if path == "" {
		t.Skipf("none of %v is on the PATH: install Debian's chromium to run what opens pages", programs)
	}
	down, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, up, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	// The sandbox needs user namespaces, which containers and root often lack; pages are our own, and offline.
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--disable-background-networking", "--disable-component-update", "--disable-default-apps",
		"--disable-extensions", "--disable-sync", "--no-first-run", "--no-default-browser-check",
		"--hide-scrollbars", "--lang=en", "--force-color-profile=srgb", "--disable-breakpad",
		"--user-data-dir="+home, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{down, up} // 3 and 4, which the pipe mode reads and writes
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home)
	own(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	down.Close()
	up.Close()
	b := &Browser{t: t, to: toBrowser, waiting: map[int]chan reply{}, pages: map[string]*Page{}}
	listened := make(chan struct{})
	go func() { defer close(listened); b.listen(fromBrowser) }()
	t.Cleanup(func() {
		end(cmd)
		_ = cmd.Wait() // it was killed: its status says nothing
		toBrowser.Close()
		<-listened
		fromBrowser.Close()
	})
	return b
}

// listen hands every message to whom it is for, until the browser ends.
func (b *Browser) listen(from io.Reader) {
	in := bufio.NewReaderSize(from, 1<<20)
	for {
		text, err := in.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			b.gone = fmt.Errorf("the browser ended: %w", err)
			for id, c := range b.waiting {
				delete(b.waiting, id)
				close(c)
			}
			b.mu.Unlock()
			return
		}
		var r reply
		if err := json.Unmarshal(text[:len(text)-1], &r); err != nil {
			continue // no message of ours
		}
		b.mu.Lock()
		if c := b.waiting[r.ID]; r.Method == "" && c != nil {
			delete(b.waiting, r.ID)
			c <- r
		}
		page := b.pages[r.Session]
		b.mu.Unlock()
		if page != nil && r.Method != "" {
			page.happened(r.Method, r.Params)
		}
	}
}

// call asks the browser, or a page of it, and waits for the answer.
func (b *Browser) call(session, method string, params, out any) error {
	c := make(chan reply, 1)
	b.mu.Lock()
	if b.gone != nil {
		b.mu.Unlock()
		return fmt.Errorf("%s: %w", method, b.gone)
	}
	b.last++
	id := b.last
	b.waiting[id] = c
	text, err := json.Marshal(map[string]any{"id": id, "method": method, "sessionId": session, "params": params})
	if session == "" {
		text, err = json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	}
	if err == nil {
		_, err = b.to.Write(append(text, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case r, ok := <-c:
		switch {
		case !ok:
			return fmt.Errorf("%s: the browser ended", method)
		case r.Error != nil:
			return fmt.Errorf("%s: %s", method, r.Error.Message)
		case out != nil:
			return json.Unmarshal(r.Result, out)
		}
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s: no answer within %v", method, patience)
	}
}
