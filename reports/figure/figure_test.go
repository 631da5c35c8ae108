package figure

import (
	"bytes"
	"encoding/xml"
	"flag"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/metrics/infer"
	"infnet/sufficiency"
)

var update = flag.Bool("update", false, "rewrite golden files")

// study is a result with one of everything that is drawn; texts are hostile.
func study() *result.Results {
	theta := result.Float(0.7)
	inf := result.Float(math.Inf(1))
	interval := func(v float64) infer.Interval { return infer.Interval{Value: v, Low: v - 0.05, High: v + 0.05} }
	row := func(policy, title string, saved, err float64) result.Row {
		return result.Row{Policy: policy, Title: title, Saved: interval(saved), Error: interval(err)}
	}
	d := result.Dataset{
		Name: "reviews_&%$", Task: "classification", Labels: []string{"good", "bad\x1b[31m"},
		Rows: []result.Row{row("none", "None Deferred", 90, 0.3), row("all", "All Deferred", 0, 0.1),
			row("single", "Ours (one threshold)", 50, 0.12), row("multi", "Ours (threshold per class)", 50,
				0.12), row("frugalgpt", "FrugalGPT", 40, 0.15)},
		Curves: []result.Curve{
			{Policy: "single", Family: "threshold", Theta: []result.Float{0, 0.5, 0.7, inf}, Deferred: []float64{0, 0.2, 0.4, 1},
				Saved: []float64{90, 70, 50, -10}, Error: []float64{0.3, 0.2, 0.12, 0.1},
				Chosen: &result.Place{Theta: &theta, Deferred: 0.4, Saved: 50, Error: 0.12},
				Band: result.Band{Saved: []float64{0, 45, 90}, Value: []float64{0.1, 0.15, 0.3}, Low: []float64{0.05, 0.1, 0.25},
					High: []float64{0.15, 0.2, 0.35}}},
			{Policy: "multi", Family: "path", Deferred: []float64{0, 0.4, 1}, Saved: []float64{90, 50, -10},
				Error: []float64{0.3, 0.12, 0.1}},
			{Policy: "frugalgpt", Family: "threshold", Theta: []result.Float{0, inf}, Deferred: []float64{0, 1},
				Saved: []float64{88, -12}, Error: []float64{0.3, 0.1}},
		},
		Sweep: &result.Sweep{Records: 10, Budget: 0.1, Student: 0.3, Master: 0.1, None: 90, All: -10,
			Theta:    []result.Float{0, 0.5, 0.7, inf},
			Deferred: []float64{0, 0.3, 0.4, 1}, Saved: []float64{90, 60, 50, -10}, Error: []float64{0.3, 0.2, 0.1,
				0.1}, Feasible: true},
		Reliability: []result.Reliability{{Model: "student_1", Binning: "equal-mass", Confidence: []float64{0.5, 0.9},
			Correct: []float64{0.4, 1}, From: []float64{0.2, 0.8}, To: []float64{0.6, 1}}},
		Boundaries: &result.Boundaries{Level: 0.2, Classes: []result.Boundary{
			{Class: "good", Theta: 0.7, Single: 0.7, Excess: result.Estimate{Value: 0.2, Low: 0.1, High: 0.3, N: 40}, Test: 5,
				Deferred: 0.4, SingleDeferred: 0.5, Error: 0.1, SingleError: 0.2, Beta: []float64{0.4,
					0.8}, Delta: []float64{0.5, 0.1}},
			{Class: "bad\x1b[31m", Theta: inf, Single: 0.7, Test: 5, Deferred: 1, SingleDeferred: 0.5, Error: 0.1,
				SingleError: 0.1, Beta: []float64{0.4, 0.8}, Delta: []float64{0.4, 0.3}},
		}},
		Costs: []result.Cost{{Model: "student_1", Value: 1}, {Model: "master", Value: 10}},
		Diagnostics: []result.Diagnostic{{Model: "student_1", Correct: infer.Interval{Value: 0.7}},
			{Model: "master", Correct: infer.Interval{Value: 0.9}}},
		Sufficiency: &result.Sufficiency{Rows: []sufficiency.Row{
			{Set: "output-stats", Null: sufficiency.Beta, State: sufficiency.Tested, Method: sufficiency.Plain, P: 0.2857,
				Permutation: &sufficiency.Permutation{Test: sufficiency.Permuted{Observed: 0.01,
					Statistics: []float64{-0.02, -0.01, -0.01, 0, 0.005, 0.02}, P: 0.2857}}},
			{Set: "embeddings", Null: sufficiency.Beta, State: sufficiency.Determined},
		}},
	}
	return &result.Results{Name: "drawn", Level: 0.95, Style: style.Style{Figures: style.Formats(), Draw: style.Kinds()},
		Cascades: []result.Cascade{{Name: "s+m", Models: []string{"student_1", "master"}, Datasets: []result.Dataset{d}}}}
}

