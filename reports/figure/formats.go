package figure

import (
	"bytes"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// dotsPerInch of PNG files: what printers ask for.
const dotsPerInch = 300

// SVG returns the figure as SVG. Its text stays text.
func (f *Figure) SVG() ([]byte, error) {
	c := vgsvg.New(f.size())
	f.paint(c)
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}

// PNG returns the figure as PNG, at 300 dots per inch.
func (f *Figure) PNG() ([]byte, error) {
	w, h := f.size()
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dotsPerInch))
	f.paint(c)
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
	return b.Bytes(), err
}

// timeless makes PDF files depend on nothing but their content. The library
// keeps these settings for the whole process.
var timeless = sync.OnceFunc(func() {
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
})

// PDF returns the figure as PDF. Its text is drawn as outlines: the library
// behind it knows no Greek letters, and a paper needs no further fonts.
func (f *Figure) PDF() ([]byte, error) {
	timeless()
	c := vgpdf.New(f.size())
	f.paint(outlined{c})
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
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
