package figure

import (
	"math"
	"slices"

	"infnet/harness/calc"
)

// Offset is how far a mark is from its place, in points.
type Offset struct{ X, Y float64 }

const spreadNote = "Marks that would cover each other are moved aside; a thin line leads from each to its place."

// Marks closer than this cover each other, in points; those that are moved aside have at least this between them.
const (
	tooClose = 4.2
	between  = 6.5
)

type spot struct {
	layer, point int
	x, y         float64 // in points, from the lower left corner
}

// spread moves marks aside that would cover each other: around their place, in a circle. A place
// stays where it is: a line leads to it from the mark. It reports whether any mark is aside. wide
// and high are the panel's size in points.
func (p *Panel) spread(wide, high float64) bool {
	x0, x1, y0, y1 := p.ranges()
	var all []spot
	for i, l := range p.Layers {
		if l.Kind != Points || l.Low != nil || l.Look.Mark == NoMark {
			continue // what has bars cannot be moved
		}
		for k := range l.X {
			all = append(all, spot{i, k, wide * (l.X[k] - x0) / (x1 - x0), high * (l.Y[k] - y0) / (y1 - y0)})
		}
	}
	moved := false
	for _, group := range clusters(all) {
		if len(group) > 1 {
			p.circle(group, all, wide, high)
			moved = true
		}
	}
	return moved
}

// clusters are the groups of marks that cover each other, directly or by others between them.
func clusters(all []spot) (out [][]spot) {
	seen := make([]bool, len(all))
	for i := range all {
		if seen[i] {
			continue
		}
		seen[i] = true
		group := []spot{all[i]}
		for k := 0; k < len(group); k++ {
			for j := range all {
				if !seen[j] && apart(all[j].x-group[k].x, all[j].y-group[k].y) < tooClose {
					seen[j] = true
					group = append(group, all[j])
				}
			}
		}
		out = append(out, group)
	}
	return out
}

// circle puts a group's marks around their middle, turned so that they stay in the panel and away from other marks.
func (p *Panel) circle(group, all []spot, wide, high float64) {
	var cx, cy float64
	for _, s := range group {
		cx, cy = cx+s.x/float64(len(group)), cy+s.y/float64(len(group))
	}
	n := len(group)
	radius := max(between, between/(2*calc.Sin(math.Pi/float64(max(n, 2)))))
	slices.SortStableFunc(group, func(a, b spot) int { return a.layer - b.layer })
	at := func(k, turn int) (x, y float64) {
		angle := 2*math.Pi*float64(k)/float64(n) + math.Pi*float64(turn)/12 + math.Pi/12
		return cx + float64(radius*calc.Cos(angle)), cy + float64(radius*calc.Sin(angle))
	}
	best, least := 0, math.Inf(1)
	for turn := range 24 {
		cost := 0.0
		for k := range n {
			x, y := at(k, turn)
			cost += max(0, 3-x) + max(0, x-wide+3) + max(0, 3-y) + max(0, y-high+3)
			for _, other := range all {
				if !slices.Contains(group, other) {
					cost += max(0, between-apart(other.x-x, other.y-y))
				}
			}
		}
		if cost < least-1e-9 {
			best, least = turn, cost
		}
	}
	for k, s := range group {
		x, y := at(k, best)
		l := &p.Layers[s.layer]
		if l.Aside == nil {
			l.Aside = make([]Offset, len(l.X))
		}
		l.Aside[s.point] = Offset{math.Round(10*(x-s.x)) / 10, math.Round(10*(y-s.y)) / 10}
	}
}

// Room around the axes of a panel, about, in points.
const (
	roomAside = 36 + 16
	roomAbove = 28 + 6
)

// tellApart moves the marks of a figure aside that would cover each other, and says so.
func (f *Figure) tellApart() {
	w, moved := columnWide, false
	if f.Wide {
		w = pageWide
	}
	for i := range f.Panels {
		if f.Panels[i].Apart {
			moved = f.Panels[i].spread(w.Points()/float64(f.Columns)-roomAside, panelHigh.Points()-roomAbove) || moved
		}
	}
	if moved {
		f.Notes = append(f.Notes, spreadNote)
	}
}

func apart(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }
