package figure

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// Write draws the study's figures into dir, which it creates where there is a
// figure to draw, and returns the paths in the order written:
//
//	NAME.svg, NAME.pdf   one column of a paper wide, two where it must be
//	NAME.png             the same, where it is asked for
//	NAME.tex             the same for LaTeX, where it is asked for
//
// Of the kinds that the study draws, in its formats.
// A NAME is a path: a folder per dataset, in one per cascade where there are several.
// Equal studies give equal bytes, whatever the number of processors. The first
// failure ends the writing.
func Write(s *result.Results, dir, comment string, save func(path string, data []byte) error) ([]string, error) {
	figures := slices.DeleteFunc(Figures(s), func(f Figure) bool {
		return !slices.Contains(s.Style.Drawn(), style.Kind(f.Kind))
	})
	wanted := s.Style.Formats()
	formats := slices.DeleteFunc(style.Formats(), func(f style.Format) bool { return !slices.Contains(wanted, f) })
	painted := make([][][]byte, len(figures)) // by figure, by format
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range figures {
		g.Go(func() error {
			figures[i].clean()
			for _, format := range formats {
				data, err := figures[i].Draw(format, comment)
				if err != nil {
					return fmt.Errorf("draw figure %s as %s: %w", figures[i].Name, format, err)
				}
				painted[i] = append(painted[i], data)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var paths []string
	for i := range figures {
		path := filepath.Join(dir, filepath.FromSlash(figures[i].Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return paths, fmt.Errorf("create the folder for figures: %w", err)
		}
		for k, format := range formats {
			file := path + "." + string(format)
			if format == style.TikZ {
				file = path + ".tex"
			}
			if err := save(file, painted[i][k]); err != nil {
				return paths, fmt.Errorf("write figure %s: %w", file, err)
			}
			paths = append(paths, file)
		}
	}
	return paths, nil
}

// clean makes every text harmless: names come from specs and datasets.
func (f *Figure) clean() {
	for i := range f.Panels {
		p := &f.Panels[i]
		above, below, two := strings.Cut(p.Title, "\n")
		if p.Title = table.Clean(above); two {
			p.Title += "\n" + table.Clean(below)
		}
		for _, ticks := range [][]Tick{p.X.Ticks, p.Y.Ticks} {
			for j := range ticks {
				ticks[j].Label = table.Clean(ticks[j].Label)
			}
		}
		for j := range p.Layers {
			p.Layers[j].Legend = table.Clean(p.Layers[j].Legend)
		}
	}
}
