package page

import (
	"fmt"
	"html/template"
	"strings"

	"infnet/harness/result"
	"infnet/reports/figure"
	"infnet/reports/table"
)

// Limits of the figures: those of the first screen, and bytes of all. What is beyond is left out, with a note.
const (
	firstFigures = 4
	figureBytes  = 600_000
)

// shownFigure is a figure with its caption.
type shownFigure struct {
	ID      string
	Number  int
	Caption string
	Notes   []string
	Wide    bool
	Body    template.HTML
	Kind    string // what it shows, in words
	Of      string // the cascade or the pool; "" where the study has only one
	Dataset string

	kind  string
	first bool // on the first screen
}

// kinds are what figures show, in words.
var kinds = map[string]string{"frontier": "Cost and error", "threshold": "One threshold", "reliability": "Reliability",
	"boundaries": "Errors at the thresholds", "classes": "One threshold or several", "permutations": "Permutations",
	"pool": "The pool"}

// drawings are the figures of the page.
type drawings struct {
	all  []shownFigure
	left int // left out
}

// figuresOf draws the figures. The cost–error figures come before the others where there is not room for all.
func figuresOf(r *result.Results, used *ink) (*drawings, error) {
	d := &drawings{}
	list := figure.Figures(r)
	size, leading := 0, 0
	keep := make([]bool, len(list))
	for _, leads := range []bool{true, false} {
		for i := range list {
			if (list[i].Kind == "frontier") != leads {
				continue
			}
			if size > figureBytes {
				d.left++
				continue
			}
			svg, err := list[i].SVG()
			if err != nil {
				return nil, fmt.Errorf("draw figure %s: %w", list[i].Name, err)
			}
			size += len(svg) * 4 / 5 // what is left of it without its styles
			keep[i] = true
		}
	}
	for i := range list {
		if !keep[i] {
			continue
		}
		f, err := shown(&list[i], i+1, len(r.Cascades)+len(r.Pools) > 1, used)
		if err != nil {
			return nil, err
		}
		if f.kind == "frontier" && leading < firstFigures {
			leading++
			f.first = true
		}
		d.all = append(d.all, f)
	}
	return d, nil
}

func shown(f *figure.Figure, number int, several bool, used *ink) (out shownFigure, err error) {
	svg, err := f.SVG()
	if err != nil {
		return out, fmt.Errorf("draw figure %s: %w", f.Name, err)
	}
	out = shownFigure{ID: strings.ReplaceAll(f.Label, ":", "-"), Number: number, Caption: table.Clean(f.Caption),
		Wide: f.Wide, kind: f.Kind, Kind: kinds[f.Kind], Dataset: table.Clean(f.Dataset)}
	if out.Kind == "" {
		out.Kind = table.Clean(f.Kind)
	}
	if several {
		out.Of = table.Clean(f.Of)
	}
	for _, n := range f.Notes {
		out.Notes = append(out.Notes, table.Clean(n))
	}
	body, err := used.figure(svg, out.Caption)
	if err != nil {
		return out, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	out.Body = template.HTML(body)
	return out, nil
}

// first are the figures of the first screen.
func (d *drawings) first() (out []shownFigure) {
	for _, f := range d.all {
		if f.first {
			out = append(out, f)
		}
	}
	return out
}

// in are the figures of a section of the page.
func (d *drawings) in(section string) (out []shownFigure) {
	of := map[string]string{"reliability": "calibration", "permutations": "sufficiency"}
	for _, f := range d.all {
		where := of[f.kind]
		if where == "" {
			where = "figures"
		}
		if !f.first && where == section {
			out = append(out, f)
		}
	}
	return out
}
