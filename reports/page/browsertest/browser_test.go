package browsertest

import (
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// What a page does wrong is seen: without this, that nothing was seen would say nothing.
func TestProblemsAreSeen(t *testing.T) {
	b := Start(t)
	for _, tt := range []struct{ name, html, want string }{
		{name: "a thrown error", html: `<script>throw new Error("bad luck")</script>`, want: "bad luck"},
		{name: "a rejected promise", html: `<script>Promise.reject(new Error("later"))</script>`, want: "later"},
		{name: "a logged error", html: `<script>console.error("said")</script>`, want: "said"},
		{name: "a dialog", html: `<script>setTimeout(() => alert("hello"), 0)</script>`, want: "hello"},
		{name: "what a policy forbids", want: "Security",
			html: `<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><script>1</script>`},
		{name: "nothing", html: `<p>quiet`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(b.Open("data:text/html,"+url.PathEscape(tt.html)).Problems(), "\n")
			if (got != "") != (tt.want != "") || !strings.Contains(got, tt.want) {
				t.Errorf("problems: %q, want one with %q", got, tt.want)
			}
		})
	}
	p := b.Open("data:text/html,<img src='http://127.0.0.1:9/x.png'>")
	if got := p.Requests(); !slices.Contains(got, "http://127.0.0.1:9/x.png") {
		t.Errorf("requests: %q, want the picture", got)
	}
}

func TestKeysReachThePage(t *testing.T) {
	p := Start(t).Open(`data:text/html,<label>Name <input></label><button onclick="this.textContent='pressed'">Go</button>`)
	p.Press("Tab")
	p.Type("abc")
	p.Press("Tab")
	p.Press("Enter")
	var typed, button string
	p.Eval(`document.querySelector("input").value`, &typed)
	p.Eval(`document.querySelector("button").textContent`, &button)
	if typed != "abc" || button != "pressed" {
		t.Errorf("typed %q, the button says %q", typed, button)
	}
	if !slices.Contains(p.Tree(), Node{Role: "textbox", Name: "Name"}) {
		t.Errorf("the accessibility tree has no text box %q: %v", "Name", p.Tree())
	}
}
