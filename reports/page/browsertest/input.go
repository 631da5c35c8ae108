package browsertest

// keys are the keys that Press knows, by their name in the browser, with the code that Windows gave them and the
// text they type.
var keys = map[string]struct {
	code int
	text string
}{
	"Tab": {9, ""}, "Enter": {13, "\r"}, "Escape": {27, ""}, " ": {32, " "}, "PageUp": {33, ""}, "PageDown": {34, ""},
	"End": {35, ""}, "Home": {36, ""}, "ArrowLeft": {37, ""}, "ArrowUp": {38, ""}, "ArrowRight": {39, ""},
	"ArrowDown": {40, ""},
}

// Press presses and releases a key, as a person does, so that the browser does what it does by default.
func (p *Page) Press(key string) { p.press(key, 0) }

// PressBack presses a key with the shift key held.
func (p *Page) PressBack(key string) { p.press(key, 8) }

func (p *Page) press(key string, modifiers int) {
	p.b.t.Helper()
	k, ok := keys[key]
	if !ok {
		p.b.t.Fatalf("no key %q is known here", key)
	}
	code := key
	if key == " " {
		code = "Space"
	}
	event := map[string]any{"type": "keyDown", "key": key, "code": code, "windowsVirtualKeyCode": k.code,
		"modifiers": modifiers}
	if k.text != "" {
		event["text"] = k.text
	} else {
		event["type"] = "rawKeyDown"
	}
	p.Call("Input.dispatchKeyEvent", event, nil)
	p.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": code,
		"windowsVirtualKeyCode": k.code, "modifiers": modifiers}, nil)
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
func (p *Page) Tree() []Node {
	p.b.t.Helper()
	type value struct{ Value any }
	var r struct {
		Nodes []struct {
			Ignored    bool
			Role, Name value
		}
	}
	p.Call("Accessibility.getFullAXTree", nil, &r)
	nodes := make([]Node, len(r.Nodes))
	for i, n := range r.Nodes {
		nodes[i].Ignored = n.Ignored
		nodes[i].Role, _ = n.Role.Value.(string)
		nodes[i].Name, _ = n.Name.Value.(string)
	}
	return nodes
}
