package page

import (
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infnet/harness/cost"
	"infnet/harness/result/style"
	"infnet/harness/store"
	"infnet/reports"
)

// The buttons of a table copy the very text of its files.
func TestCopiesAreTheFiles(t *testing.T) {
	r, list := study("drawn", 60, 3, false)
	var d data
	blockOf(t, build(t, Input{Results: r, Records: all(list)}), "data", &d)
	dir := t.TempDir()
	if _, err := reports.Write(r, dir, store.WriteFile); err != nil {
		t.Fatal(err)
	}
	tables := reports.Tables(r)
	if len(tables) == 0 || len(d.Copies) != len(tables) {
		t.Fatalf("%d copies of %d tables", len(d.Copies), len(tables))
	}
	for i, packed := range d.Copies {
		texts := strings.Split(inflated(t, packed), "\x00")
		if len(texts) != 3 {
			t.Fatalf("%d texts", len(texts))
		}
		for k, ending := range map[int]string{0: ".tex", 2: ".csv"} {
			file, err := os.ReadFile(filepath.Join(dir, tables[i].File+ending))
			if err != nil || texts[k] != string(file) {
				t.Errorf("%s%s is another text than the page copies (%v)", tables[i].File, ending, err)
			}
		}
		everything, err := os.ReadFile(filepath.Join(dir, tables[i].File+".md"))
		if err != nil || !strings.Contains(string(everything), texts[1]) {
			t.Errorf("the file lacks what the page copies of %s", tables[i].File)
		}
	}
}

// inflated unpacks a text as the page does.
func inflated(t *testing.T, packed string) string {
	t.Helper()
	text, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed))))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// However a study prints its tables, the page has them once, with intervals.
func TestFullTables(t *testing.T) {
	for name, look := range map[string]style.Style{"as usual": {}, "the paper's": {Layout: style.Paper},
		"columns": {Columns: []style.Column{style.Policy, style.Error}}, "no intervals": {Intervals: style.NoIntervals}} {
		r, list := study("drawn", 60, 3, false)
		want := len(reports.Tables(r))
		r.Style = look
		page := build(t, Input{Results: r, Records: all(list)})
		var d data
		if blockOf(t, page, "data", &d); len(d.Copies) != want || strings.Count(page, `<figure class="table`) != want {
			t.Errorf("%s: %d copies of %d tables", name, len(d.Copies), want)
		}
		if !strings.Contains(page, `<span class="range">[0.80, 1.00]</span>`) {
			t.Errorf("%s: no interval is shown", name)
		}
	}
}

// Savings follow from deferrals and the price ratio as cost charges them; a row of which they do not is left out.
func TestPricedRows(t *testing.T) {
	r, _ := study("drawn", 60, 3, false)
	d := &r.Cascades[0].Datasets[0]
	d.Rows[2].Saved.Value += 0.1
	var g group
	g.price(d)
	var have []string
	for _, row := range g.Rows {
		have = append(have, row.Policy)
	}
	if got := fmt.Sprint(have); got != "[none all multi]" {
		t.Errorf("rows %s", got)
	}
	for _, tt := range []struct {
		charge                    cost.Charge
		ratio, deferred, overhead float64
		want                      float64 // by hand
	}{
		{cost.Cascade, 0.1, 0.4, 0, 50}, {cost.Router, 0.1, 0.4, 0, 54}, {cost.Parallel, 0.1, 0.4, 0, -10},
		{cost.Cascade, 0.1, 0.4, 2, 48}, {cost.Cascade, 1.5, 0, 0, -50},
	} {
		if got := saved(tt.charge, tt.ratio, tt.deferred, tt.overhead); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s at %v, %v deferred: %v, want %v", tt.charge, tt.ratio, tt.deferred, got, tt.want)
		}
	}
}

