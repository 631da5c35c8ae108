package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// focused says where the focus is, in a word that a person would use.
const focused = `(() => {
	const e = document.activeElement;
	return e ? (e.id || e.className || e.tagName) + "|" + e.textContent.trim().slice(0, 40) : "";
})()`

// A person without a mouse gets from the top of the page to the records behind a number, to one record, and back to the
// number; and opens a table and moves between its cells.
func TestKeyboardAlone(t *testing.T) {
	p := startBrowser(t).Open(address(pageOf(simulated(t))))
	at := func() string {
		var s string
		p.Eval(focused, &s)
		return s
	}
	reach := func(selector string) string {
		t.Helper()
		for range 200 {
			p.Press("Tab")
			var there bool
			if p.Eval(fmt.Sprintf(`document.activeElement.matches(%q)`, selector), &there); there {
				return at()
			}
		}
		t.Fatalf("no %s is reached by Tab", selector)
		return ""
	}
	number := reach("button.open")
	p.Press("Enter")
	p.Wait(`document.querySelector("dialog.records").dataset.shown > 0`)
	if got := at(); !strings.HasPrefix(got, "records-grid|") {
		t.Errorf("after Enter the focus is at %q, want the list", got)
	}
	active := func() string {
		var s string
		p.Eval(`document.querySelector(".records-grid").getAttribute("aria-activedescendant")`, &s)
		return s
	}
	for _, step := range []struct{ key, row string }{{"ArrowDown", "1"}, {"ArrowDown", "2"}, {"ArrowUp", "1"},
		{"Home", "0"},
		{"ArrowUp", "0"}, {"End", "99"}, {"ArrowDown", "99"}, {"Home", "0"}} {
		p.Press(step.key)
		p.Wait(fmt.Sprintf(`document.querySelector(".records-grid").getAttribute("aria-activedescendant") ===
			"records-row-%s" && document.getElementById("records-row-%[1]s").getAttribute("aria-selected") === "true"`,
			step.row))
	}
	p.Press("PageDown")
	if active() == "records-row-0" {
		t.Error("PageDown does not move")
	}
	p.Press("Enter")
	p.Wait(`!document.querySelector(".records-detail").hidden && document.activeElement.tagName === "H3"`)
	p.Press("Escape")
	p.Wait(`document.querySelector(".records-detail").hidden && document.activeElement.className === "records-grid"`)
	p.Press("Escape")
	p.Wait(`!document.querySelector("dialog.records").open`)
	if got := at(); got != number {
		t.Errorf("after Escape the focus is at %q, want the number %q", got, number)
	}
	reach("#table-policies-whole > details > summary")
	p.Press("Enter")
	cell := reach(".table button.open")
	if p.Press("ArrowRight"); at() == cell {
		t.Error("an arrow does not move between cells")
	}
	quiet(t, p, address(pageOf(simulated(t))))
}

// controls are the roles that a person acts on: each has a name to act by.
var controls = []string{"button", "link", "textbox", "searchbox", "combobox", "checkbox", "slider", "spinbutton",
	"grid", "dialog", "tab", "menuitem", "radio", "img", "table", "region", "listbox", "DisclosureTriangle"}

// What a screen reader is told: every control has a name, and so have tables, pictures and the parts of the page.
func TestEverythingHasAName(t *testing.T) {
	b := startBrowser(t)
	for name, dir := range map[string]string{"chain": chain(t), "all tasks": quick(t)} {
		t.Run(name, func(t *testing.T) {
			p := b.Open(address(pageOf(dir)))
			named(t, p, "the page")
			p.Eval(`document.querySelector("button.open").click()`, nil)
			p.Wait(`document.querySelector("dialog.records").dataset.shown > 0`)
			p.Press("Enter")
			p.Wait(`!document.querySelector(".records-detail").hidden`)
			named(t, p, "the records")
		})
	}
}

