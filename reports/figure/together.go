package figure

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// Panels of a figure of several datasets: next to each other, and in rows, of which a page holds no more.
const (
	abreast  = 3
	mostRows = 3
)

// together are the figures of a cascade that show several datasets, of the kinds that the study asks for: the panels of
// the datasets' own figures next to each other.
func together(s *result.Results, c *result.Cascade, own []Figure) (out []Figure) {
	for _, kind := range style.Of(s.Style).Together {
		var list []Figure
		for _, f := range own {
			if f.Kind == string(kind) && (len(list) == 0 || len(f.Panels) == len(list[0].Panels)) {
				list = append(list, f)
			}
		}
		if len(list) < 2 {
			continue
		}
		most := abreast * max(1, mostRows/len(list[0].Panels))
		figures := (len(list) + most - 1) / most
		for part := range slices.Chunk(list, (len(list)+figures-1)/figures) { // about as many in each
			out = append(out, side(s, c, part))
		}
	}
	return out
}

// side puts figures of one kind next to each other.
func side(s *result.Results, c *result.Cascade, list []Figure) Figure {
	f := Figure{Kind: list[0].Kind, Of: c.Name, Columns: min(len(list), abreast), Wide: len(list) > 1}
	var names []string
	for first := 0; first < len(list); first += abreast {
		row := list[first:min(first+abreast, len(list))]
		for k := range row[0].Panels {
			for j := range f.Columns {
				if j >= len(row) {
					f.Panels = append(f.Panels, Panel{}) // nothing
					continue
				}
				p := row[j].Panels[k]
				p.Layers = slices.Clone(p.Layers) // their marks are moved aside in each figure anew
				if k == 0 {
					p.Title = strings.TrimSpace(titled(row[j].Dataset, len(names)) + "\n" + p.Title)
					names = append(names, table.Clean(row[j].Dataset))
				}
				if j > 0 {
					p.Y.Label = ""
				}
				f.Panels = append(f.Panels, p)
			}
		}
	}
	for len(f.Panels) > 0 && len(f.Panels[len(f.Panels)-1].Layers) == 0 {
		f.Panels = f.Panels[:len(f.Panels)-1]
	}
	text := list[0].Every
	if text == "" {
		text = list[0].Caption
	}
	f.Caption = headed(s, c, strings.Join(names, ", "), text)
	f.Notes = slices.DeleteFunc(slices.Clone(list[0].Notes), func(n string) bool { // what is true of one alone
		return slices.ContainsFunc(list, func(x Figure) bool { return !slices.Contains(x.Notes, n) })
	})
	return f
}

// titled is the name of a dataset above its panel.
func titled(name string, at int) string {
	if name = brief(table.Clean(name)); printable(name) {
		return name
	}
	return fmt.Sprintf("dataset %d", at+1)
}
