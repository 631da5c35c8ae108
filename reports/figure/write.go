package figure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"infnet/harness/result"
	"infnet/reports/table"
)

// Index is the name of the file that shows all figures.
const Index = "figures.md"

// Write draws the study's figures into dir, which it creates where there is a
// figure to draw, and returns the paths in the order written:
//
//	NAME.svg, NAME.pdf, NAME.png   one column of a paper wide, two where it must be
//	NAME.tex                       pgfplots source of the same
//	figures.md                     all of them with their captions
//
// save writes one file, all of it or nothing. Equal studies give equal bytes,
// whatever the number of processors. The first failure ends the writing.
func Write(s *result.Results, dir string, comment string, save func(path string, data []byte) error) ([]string, error) {
	figures := Figures(s)
	if len(figures) == 0 {
		return nil, nil
	}
	painted := make([][]picture, len(figures))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range figures {
		g.Go(func() (err error) {
			painted[i], err = figures[i].pictures(comment)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("create the folder for figures: %w", err)
	}
	var paths []string
	for _, p := range append(flatten(painted), picture{Index, index(s, figures, comment)}) {
		path := filepath.Join(dir, p.name)
		if err := save(path, p.data); err != nil {
			return paths, fmt.Errorf("write figure %s: %w", path, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
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

// pictures draws a figure in every format.
func (f *Figure) pictures(comment string) ([]picture, error) {
	f.clean()
	var out []picture
	for _, format := range []struct {
		ending string
		draw   func() ([]byte, error)
	}{{".svg", f.SVG}, {".pdf", f.PDF}, {".png", f.PNG}, {".tex", func() ([]byte, error) {
		return append([]byte("% "+comment+"\n"), f.TikZ()...), nil
	}}} {
		data, err := format.draw()
		if err != nil {
			return nil, fmt.Errorf("draw figure %s%s: %w", f.Name, format.ending, err)
		}
		out = append(out, picture{f.Name + format.ending, data})
	}
	return out, nil
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

// index shows all figures in Markdown.
func index(s *result.Results, figures []Figure, comment string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!-- %s -->\n\n# Figures: %s\n", comment, table.Markdown(s.Name))
	if text := undrawn(s); text != "" {
		fmt.Fprintf(&b, "\n%s\n", table.Markdown(text))
	}
	for i := range figures {
		f := &figures[i]
		fmt.Fprintf(&b, "\n![%s](%s.svg)\n\n**Figure %d.** %s", f.Name, f.Name, i+1, table.Markdown(f.Caption))
		for _, n := range f.Notes {
			fmt.Fprintf(&b, " %s", table.Markdown(n))
		}
		fmt.Fprintf(&b, "\n\n[PDF](%s.pdf) · [PNG](%s.png) · [pgfplots](%s.tex)\n", f.Name, f.Name, f.Name)
	}
	return b.Bytes()
}
