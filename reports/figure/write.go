package figure

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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

// Index is the name of the file that shows all figures.
const Index = "figures.md"

// Write draws the study's figures into dir, which it creates where there is a
// figure to draw, and returns the paths in the order written:
//
//	NAME.svg, NAME.pdf   one column of a paper wide, two where it must be
//	NAME.png             the same, where it is asked for
//	NAME.tex             pgfplots source of the same, where it is asked for
//	figures.md           all of them with their captions
//
// A NAME is a path: a folder per dataset, in one per cascade where there are several.
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
			painted[i], err = figures[i].pictures(comment, style.Of(s.Style).Formats(), files)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var paths []string
	for _, p := range append(flatten(painted), picture{Index, index(s, figures, comment)}) {
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

	// Paint returns the picture of a drawing, which the caller may have from an earlier run: equal drawings have equal
	// pictures. nil = every picture is painted.
	Paint func(name, drawing string, anew func() ([]byte, error)) ([]byte, error)
}

// pictureCode is the version of what makes a PNG of a drawing: raise it where the same drawing gives another picture
// than before.
const pictureCode = 2

// drawing names what a figure shows, by its SVG, which is drawn by the same code.
func drawing(name string, svg []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %q\n", pictureCode, name)
	h.Write(svg)
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

// ending is the ending of a format's files.
func ending(f style.Format) string {
	if f == style.PGFPlots {
		return ".tex"
	}
	return "." + string(f)
}

// pictures draws a figure in the formats that are wanted.
func (f *Figure) pictures(comment string, wanted []style.Format, files Files) ([]picture, error) {
	f.clean()
	var out []picture
	for _, format := range style.Formats() {
		if !slices.Contains(wanted, format) {
			continue
		}
		data, err := f.draw(format, comment, files)
		if err != nil {
			return nil, fmt.Errorf("draw figure %s%s: %w", f.Name, ending(format), err)
		}
		out = append(out, picture{f.Name + ending(format), data})
	}
	return out, nil
}

// draw draws a figure in one format.
func (f *Figure) draw(format style.Format, comment string, files Files) ([]byte, error) {
	switch format {
	case style.SVG:
		return f.SVG()
	case style.PDF:
		return f.PDF()
	case style.PGFPlots:
		return append([]byte("% "+comment+"\n"), f.TikZ()...), nil
	}
	if files.Paint == nil {
		return f.PNG()
	}
	svg, err := f.SVG() // painting a PNG takes most of the time, and an SVG says what it shows
	if err != nil {
		return nil, err
	}
	return files.Paint(f.Name+".png", drawing(f.Name, svg), f.PNG)
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
	formats := style.Of(s.Style).Formats()
	for i := range figures {
		f := &figures[i]
		b.WriteString("\n")
		for _, shown := range []style.Format{style.SVG, style.PNG} { // what Markdown shows
			if slices.Contains(formats, shown) {
				fmt.Fprintf(&b, "![%s](%s%s)\n\n", f.Name, f.Name, ending(shown))
				break
			}
		}
		fmt.Fprintf(&b, "**Figure %d.** %s", i+1, table.Markdown(f.Caption))
		for _, n := range f.Notes {
			fmt.Fprintf(&b, " %s", table.Markdown(n))
		}
		fmt.Fprintf(&b, "\n\n`\\label{%s}`", f.Label)
		for _, format := range style.Formats() {
			if slices.Contains(formats, format) {
				fmt.Fprintf(&b, " · [%s](%s%s)", formatName(format), f.Name, ending(format))
			}
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// formatName is what people call a format.
func formatName(f style.Format) string {
	if f == style.PGFPlots {
		return string(f)
	}
	return strings.ToUpper(string(f))
}
