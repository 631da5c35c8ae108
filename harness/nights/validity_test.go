package nights_test

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"infnet/metrics/infer"
	"infnet/reports/figure"
)

var update = flag.Bool("update", false, "draw VALIDITY.md's figure anew from testdata/nights.csv")

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

// What VALIDITY.md says of the counts of the simulation holds: each valid arm keeps the level, and it is all there.
func TestRecordedLevel(t *testing.T) {
	arms := 0
	for _, r := range simulated(t) {
		count, before := int(r.number(t, "histories")), int(r.number(t, "before"))
		share, err := infer.ClopperPearson(before, count, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if count < 1000 {
			t.Errorf("%v: only %d histories", r, count)
		}
		if r["effect"] == "0" && r["naive"] == "false" {
			arms++
			if share.Low > 0.05 {
				t.Errorf("%v alarms in %v to %v", r, share.Low, share.High)
			}
		}
	}
	if arms < 24 {
		t.Errorf("%d arms", arms)
	}
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
