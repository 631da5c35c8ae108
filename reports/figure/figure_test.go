package figure

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
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
	_, err := Write(s, dir, func(path string, data []byte) error {
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Every figure is there in both formats, each is what its ending says, and the same study gives the same bytes.
func TestFormats(t *testing.T) {
	files, again := write(t, study()), write(t, study())
	kinds := []string{"threshold", "frontier", "reliability"}
	if want := 2 * (1 + len(kinds)); len(files) != want {
		t.Errorf("%d files, want %d", len(files), want)
	}
	for _, kind := range kinds {
		svg, pdf := files["reviews/"+kind+".svg"], files["reviews/"+kind+".pdf"]
		d := xml.NewDecoder(bytes.NewReader(svg))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s.svg is no XML: %v", kind, err)
				break
			}
		}
		if len(svg) < 1000 || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Errorf("%s: %d bytes of SVG, PDF begins %q", kind, len(svg), pdf[:min(5, len(pdf))])
		}
		if bytes.Contains(pdf, []byte("/Font ")) && bytes.Contains(pdf, []byte("/FontFile")) {
			t.Errorf("%s.pdf embeds a font", kind)
		}
	}
	for name, data := range files {
		if !bytes.Equal(data, again[name]) {
			t.Errorf("%s has other bytes the second time", name)
		}
		for _, bad := range []string{"\x1b[31m", "NaN"} {
			if strings.HasSuffix(name, ".svg") && bytes.Contains(data, []byte(bad)) {
				t.Errorf("%s holds %q", name, bad)
			}
		}
	}
}

// What is drawn, to the byte, in the format that is text.
func TestGolden(t *testing.T) {
	files := write(t, study())
	for _, name := range []string{"reviews/threshold.svg", "cost-error.svg"} {
		golden(t, filepath.Base(name), files[name])
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; go test -update accepts it):\n%s", path, diff)
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
	paths, err := Write(s, dir, nil)
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

// All datasets are in one figure of the study: a panel each, on one axis of costs.
func TestCostError(t *testing.T) {
	s := study()
	d := s.Cascades[0].Datasets[0]
	s.Cascades[0].Datasets = nil
	for _, name := range []string{"one", "two", "三", "four"} {
		d.Name = name
		s.Cascades[0].Datasets = append(s.Cascades[0].Datasets, d)
	}
	f := Figures(s)[0]
	var titles []string
	for _, p := range f.Panels {
		titles = append(titles, p.Title)
		if p.X.Min != f.Panels[0].X.Min || p.X.Max != f.Panels[0].X.Max {
			t.Errorf("%s: costs from %v to %v", p.Title, p.X.Min, p.X.Max)
		}
	}
	want := []string{"one", "two", "dataset 3", "four"} // the typeface has no 三
	if f.Name != "cost-error" || !f.Wide || !slices.Equal(titles, want) {
		t.Errorf("%s: panels %q, want %q", f.Name, titles, want)
	}
}
