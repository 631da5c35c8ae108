package figure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

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
func Write(s *result.Results, dir string, comment string, files Files) ([]string, error) {
	figures := slices.DeleteFunc(Figures(s), func(f Figure) bool {
		return !slices.Contains(s.Style.Drawn(), style.Kind(f.Kind))
	})
	if len(figures) == 0 {
		return nil, nil
	}
	painted := make([][]picture, len(figures))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range figures {
		g.Go(func() (err error) {
			painted[i], err = figures[i].pictures(comment, s.Style.Formats())
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var paths []string
	for _, p := range flatten(painted) {
		path := filepath.Join(dir, filepath.FromSlash(p.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return paths, fmt.Errorf("create the folder for figures: %w", err)
		}
		if err := files.Save(path, p.data); err != nil {
			return paths, fmt.Errorf("write figure %s: %w", path, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Files are where figures go.
type Files struct {
	// Save writes one file, all of it or nothing.
	Save func(path string, data []byte) error
}

// picture is a file's name and content.
type picture struct {
	name string
	data []byte
}

func flatten(lists [][]picture) (all []picture) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// ending is the ending of a format's files.
func ending(f style.Format) string {
	if f == style.TikZ {
		return ".tex"
	}
	return "." + string(f)
}

// pictures draws a figure in the formats that are wanted.
func (f *Figure) pictures(comment string, wanted []style.Format) ([]picture, error) {
	f.clean()
	var out []picture
	for _, format := range style.Formats() {
		if !slices.Contains(wanted, format) {
			continue
		}
		data, err := f.draw(format, comment)
		if err != nil {
			return nil, fmt.Errorf("draw figure %s%s: %w", f.Name, ending(format), err)
		}
		out = append(out, picture{f.Name + ending(format), data})
	}
	return out, nil
}

// draw draws a figure in one format.
func (f *Figure) draw(format style.Format, comment string) ([]byte, error) {
	switch format {
	case style.SVG:
		return f.SVG()
	case style.PDF:
		return f.PDF()
	case style.TikZ:
		return append([]byte("% "+comment+"\n"), f.TikZ()...), nil
	}
	return f.PNG()
}

// clean makes every text harmless: names come from specs and datasets.
func (f *Figure) clean() {
	for i := range f.Panels {
		p := &f.Panels[i]
		lines := bytes.Split([]byte(p.Title), []byte("\n"))
		for j := range lines {
			lines[j] = []byte(table.Clean(string(lines[j])))
		}
		p.Title = string(bytes.Join(lines, []byte("\n")))
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
