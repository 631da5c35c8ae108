package page

import (
	"compress/flate"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infnet/harness/result/style"
	"infnet/reports"
)

// However a study prints its tables, the page has them once, with intervals.
func TestFullTables(t *testing.T) {
	for name, look := range map[string]style.Style{"as usual": {}, "the paper's": {Layout: style.Paper}} {
		r, list := study("drawn", 60, 3, false)
		want := len(reports.Tables(r))
		r.Style = look
		page := build(t, Input{Results: r, Records: all(list)})
		if n := strings.Count(page, `<figure class="table`); n != want {
			t.Errorf("%s: %d of %d tables", name, n, want)
		}
		if !strings.Contains(page, `<span class="range">[0.80, 1.00]</span>`) {
			t.Errorf("%s: no interval is shown", name)
		}
	}
}

// Texts have a contrast of 4.5 on every ground they stand on, marks and borders of controls of 3, in both themes.
func TestContrast(t *testing.T) {
	themes := []map[string]float64{{}, {}}
	pair := regexp.MustCompile(`--([a-z]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`)
	for _, m := range pair.FindAllStringSubmatch(asset("theme.css"), -1) {
		for i := range themes {
			var rgb [3]uint8
			if _, err := fmt.Sscanf(m[2+i], "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
				t.Fatal(err)
			}
			themes[i][m[1]] = luminance(rgb)
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
}

// contrast of two luminances, from 1 to 21, and luminance: Web Content Accessibility Guidelines 2.2, "contrast ratio"
// and "relative luminance".
func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

func luminance(rgb [3]uint8) (sum float64) {
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := float64(rgb[i]) / 255
		if v <= 0.04045 {
			sum += weight * v / 12.92
		} else {
			sum += weight * math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return sum
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

// A figure keeps its shapes and loses its size, its styles and what could run.
func TestFigureForThePage(t *testing.T) {
	svg := `<?xml version="1.0"?>` +
		`<svg width="9pt" viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><g transform="scale(1, -1)"><path d="M1,2L3,4" style="fill:none;stroke:#000000;stroke-width:0.5;stroke:url(http://x);-evil:1" />` +
		`<text x="1" y="2" style="font-family:Liberation Serif;font-size:7px">a &lt;b&gt; &amp; c</text></g></svg>`
	want := `<svg role="img" aria-label="about &#34;it&#34; &lt;b&gt;" viewBox="0 0 9 9"><g transform="scale(1, -1)">` +
		`<path d="M1,2L3,4" fill="none" stroke="#000000" stroke-width="0.5"></path>` +
		`<text x="1" y="2" font-size="7px">a &lt;b&gt; &amp; c</text></g></svg>`
	if got, err := inline([]byte(svg), `about "it" <b>`); err != nil || got != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
	for _, bad := range []string{`<svg><script>alert(1)</script></svg>`, `<svg><image href="http://x"/></svg>`, `<svg><path`,
		`<svg><foreignObject/></svg>`} {
		if _, err := inline([]byte(bad), ""); err == nil {
			t.Errorf("%s is taken", bad)
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
