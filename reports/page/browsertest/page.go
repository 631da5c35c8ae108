package browsertest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Page is a page that is open.
type Page struct {
	b       *Browser
	session string

	mu       sync.Mutex
	loaded   chan struct{} // closed by the load event
	problems []string
	requests []string
}

// Open opens an address and waits until it is loaded.
func (b *Browser) Open(address string) *Page {
	b.t.Helper()
	var target struct{ TargetID string }
	b.must(b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target))
	var attached struct{ SessionID string }
	b.must(b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached))
	p := &Page{b: b, session: attached.SessionID, loaded: make(chan struct{})}
	b.mu.Lock()
	b.pages[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Audits", "DOM", "Accessibility"} {
		p.Call(domain+".enable", nil, nil)
	}
	p.View(1200, 900, false)
	p.Go(address)
	return p
}

// Go goes to another address and waits until it is loaded.
func (p *Page) Go(address string) {
	p.b.t.Helper()
	loaded := make(chan struct{})
	p.mu.Lock()
	p.loaded = loaded
	p.mu.Unlock()
	var went struct{ ErrorText string }
	p.Call("Page.navigate", map[string]any{"url": address}, &went)
	if went.ErrorText != "" {
		p.b.t.Fatalf("%s: %s", address, went.ErrorText)
	}
	select {
	case <-loaded:
	case <-time.After(patience):
		p.b.t.Fatalf("%s did not load within %v", address, patience)
	}
}

// Call calls a method of the protocol.
func (p *Page) Call(method string, params, out any) {
	p.b.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	p.b.must(p.b.call(p.session, method, params, out))
}

func (b *Browser) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// happened takes an event.
func (p *Page) happened(method string, params json.RawMessage) {
	var e struct {
		Type    string
		Args    []struct{ Value, Description any }
		Entry   struct{ Level, Text, URL string }
		Request struct{ URL string }
		Details struct {
			Exception struct{ Description string } `json:"exception"`
			Text      string
		} `json:"exceptionDetails"`
		Message string
		Issue   struct{ Code string }
	}
	_ = json.Unmarshal(params, &e) // fields of other events have other types: what fits is kept
	p.mu.Lock()
	defer p.mu.Unlock()
	note := func(format string, args ...any) { p.problems = append(p.problems, fmt.Sprintf(format, args...)) }
	switch method {
	case "Page.loadEventFired":
		select {
		case <-p.loaded:
		default:
			close(p.loaded)
		}
	case "Page.javascriptDialogOpening":
		note("a dialog opened: %s", e.Message)
		go p.b.call(p.session, "Page.handleJavaScriptDialog", map[string]any{"accept": false}, nil)
	case "Runtime.exceptionThrown":
		note("exception: %s %s", e.Details.Text, e.Details.Exception.Description)
	case "Runtime.consoleAPICalled":
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			note("console.%s: %v", e.Type, e.Args)
		}
	case "Log.entryAdded":
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			note("log %s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	case "Audits.issueAdded":
		if strings.Contains(e.Issue.Code, "SecurityPolicy") || strings.Contains(e.Issue.Code, "MixedContent") {
			note("issue: %s", params)
		}
	case "Network.requestWillBeSent":
		if !strings.HasPrefix(e.Request.URL, "data:") && !strings.HasPrefix(e.Request.URL, "blob:") {
			p.requests = append(p.requests, e.Request.URL)
		}
	}
}

// Problems returns what the page's scripts, its policy and the browser complained of.
func (p *Page) Problems() []string {
	p.settle()
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.problems...)
}

// Requests returns what was asked of the network or of the disk, the page itself included.
func (p *Page) Requests() []string {
	p.settle()
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.requests...)
}

// settle waits until the page has no task left that was there before, so that events of them have come.
func (p *Page) settle() {
	p.b.t.Helper()
	p.Eval(`new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true), 0)))`, nil)
}

// Eval runs an expression, waits for it where it is a promise, and stores its value in out.
func (p *Page) Eval(expression string, out any) {
	p.b.t.Helper()
	if err := p.eval(expression, out); err != nil {
		p.b.t.Fatal(err)
	}
}

func (p *Page) eval(expression string, out any) error {
	var r struct {
		Result struct {
			Value json.RawMessage
		}
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := p.b.call(p.session, "Runtime.evaluate", map[string]any{
		"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true,
	}, &r)
	switch {
	case err != nil:
		return err
	case r.ExceptionDetails != nil:
		return fmt.Errorf("%.200s: %s %s", expression, r.ExceptionDetails.Text, r.ExceptionDetails.Exception.Description)
	case out == nil || len(r.Result.Value) == 0:
		return nil
	}
	if err := json.Unmarshal(r.Result.Value, out); err != nil {
		return fmt.Errorf("%.200s: %w", expression, err)
	}
	return nil
}

// Wait waits until an expression is true.
func (p *Page) Wait(expression string) {
	p.b.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var yes bool
		if err := p.eval("!!("+expression+")", &yes); err != nil {
			p.b.t.Fatal(err)
		}
		if yes {
			return
		}
		if time.Now().After(deadline) {
			p.b.t.Fatalf("never true within %v: %s", patience, expression)
		}
	}
}

// View sets the window's width and height, and the theme that the page is told.
func (p *Page) View(width, height int, dark bool) {
	p.b.t.Helper()
	theme := "light"
	if dark {
		theme = "dark"
	}
	p.Call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	p.Call("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": theme}}}, nil)
	p.settle()
}

// Screenshot writes what is to be seen to a PNG file; whole = the page from top to bottom.
func (p *Page) Screenshot(path string, whole bool) {
	p.b.t.Helper()
	var shot struct{ Data string }
	p.Call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": whole}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	p.b.must(err)
	p.b.must(os.WriteFile(path, png, 0o666))
}
