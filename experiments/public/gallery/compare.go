package gallery

import (
	"context"
	"fmt"
	"slices"
)

// Gallery is what the records give: the comparisons in the order of the printed
// lines, and the curves of every set.
type Gallery struct {
	Book   *Book
	Lines  []Comparison
	Curves []SetCurves

	sets []*Set // in the order of Sets
}

// Compare computes our value of every line, from the folder that INFNET_DATA
// names, and the curves of the nine models' cascades.
func Compare(ctx context.Context, b *Book, data string) (*Gallery, error) {
	g := &Gallery{Book: b}
	if err := g.compare(ctx, data); err != nil {
		return nil, err
	}
	for _, s := range g.sets {
		c, err := s.curves()
		if err != nil {
			return nil, err
		}
		g.Curves = append(g.Curves, *c)
	}
	return g, nil
}

// compare reads the records and computes our value of every line.
func (g *Gallery) compare(ctx context.Context, data string) error {
	for _, name := range Sets {
		s, err := ReadSet(ctx, data, name)
		if err != nil {
			return err
		}
		g.sets = append(g.sets, s)
	}
	routed := map[string]*Routed{}
	for _, l := range g.Book.Lines {
		if l.Paper == rational || routed[l.Set] != nil {
			continue
		}
		s, err := ReadRouted(ctx, data, l.Set)
		if err != nil {
			return err
		}
		if routed[l.Set], err = NewRouted(s); err != nil {
			return err
		}
	}
	for _, l := range g.Book.Lines {
		ours, err := g.ours(l, routed[l.Set])
		if err != nil {
			return fmt.Errorf("%s, %s on %s: %w", l.Paper, l.Row, l.Set, err)
		}
		g.Lines = append(g.Lines, Comparison{l, ours})
	}
	return nil
}

// ours is our value of a line.
func (g *Gallery) ours(l Line, r *Routed) (Ours, error) {
	if l.Paper != rational {
		return r.compare(l)
	}
	i := slices.Index(Sets, l.Set)
	if i < 0 {
		return Ours{}, fmt.Errorf("no set %q; there are %v", l.Set, Sets)
	}
	return ofModels(g.sets[i], l)
}

// rational is the key of the paper whose models' answers make up the sets.
const rational = "rational-tuning"

// of lists the comparisons with one paper.
func (g *Gallery) of(paper string) []Comparison {
	return slices.DeleteFunc(slices.Clone(g.Lines), func(c Comparison) bool { return c.Paper != paper })
}
