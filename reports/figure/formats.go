package figure

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// timeless makes PDF files depend on nothing but their content. The library
// keeps these settings for the whole process.
var timeless = sync.OnceFunc(func() {
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
})

// Draw draws the figure in one format: SVG, whose text stays text, or PDF, whose text is drawn as outlines, as the
// library behind it knows no Greek letters and a paper needs no further fonts.
func (f *Figure) Draw(format style.Format) ([]byte, error) {
	f.clean()
	var to io.WriterTo
	if w, h := f.size(); format == style.PDF {
		timeless()
		c := vgpdf.New(w, h)
		f.paint(outlined{c})
		to = c
	} else {
		c := vgsvg.New(w, h)
		f.paint(c)
		to = c
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

// Write draws the study's figures into dir, which it creates where there is a figure to draw, and returns the paths in
// the order written: of the kinds that the study draws, in its formats. Their names are paths: a folder per dataset, in
// one per cascade where there are several. Equal studies give equal bytes. The first failure ends the writing.
func Write(s *result.Results, dir string, save func(path string, data []byte) error) (paths []string, err error) {
	for _, f := range Figures(s) {
		if !slices.Contains(s.Style.Drawn(), style.Kind(f.Kind)) {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return paths, fmt.Errorf("create the folder for figures: %w", err)
		}
		for _, format := range s.Style.Formats() {
			data, err := f.Draw(format)
			if err != nil {
				return paths, fmt.Errorf("draw figure %s as %s: %w", f.Name, format, err)
			}
			file := path + "." + string(format)
			if err := save(file, data); err != nil {
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
