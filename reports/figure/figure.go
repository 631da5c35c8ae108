// Package figure draws what a study found: what every model costs and how often it errs, cost and error against the
// threshold and of every policy, reliability, and what comes of other settings, data and signals. It owns which figures
// there are and how they look; every number comes from the results, and nothing is computed that a table could
// contradict.
//
// A figure is described once (Figure) and painted by gonum/plot as SVG and PDF. Equal results give equal bytes. Its
// opinion: a figure is one column of a two-column paper wide unless it cannot be, its text is as large as a caption's,
// and a line is told from its neighbour by its dashes and marks as well as by its colour, so that greyscale and colour
// blindness lose nothing.
package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/result"
)

// Figure is one figure of a paper.
type Figure struct {
	Name    string   // of its files, without the extension: DATASET/KIND, after CASCADE/ where there are several
	Kind    string   // what is drawn: frontier, threshold, …
	Part    string   // which of several of a kind; "" = there is one
	Of      string   // the cascade
	Dataset string   // "" = all
	Caption string   // one or two sentences, in words
	Notes   []string // caveats that belong under it
	Columns int      // of panels
	Wide    bool     // two columns of a paper wide
	Panels  []Panel  // row by row
}

// Panel is a pair of axes and what is drawn between them.
type Panel struct {
	Title  string
	X, Y   Axis
	Top    []Tick // of a second axis above, "" = none
	TopIs  string // what the second axis measures
	Layers []Layer
}

// Axis is a range with its meaning. Min = Max = 0 is the range of the layers.
type Axis struct {
	Label    string
	Min, Max float64
	Share    bool   // a share in percent: begins at 0, never goes beyond 100
	Ticks    []Tick // nil = chosen
}

// Tick is a marked place on an axis.
type Tick struct {
	At    float64
	Label string
}

// Kind is how a layer is drawn.
type Kind int

// The kinds. Of X, Y, Low and High a kind reads those it names.
const (
	Line   Kind = iota // X, Y joined in order
	Stairs             // X, Y: Y holds from its X to the next
	Points             // marks at X, Y; with Low and High bars from one to the other
	Band               // the area between Low and High over X
	Down               // a vertical line at X[0]
	Cells              // squares of a matrix around X, Y, with Texts
)

// Layer is one thing drawn in a panel.
type Layer struct {
	Kind      Kind
	Look      Look
	Legend    string // "" = none; one entry for equal texts
	X, Y      []float64
	Low, High []float64
	Texts     []string // in cells; nil = none
}

// Figures lists the figures of a study: the one of all models, then for each cascade and dataset those whose numbers
// there are, then those of its signals, its grid and its transfers. Chains of three models have no thresholds to draw.
func Figures(s *result.Results) []Figure {
	var all []Figure
	if f, ok := overview(s); ok {
		all = append(all, f)
	}
	for i := range s.Cascades {
		c := &s.Cascades[i]
		var shown looks
		var own []Figure
		for j := range c.Datasets {
			v := view{study: s, cascade: c, data: &c.Datasets[j], shown: &shown}
			for _, draw := range []func(*view) (Figure, bool){tradeoff, frontier, reliability} {
				if f, ok := draw(&v); ok {
					f.Of, f.Dataset = c.Name, v.data.Name
					own = append(own, f)
				}
			}
		}
		for j := range own {
			own[j].Caption = headed(s, c, own[j].Dataset, own[j].Caption)
		}
		all = append(all, own...)
	}
	if f, ok := addedSignals(s); ok {
		all = append(all, f)
	}
	all = append(all, grids(s)...)
	for i := range s.Transfer {
		all = append(all, transferred(&s.Transfer[i]))
	}
	name(s, all)
	return all
}

type view struct {
	study   *result.Results
	cascade *result.Cascade
	data    *result.Dataset
	shown   *looks // of the cascade's policies, the same on every dataset
}

func headed(s *result.Results, c *result.Cascade, datasets, caption string) string {
	head := fmt.Sprintf("%s, %s: ", strings.Join(c.Models, " → "), datasets)
	if c.Incomplete {
		head = "INCOMPLETE: " + head
	}
	if len(s.StandInModels()) > 0 {
		head = "STAND-IN MODELS. " + head
	}
	return head + caption
}

func costs(saved []float64) []float64 {
	out := make([]float64, len(saved))
	for i, s := range saved {
		out[i] = 100 - s
	}
	return out
}

func percents(shares []float64) []float64 {
	out := make([]float64, len(shares))
	for i, s := range shares {
		out[i] = 100 * s
	}
	return out
}

// extent is the range of finite values, widened by a share of it on each side.
func extent(by float64, lists ...[]float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range slices.Concat(lists...) {
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			low, high = min(low, x), max(high, x)
		}
	}
	if low > high {
		return 0, 1
	}
	if low == high {
		room := max(math.Abs(low)/2, 0.5)
		if low >= 0 {
			return max(0, low-room), high + room // shares and costs are never below 0
		}
		return low - room, high + room
	}
	return low - float64(by*(high-low)), high + float64(by*(high-low))
}
