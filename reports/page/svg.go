package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
)

// drawn are the elements and attributes that figures are drawn with. Others are an error, so that none gets into the
// page unseen.
var drawn = map[string][]string{
	"svg": {"viewBox"}, "g": {"transform"}, "path": {"d"}, "text": {"x", "y", "transform", "textLength", "lengthAdjust"},
	"rect": {"x", "y", "width", "height"}, "circle": {"cx", "cy", "r"}, "line": {"x1", "y1", "x2", "y2"},
}

// kept are the properties of styles that become attributes, as the page's policy allows no style in an element; the
// others say what browsers do anyway.
var kept = []string{"fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "stroke-opacity", "opacity",
	"font-size", "text-anchor"}

// inline rewrites an SVG file for the page: no size, no style, nothing that names another file. label is its text for
// screen readers.
func inline(svg []byte, label string) (string, error) {
	d := xml.NewDecoder(bytes.NewReader(svg))
	var b strings.Builder
	more := fmt.Sprintf(` role="img" aria-label="%s"`, html.EscapeString(label)) // of the root
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return "", fmt.Errorf("read a figure: %w", err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			allowed, ok := drawn[x.Name.Local]
			if !ok {
				return "", fmt.Errorf("a figure has an element %q, which the page does not know", x.Name.Local)
			}
			fmt.Fprintf(&b, "<%s%s%s>", x.Name.Local, more, attributes(x.Attr, allowed))
			more = ""
		case xml.EndElement:
			fmt.Fprintf(&b, "</%s>", x.Name.Local)
		case xml.CharData:
			b.WriteString(html.EscapeString(strings.TrimSpace(string(x))))
		}
	}
}

func attributes(list []xml.Attr, allowed []string) (out string) {
	add := func(name, value string) { out += fmt.Sprintf(` %s="%s"`, name, html.EscapeString(value)) }
	for _, a := range list {
		switch {
		case a.Name.Local == "style":
			for declaration := range strings.SplitSeq(a.Value, ";") {
				name, value, _ := strings.Cut(declaration, ":")
				name, value = strings.TrimSpace(name), strings.TrimSpace(value)
				usual := name == "fill" && value == "#000000"
				if slices.Contains(kept, name) && harmless(value) && !usual {
					add(name, value)
				}
			}
		case a.Name.Space == "" && slices.Contains(allowed, a.Name.Local):
			add(a.Name.Local, a.Value)
		}
	}
	return out
}

// harmless reports whether a value is one that figures have: words, numbers and colours.
func harmless(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("#.,- ", r))
	}) < 0
}
