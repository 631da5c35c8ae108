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
		{cost.Cascade, 0.1, 0.4, 0, 50}, {cost.Router, 0.1, 0.4, 0, 54},
		{cost.Cascade, 0.1, 0.4, 2, 48}, {cost.Cascade, 1.5, 0, 0, -50},
	} {
		if got := saved(tt.charge, tt.ratio, tt.deferred, tt.overhead); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s at %v, %v deferred: %v, want %v", tt.charge, tt.ratio, tt.deferred, got, tt.want)
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
