package figure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/sufficiency"
)

// addedLooks are what a cell of the matrix of signals says, and how it looks.
var addedLooks = []struct {
	verdict string
	look    Look
}{
	{result.Adds, Look{Colour: "blue", Shade: 0.8}},
	{result.NotShown, Look{Colour: "pale", Shade: 0.5}},
	{string(sufficiency.Undecided), Look{Colour: "orange", Shade: 0.8}},
	{result.Determined, Look{Colour: "grey", Shade: 0.75}},
}

// addedSignals is the matrix of which signal adds to which: a panel for each cascade and dataset.
func addedSignals(s *result.Results) (Figure, bool) {
	f := Figure{Kind: "signals"}
	var names []string // in every panel the same
	for _, c := range s.Cascades {
		for _, d := range c.Datasets {
			if d.Signals == nil {
				continue
			}
			for _, x := range d.Signals.Known() {
				if !slices.Contains(names, x) {
					names = append(names, x)
				}
			}
		}
	}
	for i := range s.Cascades {
		c := &s.Cascades[i]
		for _, d := range c.Datasets {
			if d.Signals == nil || len(d.Signals.Adds) == 0 {
				continue
			}
			p := addedPanel(d.Signals, names, len(f.Panels)%abreast == 0)
			p.Title = titled(d.Name, len(f.Panels))
			if len(s.Cascades) > 1 {
				p.Title = titled(strings.Join(c.Models, " → "), len(f.Panels)) + "\n" + p.Title
			}
			f.Panels = append(f.Panels, p)
		}
	}
	f.Columns, f.Wide = min(len(f.Panels), abreast), len(f.Panels) > 1
	f.Caption = "Does a signal (across) tell more of where the student is wrong and the master right, once another one " +
		"(down) is known? Tests on the fit part, adjusted over all pairs."
	if len(s.StandInModels()) > 0 {
		f.Caption = "STAND-IN MODELS. " + f.Caption
	}
	return f, len(f.Panels) > 0
}

// addedPanel is one matrix: the known signal down, the tested one across. Only the first panel of a row has the names.
func addedPanel(s *result.Signals, names []string, named bool) Panel {
	n := float64(len(names))
	p := Panel{X: Axis{Label: "tested", Min: 0.4, Max: n + 0.6}, Y: Axis{Min: 0.4, Max: n + 0.6}}
	if named {
		p.Y.Label = "known"
	}
	for k, name := range names {
		number := strconv.Itoa(k + 1)
		p.X.Ticks = append(p.X.Ticks, Tick{At: float64(k + 1), Label: number})
		if named {
			number = fmt.Sprintf("%s %s", brief(name), number)
		}
		p.Y.Ticks = append(p.Y.Ticks, Tick{At: n - float64(k), Label: number})
	}
	for _, x := range addedLooks {
		l := Layer{Kind: Cells, Look: x.look, Legend: x.verdict}
		for i := range s.Adds {
			if a := &s.Adds[i]; a.Verdict(s.Alpha) == x.verdict {
				l.X = append(l.X, float64(1+slices.Index(names, a.Adds)))
				l.Y = append(l.Y, n-float64(slices.Index(names, a.Given)))
			}
		}
		if len(l.X) > 0 {
			p.Layers = append(p.Layers, l)
		}
	}
	return p
}
