package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	pageevents "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long something is waited for. It is generous: machines that test are slow.
const patience = 4 * time.Minute

// Browser is the headless Chromium of the process, as one test sees it. Its profile is its own.
type Browser struct {
	t   testing.TB
	ctx context.Context
}

// The browser, how it is ended, and why it could not be started. Containers lack it: tests are then skipped and say so.
var (
	chromiumOnce   sync.Once
	chromium       context.Context
	endChromium    = func() {}
	noChromium     string
	chromiumFailed error
)

// startBrowser starts the browser, or hands on the one that another test started: what a test
// opens is closed with the test.
// It skips the test where none is installed. TestMain ends it.
func startBrowser(t testing.TB) *Browser {
	t.Helper()
	chromiumOnce.Do(launch)
	if noChromium != "" {
		t.Skip(noChromium)
	}
	b := &Browser{t: t, ctx: chromium}
	b.must(chromiumFailed)
	return b
}

func launch() {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		noChromium = "no Chromium is on the PATH: install Debian's chromium to run what opens pages"
		return
	}
	home, err := os.MkdirTemp("", "infnet-browser-")
	if chromiumFailed = err; err != nil {
		return
	}
	// The sandbox needs user namespaces, which containers and root often lack; pages are our own, and offline.
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.Headless, chromedp.NoSandbox,
		chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.DisableGPU, chromedp.UserDataDir(home),
		chromedp.Env("HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home), chromedp.Flag("lang", "en"),
		chromedp.Flag("force-color-profile", "srgb")}
	for _, flag := range []string{"disable-dev-shm-usage", "disable-background-networking", "disable-component-update",
		"disable-default-apps", "disable-extensions", "disable-sync", "hide-scrollbars", "disable-breakpad"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	chromium, chromiumFailed = ctx, chromedp.Do(ctx)
	endChromium = func() {
		_ = chromedp.Cancel(ctx)
		cancel()
		end()
		os.RemoveAll(home)
	}
}

func (b *Browser) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// Page is a page that is open.
type Page struct {
	b   *Browser
	ctx context.Context

	mu       sync.Mutex
	problems []string
	requests []string
}

// Open opens an address and waits until it is loaded.
func (b *Browser) Open(address string) *Page {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	p := &Page{b: b, ctx: ctx}
	b.must(chromedp.Listen(ctx, p.happened))
	for _, domain := range []string{"Log", "Audits", "Accessibility"} {
		p.Call(domain+".enable", nil, nil)
	}
	p.View(1200, 900, false)
	p.Go(address)
	return p
}

// Call calls a method of the protocol.
func (p *Page) Call(method string, params, out any) {
	p.b.t.Helper()
	if params == nil {
		params = struct{}{}
	}
	text, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (text json.RawMessage, err error) {
		return text, t.Call(ctx, method, params, &text)
	})
	p.b.must(err)
	if out != nil {
		p.b.must(json.Unmarshal(text, out))
	}
}

// Go goes to another address and waits until it is loaded.
func (p *Page) Go(address string) {
	p.b.t.Helper()
	p.b.must(chromedp.Do(p.ctx, chromedp.Navigate(address)))
}

func (p *Page) happened(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	note := func(format string, args ...any) { p.problems = append(p.problems, fmt.Sprintf(format, args...)) }
	switch e := event.(type) {
	case *pageevents.EventJavascriptDialogOpening:
		note("a dialog opened: %s", e.Message)
		go p.Call("Page.handleJavaScriptDialog", map[string]any{"accept": false}, nil)
	case *runtime.EventExceptionThrown:
		text, _ := json.Marshal(e.ExceptionDetails)
		note("exception: %s", text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			text, _ := json.Marshal(e.Args)
			note("console.%s: %s", e.Type, text)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			text, _ := json.Marshal(e.Entry)
			note("log: %s", text)
		}
	case *audits.EventIssueAdded:
		if code := string(e.Issue.Code); strings.Contains(code, "SecurityPolicy") || strings.Contains(code, "MixedContent") {
			text, _ := json.Marshal(e.Issue)
			note("issue: %s", text)
		}
	case *network.EventRequestWillBeSent:
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
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	p.Call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true,
		"userGesture": true}, &r)
	if r.ExceptionDetails != nil {
		p.b.t.Fatalf("%.200s: %s", expression, r.ExceptionDetails)
	}
	if out != nil && len(r.Result.Value) > 0 {
		p.b.must(json.Unmarshal(r.Result.Value, out))
	}
}

// Wait waits until an expression is true.
func (p *Page) Wait(expression string) {
	p.b.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var yes bool
		if p.Eval("!!("+expression+")", &yes); yes {
			return
		}
		if time.Now().After(deadline) {
			p.b.t.Fatalf("never true within %v: %s", patience, expression)
		}
	}
}

// keys are the keys that Press knows, by their name in the browser.
var keys = map[string]string{"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, " ": " ", "PageUp": kb.PageUp,
	"PageDown": kb.PageDown, "End": kb.End, "Home": kb.Home, "ArrowLeft": kb.ArrowLeft, "ArrowUp": kb.ArrowUp,
	"ArrowRight": kb.ArrowRight, "ArrowDown": kb.ArrowDown}

// Press presses and releases a key, as a person does, so that the browser does what it does by default.
func (p *Page) Press(key string) {
	p.b.t.Helper()
	code, ok := keys[key]
	if !ok {
		p.b.t.Fatalf("no key %q is known here", key)
	}
	p.b.must(chromedp.Do(p.ctx, chromedp.KeyEvent(code)))
	p.settle()
}

// Type types a text into what has the focus.
func (p *Page) Type(text string) {
	p.b.t.Helper()
	p.Call("Input.insertText", map[string]any{"text": text}, nil)
	p.settle()
}

// Node is a node of the accessibility tree: what a screen reader is told.
type Node struct {
	Role, Name string
	Ignored    bool
}

// Tree returns the accessibility tree.
func (p *Page) Tree() (nodes []Node) {
	p.b.t.Helper()
	type value struct{ Value any }
	var r struct {
		Nodes []struct {
			Ignored    bool
			Role, Name value
		}
	}
	p.Call("Accessibility.getFullAXTree", nil, &r)
	for _, n := range r.Nodes {
		role, _ := n.Role.Value.(string)
		name, _ := n.Name.Value.(string)
		nodes = append(nodes, Node{Role: role, Name: name, Ignored: n.Ignored})
	}
	return nodes
}

// View sets the window's width and height, and the theme that the page is told.
func (p *Page) View(width, height int, dark bool) {
	p.b.t.Helper()
	theme := "light"
	if dark {
		theme = "dark"
	}
	p.b.must(chromedp.Do(p.ctx, chromedp.EmulateViewport(int64(width), int64(height))))
	p.Call("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": theme}}}, nil)
	p.settle()
}

// Screenshot writes what is to be seen to a PNG file; whole = the page from top to bottom.
func (p *Page) Screenshot(path string, whole bool) {
	p.b.t.Helper()
	var shot struct{ Data []byte }
	p.Call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": whole}, &shot)
	p.b.must(os.WriteFile(path, shot.Data, 0o666))
}