// write draws into memory.
func write(t *testing.T, s *result.Results) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	dir := t.TempDir()
	_, err := Write(s, dir, "a comment", func(path string, data []byte) error {
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var once map[string][]byte

// drawn is the hand-made study, drawn once for several tests.
func drawn(t *testing.T) map[string][]byte {
	t.Helper()
	if once == nil {
		once = write(t, study())
	}
	return once
}

// Every figure is there in every format, each is what its ending says, and the
// same study gives the same bytes.
func TestFormats(t *testing.T) {
	files, again := drawn(t), drawn(t)
	if !testing.Short() {
		again = write(t, study())
	}
	kinds := []string{"threshold", "frontier", "reliability", "boundaries", "classes"}
	if want := 4 * (1 + len(kinds)); len(files) != want {
		t.Errorf("%d files, want %d", len(files), want)
	}
	for _, kind := range kinds {
		base := "reviews/" + kind
		svg, pdf, image, tex := files[base+".svg"], files[base+".pdf"], files[base+".png"], files[base+".tex"]
		d := xml.NewDecoder(bytes.NewReader(svg))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s.svg is no XML: %v", kind, err)
				break
			}
		}
		if len(svg) < 1000 || !bytes.HasPrefix(pdf, []byte("%PDF-")) || !bytes.Contains(tex, []byte(`\begin{pgfpicture}`)) {
			t.Errorf("%s: %d bytes of SVG, PDF begins %q, TeX of %d bytes", kind, len(svg), pdf[:min(5, len(pdf))], len(tex))
		}
		if bytes.Contains(pdf, []byte("/Font ")) && bytes.Contains(pdf, []byte("/FontFile")) {
			t.Errorf("%s.pdf embeds a font", kind)
		}
		config, err := png.DecodeConfig(bytes.NewReader(image))
		wide := 975 // 3.25 inches of 300 dots
		if kind == "classes" {
			wide = 2100
		}
		if err != nil || config.Width != wide {
			t.Errorf("%s.png: %d dots wide, %v; want %d", kind, config.Width, err, wide)
		}
	}
	for name, data := range files {
		if !bytes.Equal(data, again[name]) {
			t.Errorf("%s has other bytes the second time", name)
		}
		if bytes.Contains(data, []byte("\x1b[31m")) && !strings.HasSuffix(name, ".png") && !strings.HasSuffix(name, ".pdf") {
			t.Errorf("%s holds a control sequence", name)
		}
	}
}

