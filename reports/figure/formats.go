package figure

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/sync/errgroup"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
	"gonum.org/v1/plot/vg/vgtex"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// dotsPerInch of PNG files: what printers ask for.
const dotsPerInch = 300

// timeless makes PDF files depend on nothing but their content. The library
// keeps these settings for the whole process.
var timeless = sync.OnceFunc(func() {
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
})

// Draw draws the figure in one format: SVG, whose text stays text; PNG, at 300 dots per inch; PDF, whose text is drawn
// as outlines, as the library behind it knows no Greek letters and a paper needs no further fonts; and TikZ.
func (f *Figure) Draw(format style.Format, comment string) ([]byte, error) {
	var to io.WriterTo
	switch w, h := f.size(); format {
	case style.SVG:
		return f.svg(w, h)
	case style.PDF:
		timeless()
		c := vgpdf.New(w, h)
		f.paint(outlined{c})
		to = c
	case style.TikZ:
		return append([]byte("% "+comment+"\n"), f.tikz()...), nil
	default:
		c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dotsPerInch))
		f.paint(c)
		to = vgimg.PngCanvas{Canvas: c}
	}
	var b bytes.Buffer
	_, err := to.WriteTo(&b)
	return b.Bytes(), err
}

// outlined is a PDF canvas that draws text as the outlines of its letters.
type outlined struct{ *vgpdf.Canvas }

// FillString fills the outlines of a text.
func (c outlined) FillString(face font.Face, at vg.Point, text string) {
	var b sfnt.Buffer
	em := fixed.Int26_6(face.Face.UnitsPerEm())
	scale := face.Font.Size / vg.Length(em)
	x := at.X
	var before sfnt.GlyphIndex
	for i, r := range text {
		glyph, err := face.Face.GlyphIndex(&b, r)
		if err != nil {
			continue // letters the font does not have are left out, as elsewhere
		}
		if i > 0 {
			if k, err := face.Face.Kern(&b, before, glyph, em, 0); err == nil {
				x += vg.Length(vg.Length(k) * scale)
			}
		}
		if segments, err := face.Face.LoadGlyph(&b, glyph, em, nil); err == nil {
			if path := outline(segments, x, at.Y, scale); len(path) > 0 {
				c.Fill(path)
			}
		}
		if advance, err := face.Face.GlyphAdvance(&b, glyph, em, 0); err == nil {
			x += vg.Length(vg.Length(advance) * scale)
		}
		before = glyph
	}
}

// outline turns a letter's outline, whose y grows downwards, into a path.
func outline(segments sfnt.Segments, x, y, scale vg.Length) vg.Path {
	var path vg.Path
	point := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: x + vg.Length(vg.Length(p.X)*scale), Y: y - vg.Length(vg.Length(p.Y)*scale)}
	}
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if len(path) > 0 {
				path.Close()
			}
			path.Move(point(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(point(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(point(s.Args[0]), point(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(point(s.Args[0]), point(s.Args[1]), point(s.Args[2]))
		}
	}
	if len(path) > 0 {
		path.Close()
	}
	return path
}

// sized is an SVG canvas that knows how wide its texts are.
type sized struct {
	*vgsvg.Canvas
	widths *[]vg.Length
}

// FillString writes a text.
func (c sized) FillString(face font.Face, at vg.Point, text string) {
	width := face.Width(text)
	if len(text) < 6 { // numbers of an axis are apart in any font
		width = 0
	}
	*c.widths = append(*c.widths, width)
	c.Canvas.FillString(face, at, text)
}

// svg is the figure as SVG, whose words are as wide in every font, so that none runs into its neighbour where the
// typeface is not installed.
func (f *Figure) svg(w, h vg.Length) ([]byte, error) {
	var widths []vg.Length
	c := vgsvg.New(w, h)
	f.paint(sized{c, &widths})
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, err
	}
	parts := bytes.Split(b.Bytes(), []byte("<text "))
	out := parts[0]
	for i, part := range parts[1:] {
		out = append(out, "<text "...)
		if widths[i] > 0 {
			out = fmt.Appendf(out, "textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\" ", widths[i].Points())
		}
		out = append(out, part...)
	}
	return out, nil
}

// tikz is the figure as PGF commands to \input into a paper, which then sets all text in its own fonts. It needs
// \usepackage{pgf}, and fits a column, or a page, of the narrowest usual styles of two columns (ACL's).
func (f *Figure) tikz() []byte {
	_, h := f.size()
	w := 218 * vg.Inch / 72.27
	if f.Wide {
		w = 454 * vg.Inch / 72.27
	}
	c := vgtex.New(w, h)
	f.paint(escaped{c})
	var b bytes.Buffer
	_, _ = c.WriteTo(&b) // memory takes everything
	pt := func(v vg.Length) string { return strconv.FormatFloat(float64(v), 'f', 2, 64) + "bp" }
	begin := []byte(`\begin{pgfpicture}`)
	_, picture, _ := bytes.Cut(b.Bytes(), begin)
	picture = long.ReplaceAllFunc(picture, func(n []byte) []byte {
		v, _ := strconv.ParseFloat(string(n), 64)
		return strconv.AppendFloat(nil, v, 'f', 3, 64)
	})
	return fmt.Appendf(nil, "%s\n  \\pgfpathrectangle{\\pgfpointorigin}{\\pgfpoint{%s}{%s}}\n"+
		"  \\pgfusepath{use as bounding box}%s", begin, pt(w), pt(h), bytes.ReplaceAll(picture, []byte("pt}"), []byte("bp}")))
}

// long is a number with more digits than a printer shows, or with an exponent, which TeX does not read.
var long = regexp.MustCompile(`-?[0-9]+(\.[0-9]{4,})(e[-+][0-9]+)?|-?[0-9]+(\.[0-9]+)?e[-+][0-9]+`)

// escaped is a canvas whose texts are LaTeX, set about the middle of where they would be.
type escaped struct{ *vgtex.Canvas }

// FillString writes a text.
func (c escaped) FillString(face font.Face, at vg.Point, text string) {
	latex := table.LaTeX(text)
	at.X += (face.Width(text) - face.Width(latex)) / 2
	c.Canvas.FillString(face, at, latex)
}

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
