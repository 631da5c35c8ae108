package figure

import (
	"fmt"
	"math"
	"path"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"

	"infnet/harness/calc"
	"infnet/harness/result"
	"infnet/reports/table"
)

// printable reports whether the figures' typeface has every letter of a text,
// and there is one.
func printable(text string) bool {
	face := font.DefaultCache.Lookup(serif(smallSize), smallSize).Face
	var b sfnt.Buffer
	for _, r := range text {
		if glyph, err := face.GlyphIndex(&b, r); err != nil || glyph == 0 {
			return false
		}
	}
	return strings.TrimSpace(text) != ""
}

// round are at most so many round places from low to high, a step of 1, 2, 2.5
// or 5 times a power of ten apart, with their numbers; none in a range too
// narrow for numbers to tell its places apart.
func round(low, high float64, most int) []Tick {
	narrow := max(1e-12*max(math.Abs(low), math.Abs(high)), 1e-300)
	if !(high-low > narrow) || math.IsInf(high-low, 0) {
		return nil
	}
	for step := calc.Pow(10, math.Floor(calc.Log10((high-low)/float64(most)))-1); ; step *= 10 {
		for _, times := range []float64{1, 2, 2.5, 5} {
			s := times * step
			first := math.Ceil(low/s - 1e-9)
			last := math.Floor(high/s + 1e-9)
			if last-first+1 > float64(most) {
				continue
			}
			var out []Tick
			for i := first; i <= last; i++ {
				out = append(out, Tick{i * s, number(i*s, s)})
			}
			return out
		}
	}
}

// number prints a tick's place with as many digits as the step has.
func number(x, step float64) string {
	digits := 0
	for scaled := step; digits < 12 && math.Abs(scaled-math.Round(scaled)) > 1e-6; digits++ {
		scaled *= 10
	}
	if math.Abs(x) < step/2 {
		return "0"
	}
	return strings.ReplaceAll(fmt.Sprintf("%.*f", digits, x), "-", "−")
}

func brief(name string) string { return table.Cut(name, 24) }

// ends cuts a model's name in the middle: what tells models apart stands at the
// end as often as at the beginning.
func ends(name string) string {
	const longest = 24
	if r := []rune(name); len(r) > longest {
		return string(r[:longest/2-1]) + "…" + string(r[len(r)-longest/2:])
	}
	return name
}

// name gives every figure its name: a short one, all different. The cascade is part of it only where there are several.
func name(s *result.Results, all []Figure) {
	several, seen := len(s.Cascades) > 1, map[string]int{}
	cascades, datasets := table.Segments{}, table.Segments{}
	for i := range s.Cascades {
		cascades.Of(s.Cascades[i].Name) // in the study's order, as tables have it
		for j := range s.Cascades[i].Datasets {
			datasets.Of(s.Cascades[i].Datasets[j].Name)
		}
	}
	for i := range all {
		f := &all[i]
		var parts []string
		if several && f.Of != "" {
			parts = append(parts, cascades.Of(f.Of))
		}
		if f.Dataset != "" {
			parts = append(parts, datasets.Of(f.Dataset))
		}
		parts = append(parts, f.Kind)
		if f.Part != "" {
			parts[len(parts)-1] += "-" + f.Part
		}
		f.Name = path.Join(parts...)
		if seen[f.Name]++; seen[f.Name] > 1 {
			f.Name += fmt.Sprintf("-%d", seen[f.Name])
		}
	}
}
