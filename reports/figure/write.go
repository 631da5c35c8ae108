package figure

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
// Equal studies give equal bytes, whatever the number of processors. The first
// failure ends the writing.
func Write(s *result.Results, dir string, comment string, files Files) ([]string, error) {
	figures := Figures(s)
	if len(figures) == 0 {
		return nil, nil
	}
	painted := make([][]picture, len(figures))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range figures {
		g.Go(func() (err error) {
			painted[i], err = figures[i].pictures(comment, files)
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

	// Paint returns the picture of a drawing, which the caller may have from an earlier run: equal drawings have equal
	// pictures. nil = every picture is painted.
	Paint func(name, drawing string, anew func() ([]byte, error)) ([]byte, error)
}

// pictureCode is the version of what makes a PNG of a drawing: raise it where the same drawing gives another picture
// than before.
const pictureCode = 1

// drawing names what a figure shows, by all that its picture is made of: every other format, which are drawn by the
// same code.
func drawing(others []picture) string {
	h := sha256.New()
	for _, p := range others {
		fmt.Fprintf(h, "%d %q %d\n", pictureCode, p.name, len(p.data))
		h.Write(p.data)
	}
	return hex.EncodeToString(h.Sum(nil))
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
func (f *Figure) pictures(comment string, files Files) ([]picture, error) {
	f.clean()
	var out []picture
	for _, format := range []struct {
		ending string
		draw   func() ([]byte, error)
	}{{".svg", f.SVG}, {".pdf", f.PDF}, {".tex", func() ([]byte, error) {
		return append([]byte("% "+comment+"\n"), f.TikZ()...), nil
	}}, {".png", func() ([]byte, error) { // which takes most of the time
		if files.Paint == nil {
			return f.PNG()
		}
		return files.Paint(f.Name+".png", drawing(out), f.PNG)
	}}} {
		data, err := format.draw()
		if err != nil {
			return nil, fmt.Errorf("draw figure %s%s: %w", f.Name, format.ending, err)
		}
		out = append(out, picture{f.Name + format.ending, data})
	}
	out[2], out[3] = out[3], out[2]
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
