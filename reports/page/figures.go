package page

import (
	"fmt"
	"html/template"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/figure"
	"infnet/reports/table"
)

// figureBytes is what all figures may take. What is beyond is left out, with a note.
const figureBytes = 600_000

type shownFigure struct {
	ID      string
	Number  int
	Caption string
	Notes   []string
	Wide    bool
	Body    template.HTML
	Of      string // the cascade or the pool; "" where the study has only one
	Dataset string
}

type figureGroup struct {
	ID, Title string
	Figures   []shownFigure
	Print     bool // on paper too
}

// leading is the kind of the figure of all models.
const leading = "cost-error"

// Numbers are those of the figures.
func (g figureGroup) Numbers() string {
	first, last := g.Figures[0].Number, g.Figures[len(g.Figures)-1].Number
	if first == last {
		return fmt.Sprintf("Figure %d.", first)
	}
	return fmt.Sprintf("Figures %d–%d.", first, last)
}

// kinds are the kinds of figures in the order in which the page has them, and what they show, in words.
var kinds = []struct{ kind, title string }{{"cost-error", "Cost and error"},
	{"frontier", "Cost and error of each pair, all policies"}, {"threshold", "One threshold"},
	{"reliability", "Reliability: is the confidence right?"},
	{"signals", "Does a signal add to another?"}, {"grid", "Other settings"}, {"transfer", "Used on other data"}}

// figuresOf draws the figures, kind by kind, and numbers them in this order. The one of all models comes first, to
// stand beside the outcomes, where they are many, unless it is wide. left are left out: the page would be too large.
func figuresOf(r *result.Results, many bool) (first []shownFigure, groups []figureGroup, left int, err error) {
	list := figure.Figures(r)
	size, number, several := 0, 0, len(r.Cascades)+len(r.Pools) > 1
	draw := func(of func(f *figure.Figure) bool) (out []shownFigure) {
		for i := range list {
			switch f := &list[i]; {
			case err != nil || !of(f):
			case size > figureBytes:
				left++
			default:
				var x shownFigure
				number++
				x, err = shown(f, number, several)
				size, out = size+len(x.Body), append(out, x)
			}
		}
		return out
	}
	leads := func(f *figure.Figure) bool { return many && f.Kind == leading && !f.Wide }
	first = draw(leads)
	for _, k := range kinds {
		g := figureGroup{ID: "figures-" + k.kind, Title: k.title, Print: k.kind == leading}
		g.Figures = draw(func(f *figure.Figure) bool { return f.Kind == k.kind && !leads(f) })
		if len(g.Figures) > 0 {
			groups = append(groups, g)
		}
	}
	return first, groups, left, err
}

func shown(f *figure.Figure, number int, several bool) (out shownFigure, err error) {
	svg, err := f.Draw(style.SVG)
	if err != nil {
		return out, fmt.Errorf("draw figure %s: %w", f.Name, err)
	}
	out = shownFigure{ID: "fig-" + strings.ReplaceAll(f.Name, "/", "-"), Number: number, Caption: table.Clean(f.Caption),
		Wide: f.Wide, Dataset: table.Clean(f.Dataset)}
	if several {
		out.Of = table.Clean(f.Of)
	}
	for _, n := range f.Notes {
		out.Notes = append(out.Notes, table.Clean(n))
	}
	body, err := inline(svg, out.Caption)
	if err != nil {
		return out, fmt.Errorf("figure %s: %w", f.Name, err)
	}
	out.Body = template.HTML(body)
	return out, nil
}