// What is drawn, to the byte, in the two formats that are texts.
func TestGolden(t *testing.T) {
	files := drawn(t)
	for _, name := range []string{"reviews/threshold.svg", "reviews/classes.svg", "cost-error.tex"} {
		path := filepath.Join("testdata", strings.TrimPrefix(name, "reviews/"))
		if *update {
			if err := os.WriteFile(path, files[name], 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (go test -update writes it)", err)
		}
		if diff := cmp.Diff(string(want), string(files[name])); diff != "" {
			t.Errorf("%s (-want +got; go test -update accepts it):\n%s", name, diff)
		}
	}
}

// The numbers drawn are those of the results.
func TestThresholdFigure(t *testing.T) {
	s := study()
	f := Figures(s)[1]
	byLegend := map[string]Layer{}
	for _, l := range f.Panels[0].Layers {
		byLegend[l.Legend] = l
	}
	if got := byLegend["θ*"].X[0]; got != 0.7 {
		t.Errorf("θ* at %v, want 0.7", got)
	}
	if a, b := byLegend["nothing deferred"].Y[0], byLegend["everything deferred"].Y[0]; a != 10 || b != 110 {
		t.Errorf("costs of nothing and everything deferred %v and %v, want 100 − 90 and 100 + 10", a, b)
	}
	if diff := cmp.Diff([]float64{10, 30, 50, 110}, byLegend["test part"].Y); diff != "" {
		t.Errorf("costs on the test part (-want +got):\n%s", diff)
	}
	want := []Tick{{At: byLegend["test part"].X[0], Label: "0"}, {At: byLegend["test part"].X[3], Label: "100"}}
	for i, tick := range want {
		if f.Panels[0].Top[i] != tick {
			t.Errorf("deferral tick %d is %v, want %v", i, f.Panels[0].Top[i], tick)
		}
	}
	if got := f.Panels[1].Layers[0].Y[0]; got != 30 {
		t.Errorf("error of nothing deferred %v, want 30", got)
	}
}

// A study without what a figure needs has none, and no folder.
func TestNothingToDraw(t *testing.T) {
	s := study()
	s.Cascades[0].Datasets = []result.Dataset{{Name: "chain"}}
	dir := filepath.Join(t.TempDir(), "figures")
	paths, err := Write(s, dir, "", nil)
	if _, statErr := os.Stat(dir); err != nil || len(paths) != 0 || !os.IsNotExist(statErr) {
		t.Errorf("paths %v, error %v, folder %v", paths, err, statErr)
	}
}

// Ticks are round, inside the axis, and never too many.
func TestRoundTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		high := low + math.Exp(rapid.Float64Range(-12, 12).Draw(t, "width"))
		if high-low < 1e-9*math.Abs(low) {
			return
		}
		most := rapid.IntRange(2, 8).Draw(t, "most")
		ticks := round(low, high, most)
		if len(ticks) == 0 || len(ticks) > most {
			t.Fatalf("%d ticks from %v to %v, want 1 to %d", len(ticks), low, high, most)
		}
		room := 1e-6 * (high - low)
		for _, tick := range ticks {
			if tick.At < low-room || tick.At > high+room {
				t.Fatalf("tick %v is outside %v to %v", tick.At, low, high)
			}
		}
	})
	for _, c := range []struct {
		low, high float64
		most      int
		want      string
	}{
		{low: 0, high: 1, most: 6, want: "0 0.2 0.4 0.6 0.8 1.0"},
		{low: -0.03, high: 0.02, most: 3, want: "−0.02 0 0.02"},
		{low: 0, high: 27.5, most: 6, want: "0 5 10 15 20 25"},
		{low: 0, high: 9, most: 4, want: "0 2.5 5.0 7.5"},
	} {
		var got []string
		for _, tick := range round(c.low, c.high, c.most) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("ticks from %v to %v: %v, want %s", c.low, c.high, got, c.want)
		}
	}
}

// The LaTeX source compiles as it stands.
func TestTikZCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a document")
	}
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip("pdflatex is not on the PATH: install TeX Live with pgf to compile the figures")
	}
	if err := exec.Command("kpsewhich", "pgf.sty").Run(); err != nil {
		t.Skip("TeX has no pgf: install it (Debian: texlive-pictures)")
	}
	dir := t.TempDir()
	document := "\\documentclass[twocolumn]{article}\n\\usepackage{pgf}\n\\begin{document}\n"
	for name, data := range write(t, study()) {
		if strings.HasSuffix(name, ".tex") {
			name = strings.ReplaceAll(name, "/", "-")
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
			env := "figure"
			if strings.Contains(name, "classes") {
				env = "figure*"
			}
			document += "\\begin{" + env + "}\\input{" + name + "}\\end{" + env + "}\n\\clearpage\n"
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "all.tex"), []byte(document+"\\end{document}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex")
	run.Dir = dir
	out, err := run.CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	if i := bytes.Index(out, []byte("Overfull")); i >= 0 {
		t.Errorf("a figure sticks out of its column: %s", out[i:min(len(out), i+100)])
	}
}