// Texts have a contrast of 4.5 on every ground they stand on, marks and borders of controls of 3, in both themes.
func TestContrast(t *testing.T) {
	themes := []map[string][3]float64{{}, {}}
	pair := regexp.MustCompile(`--([a-z]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`)
	for _, m := range pair.FindAllStringSubmatch(themeStyle, -1) {
		for i := range themes {
			rgb, err := channels(m[2+i])
			if err != nil {
				t.Fatal(err)
			}
			themes[i][m[1]] = rgb
		}
	}
	for i, theme := range themes {
		name := []string{"light", "dark"}[i]
		check := func(least float64, grounds []string, colours ...string) {
			for _, g := range grounds {
				for _, c := range colours {
					if _, ok := theme[c]; !ok {
						t.Errorf("no colour %s", c)
					}
					if got := contrast(theme[c], theme[g]); got < least {
						t.Errorf("%s: %s on %s has a contrast of %.2f, want %v", name, c, g, got, least)
					}
				}
			}
		}
		check(4.5, []string{"bg", "panel", "tint", "mark"}, "text", "soft", "link", "bad")
		check(4.5, []string{"bg", "panel"}, "good")
		check(4.5, []string{"accent"}, "panel")
		check(3, []string{"bg", "panel"}, "edge", "accent", "second", "focus")
	}
	if themes[1]["panel"] != must(channels(darkGround)) {
		t.Error("darkGround is not the panel of the dark theme")
	}
	if got := contrast([3]float64{}, [3]float64{1, 1, 1}); math.Abs(got-21) > 1e-9 {
		t.Errorf("black on white: %v, want 21", got)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// The page has every kind of figure.
func TestEveryKindOfFigure(t *testing.T) {
	var has []string
	for _, k := range kinds {
		has = append(has, k.kind)
	}
	for _, k := range style.Kinds() {
		if !slices.Contains(has, string(k)) {
			t.Errorf("figures of the kind %s are not on the page", k)
		}
	}
	if len(has) != len(style.Kinds()) {
		t.Errorf("the page has the kinds %v", has)
	}
}

func TestFigureForThePage(t *testing.T) {
	svg := `<?xml version="1.0"?>` +
		`<svg width="9pt" viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><g transform="scale(1, -1)"><path d="M1,2L3,4" style="fill:none;stroke:#000000;stroke-width:0.5;-evil:url(http://x)" />` +
		`<text x="1" y="2" style="font-family:Liberation Serif;font-size:7px">a &lt;b&gt; &amp; c</text></g></svg>`
	var k ink
	got, err := k.figure([]byte(svg), `about "it" <b>`)
	if err != nil {
		t.Fatal(err)
	}
	want := `<svg role="img" aria-label="about &#34;it&#34; &lt;b&gt;" viewBox="0 0 9 9"><g transform="scale(1, -1)">` +
		`<path class="s0" d="M1,2L3,4"></path><text class="s1" x="1" y="2">a &lt;b&gt; &amp; c</text></g></svg>`
	order := func(s string) string { // attributes may come in the file's order
		words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '>' || r == '<' })
		slices.Sort(words)
		return strings.Join(words, " ")
	}
	if order(got) != order(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	css := k.css()
	for _, part := range []string{".figure .s0{fill:none;stroke:var(--000000);stroke-width:0.5}",
		".figure .s1{font-size:7px}", "--000000:light-dark(#000000,"} {
		if !strings.Contains(css, part) {
			t.Errorf("the style lacks %q:\n%s", part, css)
		}
	}
	for _, bad := range []string{`<svg><script>alert(1)</script></svg>`, `<svg><image href="http://x"/></svg>`, `<svg><path`,
		`<svg><foreignObject/></svg>`} {
		if _, err := k.figure([]byte(bad), ""); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// Colours of the dark theme are seen on its ground; greys change places.
func TestDarkenedColours(t *testing.T) {
	ground := must(channels(darkGround))
	for _, c := range []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#787878"} {
		if got := contrast(must(channels(darkened(c))), ground); got < 3 {
			t.Errorf("%s becomes %s, with a contrast of %.2f", c, darkened(c), got)
		}
	}
	if got := darkened("#FFFFFF"); got != darkGround {
		t.Errorf("white becomes %s, want the ground %s", got, darkGround)
	}
	// a tenth of blue on white stays a thin blue
	if rgb := must(channels(darkened("#D9EAF3"))); contrast(rgb, ground) > 1.6 || !(rgb[2] > rgb[0]) {
		t.Errorf("a tint becomes %s", darkened("#D9EAF3"))
	}
}

// A caveat's line is its first sentence, or as many words of it as 120 letters hold; a text without a space is cut too.
func TestCaveatLines(t *testing.T) {
	for text, want := range map[string]string{
		"Short.":                       "Short.",
		"One thing. And why it is so.": "One thing.",
		"Swapped? The costs say so.":   "Swapped?",
		strings.Repeat("long ", 40):    strings.Repeat("long ", 24)[:119] + " …",
		strings.Repeat("x", 200):       strings.Repeat("x", 120) + " …",
	} {
		if got := brief(text, "").Line; got != want || len([]rune(got)) > longest+2 {
			t.Errorf("%.40q has the line %q, want %q", text, got, want)
		}
	}
}
