package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/calc"
)

// ink collects how the lines and texts of all figures look. A look becomes a class, as the page's policy allows no
// style in an element, and colours become variables, so that the dark theme has its own.
type ink struct {
	looks   []string // declarations, in the order in which they came; a look's class is its place
	colours []string // #RRGGBB
}

// drawn are the elements and attributes that figures are drawn with. Others are an error, so that none gets into the
// page unseen.
var drawn = map[string][]string{
	"svg": {"viewBox"}, "g": {"transform"}, "path": {"d"}, "text": {"x", "y", "transform"},
	"rect": {"x", "y", "width", "height"}, "circle": {"cx", "cy", "r"}, "line": {"x1", "y1", "x2", "y2"},
}

// figure rewrites an SVG file for the page: no size, no style, nothing that names another file. label is its text for
// screen readers.
func (k *ink) figure(svg []byte, label string) (string, error) {
	d := xml.NewDecoder(bytes.NewReader(svg))
	var b strings.Builder
	depth := 0
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
			if err := k.element(&b, x, depth == 0, label); err != nil {
				return "", err
			}
			depth++
		case xml.EndElement:
			fmt.Fprintf(&b, "</%s>", x.Name.Local)
			depth--
		case xml.CharData:
			if text := strings.TrimSpace(string(x)); text != "" {
				b.WriteString(html.EscapeString(text))
			}
		}
	}
}

func (k *ink) element(b *strings.Builder, x xml.StartElement, root bool, label string) error {
	allowed, ok := drawn[x.Name.Local]
	if !ok {
		return fmt.Errorf("a figure has an element %q, which the page does not know", x.Name.Local)
	}
	fmt.Fprintf(b, "<%s", x.Name.Local)
	if root {
		fmt.Fprintf(b, ` role="img" aria-label="%s"`, html.EscapeString(label))
	}
	for _, a := range x.Attr {
		switch {
		case a.Name.Local == "style":
			fmt.Fprintf(b, ` class="s%d"`, k.look(a.Value))
		case a.Name.Space == "" && slices.Contains(allowed, a.Name.Local):
			fmt.Fprintf(b, ` %s="%s"`, a.Name.Local, html.EscapeString(a.Value))
		}
	}
	b.WriteByte('>')
	return nil
}

// look returns the number of a look.
func (k *ink) look(style string) int {
	if i := slices.Index(k.looks, style); i >= 0 {
		return i
	}
	k.looks = append(k.looks, style)
	return len(k.looks) - 1
}

// kept are the properties of a look; the others say what browsers do anyway.
var kept = []string{"fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "stroke-opacity", "opacity",
	"font-size", "text-anchor"}

// css are the rules of all looks.
func (k *ink) css() string {
	var rules strings.Builder
	for i, style := range k.looks {
		var out []string
		for _, declaration := range strings.Split(style, ";") {
			name, value, _ := strings.Cut(declaration, ":")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			if !slices.Contains(kept, name) || !harmless(value) {
				continue
			}
			if _, err := channels(value); err == nil {
				value = k.colour(value)
			}
			out = append(out, name+":"+value)
		}
		fmt.Fprintf(&rules, ".figure .s%d{%s}\n", i, strings.Join(out, ";"))
	}
	var b strings.Builder
	b.WriteString(":root{\n")
	for _, c := range k.colours {
		fmt.Fprintf(&b, "--%s:light-dark(%s,%s);\n", strings.TrimPrefix(c, "#"), c, darkened(c))
	}
	return b.String() + "}\n" + rules.String()
}

func (k *ink) colour(hex string) string {
	if !slices.Contains(k.colours, hex) {
		k.colours = append(k.colours, hex)
	}
	return "var(--" + strings.TrimPrefix(hex, "#") + ")"
}

// harmless reports whether a value is one that figures have: words, numbers and colours.
func harmless(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("#.,- ", r))
	}) < 0
}

// channels reads #RRGGBB.
func channels(hex string) (rgb [3]float64, err error) {
	if len(hex) != 7 || hex[0] != '#' {
		return rgb, fmt.Errorf("%q is no colour", hex)
	}
	v, err := strconv.ParseUint(hex[1:], 16, 32)
	for i := range rgb {
		rgb[i] = float64(v>>(16-8*i)&255) / 255
	}
	return rgb, err
}

// darkGround is the colour behind figures in the dark theme: --panel of theme.css.
const darkGround = "#1b1f27"

// darkened is a figure's colour in the dark theme. Greys change places: white becomes the ground, black almost white. A
// tint, a colour laid thinly on white, is laid on the ground. Other colours are lightened until they are seen.
func darkened(hex string) string {
	rgb, err := channels(hex)
	if err != nil {
		return hex
	}
	ground, _ := channels(darkGround)
	low, high := slices.Min(rgb[:]), slices.Max(rgb[:])
	switch {
	case high-low < 0.02:
		for i := range rgb {
			rgb[i] = mixed(ground[i], 0.93, 1-rgb[i])
		}
	case low > 0.7:
		share := 1 - low
		for i := range rgb {
			rgb[i] = (rgb[i] - low) / share // the colour that was laid on white
		}
		rgb = seen(rgb, ground)
		for i := range rgb {
			rgb[i] = mixed(ground[i], rgb[i], share)
		}
	default:
		rgb = seen(rgb, ground)
	}
	out := "#"
	for _, v := range rgb {
		out += fmt.Sprintf("%02x", int(math.Round(255*min(max(v, 0), 1))))
	}
	return out
}

// seen lightens a colour until its contrast to the ground is that of text.
func seen(rgb, ground [3]float64) [3]float64 {
	for contrast(rgb, ground) < 4.5 {
		for i := range rgb {
			rgb[i] = mixed(rgb[i], 1, 0.05)
		}
	}
	return rgb
}

// mixed is a with a share of b.
func mixed(a, b, share float64) float64 { return a + float64(share*(b-a)) }

// contrast of two colours, from 1 to 21. Web Content Accessibility Guidelines 2.2, "contrast ratio" and "relative
// luminance".
func contrast(a, b [3]float64) float64 {
	light, dark := luminance(a), luminance(b)
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

func luminance(rgb [3]float64) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v := rgb[i] / 12.92
		if rgb[i] > 0.04045 {
			v = calc.Pow((rgb[i]+0.055)/1.055, 2.4)
		}
		sum += float64(weight * v)
	}
	return sum
}
