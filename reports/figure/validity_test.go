package figure

import (
	"bytes"
	"encoding/csv"
	"os"
	"runtime"
	"strconv"
	"testing"

	"infnet/metrics/infer"
)

// The figure of sufficiency/VALIDITY.md is drawn from the simulation's counts.
func TestValidityFigure(t *testing.T) {
	const folder = "../../sufficiency/"
	f := Figure{Columns: 3, Wide: true}
	for _, kind := range []string{"conditional", "plain"} {
		f.Panels = append(f.Panels, levels(t, recorded(t, folder+"testdata/validity.csv"), kind))
	}
	f.Panels[0].Title, f.Panels[1].Title = "rows move among neighbours in β", "rows move anywhere"
	f.Panels[0].Y.Label = "true nulls rejected"
	f.Panels = append(f.Panels, rising(t, recorded(t, folder+"testdata/validity_power.csv")))
	got, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(folder+"validity.svg", got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("where products and sums are rounded once, coordinates differ in the last digits")
	}
	want, err := os.ReadFile(folder + "validity.svg")
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if !bytes.Equal(want, got) {
		t.Error("validity.svg is not what the counts beside it give; go test -update draws it anew")
	}
}

// recorded reads a table with a head.
func recorded(t *testing.T, path string) []map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, head := range lines[0] {
			row[head] = line[i]
		}
		out = append(out, row)
	}
	return out
}

func numeric(t *testing.T, row map[string]string, column string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(row[column], 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// levels is the share of true nulls rejected at each level, one line for each
// kind of J, over the band within which a valid test stays.
func levels(t *testing.T, all []map[string]string, kind string) Panel {
	band := Layer{Kind: Band, Look: Look{Colour: "pale"}, Legend: "up to α + 2 standard errors"}
	same := Layer{Kind: Line, Look: Look{Colour: "grey", Dashes: dotted}, Legend: "α"}
	var order []string
	lines := map[string]*Layer{}
	for _, row := range all {
		if row["permutation"] != kind {
			continue
		}
		j, alpha := row["J"], numeric(t, row, "alpha")
		if lines[j] == nil {
			look := classLook(len(order))
			look.Size = 0.8
			lines[j] = &Layer{Kind: Line, Look: look, Legend: j}
			order = append(order, j)
		}
		l := lines[j]
		l.X, l.Y = append(l.X, alpha), append(l.Y, numeric(t, row, "rejected")/numeric(t, row, "studies"))
		if len(order) == 1 {
			band.X, band.Low, band.High = append(band.X, alpha), append(band.Low, 0), append(band.High, numeric(t, row, "bound"))
			same.X, same.Y = append(same.X, alpha), append(same.Y, alpha)
		}
	}
	p := Panel{X: Axis{Label: "level α", Min: 0, Max: 0.105}, Y: Axis{Min: 0, Max: 0.16}, Layers: []Layer{band, same}}
	for _, j := range order {
		p.Layers = append(p.Layers, *lines[j])
	}
	return p
}

// rising is the power against the strength planted.
func rising(t *testing.T, all []map[string]string) Panel {
	l := Layer{Kind: Points, Look: Look{Colour: "black", Mark: Diamond}, Legend: "planted, with exact 95 % intervals"}
	for _, row := range all {
		share, err := infer.ClopperPearson(int(numeric(t, row, "detected")), int(numeric(t, row, "studies")), 0.95)
		if err != nil {
			t.Fatal(err)
		}
		l.X, l.Y = append(l.X, numeric(t, row, "planted")), append(l.Y, share.Value)
		l.Low, l.High = append(l.Low, share.Low), append(l.High, share.High)
	}
	return Panel{Title: "planted effects", X: Axis{Label: "strength", Min: -0.04, Max: 1.04},
		Y: Axis{Label: "detected at α = 0.05", Min: 0, Max: 1.02}, Layers: []Layer{l}}
}
