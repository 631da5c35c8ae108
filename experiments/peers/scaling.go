package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"infnet/reports/figure"
)

// series is one work at several sizes.
type series struct {
	name   string
	legend string
	sizes  []int
	at     func(n int) work
	look   figure.Look
}

// grown are the works whose time and memory are drawn against their size, of
// which a work's first peer is drawn too.
var grown = []series{
	{"trees", "trees, 100 columns", []int{2_000, 6_400, 20_000, 64_000, 200_000, 640_000},
		func(n int) work {
			w := boosted("trees", "", n, 100)
			w.peers = w.peers[:1]
			return w
		}, figure.Look{Colour: "blue", Mark: figure.Disc}},
	{"thresholds", "thresholds, 6 classes", []int{10_000, 100_000, 1_000_000, 10_000_000},
		func(n int) work { return work{ours: thresholds(n, 6)} }, figure.Look{Colour: "orange", Mark: figure.Square}},
	{"frontier", "frontier, 6 classes", []int{10_000, 100_000, 1_000_000},
		func(n int) work { return work{ours: frontier(n, 6)} }, figure.Look{Colour: "green", Mark: figure.Triangle}},
	{"fit", "infnet fit, CSV", []int{1_000, 10_000, 100_000, 1_000_000},
		func(n int) work { return work{data: logOf(n), ours: fitLog} },
		figure.Look{Colour: "vermilion", Mark: figure.Diamond}},
	{"analyze", "infnet analyze", []int{1_000, 10_000, 100_000, 1_000_000},
		func(n int) work { return simulatedStudy("", "", n, 4) }, figure.Look{Colour: "black", Mark: figure.Cross}},
}

// sized returns the works of a series, named series@size.
func (s series) sized() []work {
	var all []work
	for _, n := range s.sizes {
		w := s.at(n)
		w.name, w.title = fmt.Sprintf("%s@%d", s.name, n), fmt.Sprintf("%s, %d", s.legend, n)
		all = append(all, w)
	}
	return all
}

// curveOf is one curve: a program's time and memory at each size.
type curveOf struct {
	legend    string
	look      figure.Look
	n         []float64
	cpu, peak []float64
}

// scaling measures every series, prints a table and draws the figure.
func scaling(ctx context.Context, o options, out io.Writer) error {
	dir, end, err := prepare(ctx, &o)
	if err != nil {
		return err
	}
	defer end()
	fmt.Fprintf(out, "%s. Processor seconds of one thread, the least of %d runs; peak resident memory; "+
		"the slope is that of the logarithms, from the third largest size to the largest.\n\n", about(), o.runs)
	fmt.Fprintln(out, "| Work | Size | Seconds | MiB |")
	fmt.Fprintln(out, "|---|--:|--:|--:|")
	var curves []*curveOf
	for _, s := range grown {
		ours := &curveOf{legend: s.legend, look: s.look}
		peer := &curveOf{look: s.look}
		peer.look.Mark, peer.look.Dashes = figure.Ring, []float64{3, 2}
		for i, w := range s.sized() {
			rows, err := w.measure(ctx, o, dir)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			ours.add(s.sizes[i], rows[0])
			fmt.Fprintf(out, "| %s | %d | %s | %.0f |\n", s.legend, s.sizes[i], digits(rows[0].cpu), rows[0].peak)
			if len(rows) > 1 && rows[1].missing == "" {
				peer.legend = w.peers[0]
				peer.add(s.sizes[i], rows[1])
				fmt.Fprintf(out, "| %s | %d | %s | %.0f |\n", rows[1].program, s.sizes[i], digits(rows[1].cpu), rows[1].peak)
			}
		}
		curves = append(curves, ours)
		if peer.legend != "" {
			curves = append(curves, peer)
		}
	}
	fmt.Fprintln(out, "\n| Work | Slope of time | Slope of memory |\n|---|--:|--:|")
	for _, c := range curves {
		fmt.Fprintf(out, "| %s | %.2f | %.2f |\n", c.legend, slope(c.n, c.cpu), slope(c.n, c.peak))
	}
	return draw(curves, o)
}

func (c *curveOf) add(n int, r row) {
	c.n, c.cpu, c.peak = append(c.n, float64(n)), append(c.cpu, r.cpu), append(c.peak, r.peak)
}

// slope is that of log y against log x by least squares over the last three sizes.
func slope(x, y []float64) float64 {
	from := max(0, len(x)-3)
	var n, sx, sy, sxx, sxy float64
	for i := from; i < len(x); i++ {
		a, b := math.Log(x[i]), math.Log(y[i])
		n, sx, sy, sxx, sxy = n+1, sx+a, sy+b, sxx+a*a, sxy+a*b
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// draw writes the figure: time and memory against size, on logarithmic axes.
func draw(curves []*curveOf, o options) error {
	f := figure.Figure{Name: "scaling", Columns: 2, Wide: true,
		Caption: "Processor time and peak memory against the number of records."}
	for _, of := range []struct {
		label string
		value func(c *curveOf) []float64
	}{
		{"processor time, s", func(c *curveOf) []float64 { return c.cpu }},
		{"peak memory, MiB", func(c *curveOf) []float64 { return c.peak }},
	} {
		p := figure.Panel{X: figure.Axis{Label: "records"}, Y: figure.Axis{Label: of.label}}
		for _, c := range curves {
			p.Layers = append(p.Layers, figure.Layer{Kind: figure.Line, Look: c.look, Legend: c.legend,
				X: logarithms(&p.X, c.n), Y: logarithms(&p.Y, of.value(c))})
		}
		f.Panels = append(f.Panels, p)
	}
	if err := os.MkdirAll(o.scaling, 0o777); err != nil {
		return err
	}
	for ending, paint := range map[string]func() ([]byte, error){".svg": f.SVG, ".png": f.PNG} {
		picture, err := paint()
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(o.scaling, f.Name+ending), picture, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// logarithms returns log₁₀ of the values, and widens the axis to the powers of
// ten around them.
func logarithms(a *figure.Axis, values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log10(v)
		low, high := math.Floor(out[i]), math.Ceil(out[i])
		if a.Ticks == nil {
			a.Min, a.Max = low, high
		}
		a.Min, a.Max = min(a.Min, low), max(a.Max, high)
		a.Ticks = a.Ticks[:0]
		for e := a.Min; e <= a.Max; e++ {
			a.Ticks = append(a.Ticks, figure.Tick{At: e, Label: power(int(e))})
		}
	}
	return out
}

// power writes a power of ten as people read it.
func power(e int) string {
	if e >= -3 && e <= 3 {
		return fmt.Sprintf("%g", math.Pow10(e))
	}
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	sign := ""
	if e < 0 {
		sign, e = "⁻", -e
	}
	return "10" + sign + string(digits[e])
}