func named(t *testing.T, p *Page, where string) {
	t.Helper()
	seen := 0
	for _, n := range p.Tree() {
		if n.Ignored || !slices.Contains(controls, n.Role) {
			continue
		}
		seen++
		if strings.TrimSpace(n.Name) == "" {
			t.Errorf("%s: a %s has no name (%d controls before it)", where, n.Role, seen)
		}
	}
	if seen < 10 {
		t.Errorf("%s: only %d controls seen", where, seen)
	}
	var twice []string
	p.Eval(`[...document.querySelectorAll("[id]")].map(e => e.id).filter((id, i, all) => all.indexOf(id) !== i)`, &twice)
	if len(twice) > 0 {
		t.Errorf("%s: ids given twice: %q", where, twice)
	}
}

// faint returns the texts whose contrast with their ground is less than WCAG 2.1 AA asks for: 4.5, or 3 where letters
// are large. It knows colours that are not transparent, over grounds that are. The repeated names of merged cells are
// there for screen readers alone.
const faint = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const paint = (colours) => {
		canvas.clearRect(0, 0, 1, 1);
		for (const c of colours) { canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); }
		return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	const light = (rgb) => {
		const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const out = new Map();
	let seen = 0;
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const e = walker.currentNode.parentElement;
		if (!walker.currentNode.data.trim() || e.closest("svg,script,style,option,.again") || !e.checkVisibility({visibilityProperty: true})
			|| e.closest(":disabled")) continue;
		const grounds = [];
		for (let up = e; up; up = up.parentElement) grounds.unshift(getComputedStyle(up).backgroundColor);
		grounds.unshift(matchMedia("(prefers-color-scheme: dark)").matches ? "black" : "white");
		const style = getComputedStyle(e), a = light(paint(grounds)), b = light(paint([...grounds, style.color]));
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), size = parseFloat(style.fontSize);
		seen++;
		if (ratio < (size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700 ? 3 : 4.5)) {
			out.set(e.tagName + "." + e.className, ratio.toFixed(2) + " " + walker.currentNode.data.trim().slice(0, 40));
		}
	}
	return {seen, faint: [...out].map((x) => x.join(" "))};
})()`

// The widths at which pages are looked at: a phone, a tablet, a screen.
var widths = []int{360, 900, 1600}

// In both themes and at every width texts can be read, nothing is wider than the window, and nothing is said in the
// console. With INFNET_SHOTS naming a folder, what is seen is kept there to be looked at.
func TestThemesAndWidths(t *testing.T) {
	b, shots := startBrowser(t), os.Getenv("INFNET_SHOTS")
	p := b.Open(address(pageOf(quick(t))))
	for _, dark := range []bool{false, true} {
		for _, width := range widths {
			t.Run(fmt.Sprintf("%d dark %v", width, dark), func(t *testing.T) {
				p.View(width, 1000, dark)
				look(t, p, shots, fmt.Sprintf("%d-%v-page", width, dark))
				p.Eval(`document.querySelector("button.open").click()`, nil)
				p.Wait(`document.querySelector("dialog.records").dataset.shown > 0`)
				look(t, p, shots, fmt.Sprintf("%d-%v-records", width, dark))
				p.Press("Enter")
				p.Wait(`!document.querySelector(".records-detail").hidden`)
				look(t, p, shots, fmt.Sprintf("%d-%v-record", width, dark))
				p.Eval(`document.querySelector("dialog.records").close()`, nil)
			})
		}
	}
	quiet(t, p, address(pageOf(quick(t))))
}

func look(t *testing.T, p *Page, shots, name string) {
	t.Helper()
	var found struct {
		Seen  int
		Faint []string
	}
	if p.Eval(faint, &found); len(found.Faint) > 0 || found.Seen < 20 {
		t.Errorf("%s: of %d texts these are faint: %q", name, found.Seen, found.Faint)
	}
	var wide int
	if p.Eval(`document.documentElement.scrollWidth - innerWidth`, &wide); wide > 0 {
		t.Errorf("%s: %d pixels wider than the window", name, wide)
	}
	if shots != "" {
		p.Screenshot(filepath.Join(shots, name+".png"), strings.HasSuffix(name, "page"))
	}
}
