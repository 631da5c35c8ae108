package nights_test

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"infnet/metrics/infer"
	"infnet/reports/figure"
)

var update = flag.Bool("update", false, "write VALIDITY.md's tables and figure anew from testdata/nights.csv")

// row is a line of testdata/nights.csv.
type row map[string]string

func (r row) number(t *testing.T, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("column %s of testdata/nights.csv: %v", column, err)
	}
	return v
}

func simulated(t *testing.T) (rows []row) {
	t.Helper()
	file, err := os.Open("testdata/nights.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		r := row{}
		for i, name := range lines[0] {
			r[name] = line[i]
		}
		rows = append(rows, r)
	}
	return rows
}

func (r row) changes() string {
	if r["every"] == "1" {
		return "every night"
	}
	return "every " + r["every"] + " nights"
}

// The tables of VALIDITY.md are the counts of the simulation, and each valid arm keeps the level.
func TestValidityPage(t *testing.T) {
	var level, delay, effect strings.Builder
	effect.WriteString("\n| records | n | histories that ever alarm | share | 95 % interval |\n|---|--:|--:|--:|---|\n")
	level.WriteString("\n| records | n | models change | tested at | histories that ever alarm | share | 95 % " +
		"interval |\n" +
		"|---|--:|---|---|--:|--:|---|\n")
	delay.WriteString("\n| records | n | models change | drop | alarm before it | found | delay: quarter | half | " +
		"three quarters |\n|---|--:|---|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range simulated(t) {
		count, before := int(r.number(t, "histories")), int(r.number(t, "before"))
		share, err := infer.ClopperPearson(before, count, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if count < 1000 {
			t.Errorf("%v: only %d histories", r, count)
		}
		naive := r["naive"] == "true"
		if r["effect"] != "0" {
			fmt.Fprintf(&effect, "| %s | %s | %d of %d | %.1f %% | %.1f to %.1f %% |\n", r["records"], r["n"], before, count,
				100*share.Value, 100*share.Low, 100*share.High)
			continue
		}
		if !naive && share.Low > 0.05 {
			t.Errorf("%v alarms in %v to %v", r, share.Low, share.High)
		}
		if r["drop"] == "0" {
			at, mark := "its share", ""
			if naive {
				at, mark = "α every night", "**"
			}
			fmt.Fprintf(&level, "| %s | %s | %s | %s | %d of %d | %s%.1f %%%s | %.1f to %.1f %% |\n", r["records"], r["n"],
				r.changes(), at, before, count, mark, 100*share.Value, mark, 100*share.Low, 100*share.High)
			continue
		}
		if r.number(t, "drop") < 0.05 { // hardly any is found: the file has them
			continue
		}
		fmt.Fprintf(&delay, "| %s | %s | %s | %.0f | %d | %s of %d | %s | %s | %s |\n", r["records"], r["n"], r.changes(),
			100*r.number(t, "drop"), before, r["after"], count-before, r["q25"], r["median"], r["q75"])
	}
	const page = "VALIDITY.md"
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := between(t, between(t, string(have), "<!-- level -->\n", level.String()), "<!-- delay -->\n", delay.String())
	want = between(t, want, "<!-- effect -->\n", effect.String())
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(have) {
		t.Error("the tables of VALIDITY.md are not what testdata/nights.csv gives; go test ./harness/nights -update " +
			"writes them")
	}
}

// between replaces what is between a mark and the next end.
func between(t *testing.T, text, mark, with string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, mark)
	_, tail, also := strings.Cut(rest, "<!-- end -->")
	if !ok || !also {
		t.Fatalf("VALIDITY.md has no %s with an end", strings.TrimSpace(mark))
	}
	return head + mark + with + "\n<!-- end -->" + tail
}

// The figure of VALIDITY.md is drawn from the simulation's counts.
func TestValidityFigure(t *testing.T) {
	f := figure.Figure{Columns: 2, Wide: true, Panels: []figure.Panel{ever(t), found(t)}}
	got, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("validity.svg", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("where products and sums are rounded once, coordinates differ in the last digits")
	}
	want, err := os.ReadFile("validity.svg")
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if !bytes.Equal(want, got) {
		t.Error("validity.svg is not what testdata/nights.csv gives; go test ./harness/nights -update draws it anew")
	}
}

// ever is the share of histories that have alarmed, by night, while nothing is worse: of 1,000 records.
func ever(t *testing.T) figure.Panel {
	p := figure.Panel{Title: "nothing is worse, models change every night",
		X: figure.Axis{Label: "night", Min: 0, Max: 370},
		Y: figure.Axis{Label: "histories with an alarm, %", Min: 0, Max: 102}}
	p.Layers = append(p.Layers, figure.Layer{Kind: figure.Across,
		Look:   figure.Look{Colour: "grey", Dashes: []float64{1, 1.6}},
		Legend: "α = 5 %", Y: []float64{5}})
	looks := map[string]figure.Look{
		"fixed true":  {Colour: "vermilion", Dashes: []float64{4, 2}},
		"fresh true":  {Colour: "orange", Dashes: []float64{1, 1.6}, Weight: 1.4},
		"fixed false": {Colour: "blue", Weight: 1.4},
		"fresh false": {Colour: "green", Dashes: []float64{7, 2.5}, Weight: 1.4},
	}
	legends := map[string]string{"fixed true": "fixed, α every night", "fresh true": "fresh, α every night",
		"fixed false": "fixed, shares of α", "fresh false": "fresh, shares of α"}
	for _, r := range simulated(t) {
		if r["drop"] != "0" || r["n"] != "1000" || r["every"] != "1" || r["effect"] != "0" {
			continue
		}
		kind := r["records"] + " " + r["naive"]
		l := figure.Layer{Kind: figure.Line, Look: looks[kind], Legend: legends[kind], X: []float64{0}, Y: []float64{0}}
		for i, text := range strings.Fields(r["by"]) {
			count, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			l.X, l.Y = append(l.X, min(15*float64(i+1), 365)), append(l.Y, 100*count/r.number(t, "histories"))
		}
		p.Layers = append(p.Layers, l)
	}
	return p
}

// found is the share of histories that find a drop by the end of the year.
func found(t *testing.T) figure.Panel {
	p := figure.Panel{Title: "something is worse from night 101 on",
		X: figure.Axis{Label: "drop, in points", Min: 0.5, Max: 5.5},
		Y: figure.Axis{Label: "histories that find it, %", Min: 0, Max: 102}}
	looks := map[string]figure.Look{
		"fixed 200":  {Colour: "blue", Mark: figure.Ring},
		"fixed 1000": {Colour: "blue", Mark: figure.Diamond},
		"fresh 200":  {Colour: "green", Mark: figure.Ring},
		"fresh 1000": {Colour: "green", Mark: figure.Diamond},
	}
	for _, of := range []string{"fixed 200", "fresh 200", "fixed 1000", "fresh 1000"} {
		l := figure.Layer{Kind: figure.Points, Look: looks[of], Legend: of + " records"}
		for _, r := range simulated(t) {
			if r["drop"] == "0" || r["records"]+" "+r["n"] != of || r["effect"] != "0" || r["every"] != "1" {
				continue
			}
			l.X = append(l.X, 100*r.number(t, "drop"))
			l.Y = append(l.Y, 100*r.number(t, "after")/(r.number(t, "histories")-r.number(t, "before")))
		}
		p.Layers = append(p.Layers, l)
	}
	return p
}
