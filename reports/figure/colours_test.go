package figure

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"infnet/harness/baseline"
)

// sight is how somebody sees colours: a matrix on linear RGB.
type sight struct {
	name   string
	matrix [3][3]float64
}

// The matrices of full dichromacy are those of Machado, Oliveira and Fernandes, "A Physiologically-based Model for
// Simulation of Color Vision Deficiency" (2009), severity 1.0; grey is the luminance of sRGB.
var sights = []sight{
	{"usual", [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
	{"protanopia", [3][3]float64{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}}},
	{"deuteranopia", [3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}}},
	{"tritanopia", [3][3]float64{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900}}},
	{"grey", [3][3]float64{{0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}}},
}

// lab is a colour in CIELAB, white D65, as somebody sees it.
func (s sight) lab(c color.NRGBA) [3]float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	rgb := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	var seen [3]float64
	for i := range seen {
		for j := range rgb {
			seen[i] += s.matrix[i][j] * rgb[j]
		}
		seen[i] = min(max(seen[i], 0), 1)
	}
	f := func(t float64) float64 {
		if t > 216./24389 {
			return math.Cbrt(t)
		}
		return (24389./27*t + 16) / 116
	}
	r, g, b := seen[0], seen[1], seen[2]
	x := f((0.4124564*r + 0.3575761*g + 0.1804375*b) / 0.95047)
	y := f(0.2126729*r + 0.7151522*g + 0.0721750*b)
	z := f((0.0193339*r + 0.1191920*g + 0.9503041*b) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// distance is ΔE of 1976: about 2 can just be seen, 10 at a glance.
func (s sight) distance(a, b string) float64 {
	p, q := s.lab(palette[a]), s.lab(palette[b])
	return math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
}

// Whatever stands in one figure is told apart in grey and by everybody: by its colour, or else by
// its dashes or its mark.
func TestLooksAreToldApart(t *testing.T) {
	policies := []Look{ourLooks["single"], ourLooks["multi"]}
	for _, b := range baseline.Table() {
		if look, ok := lookOf(string(b.Kind)); ok {
			policies = append(policies, look)
		}
	}
	for name, list := range map[string][]Look{"policies": policies,
		"our policies and spare looks": append(policies[:2:2], spare...),
		"models":                       modelLooks} {
		for i, a := range list {
			for _, b := range list[:i] {
				if a.Mark != b.Mark || !slices.Equal(a.Dashes, b.Dashes) {
					continue
				}
				for _, s := range sights {
					if d := s.distance(a.Colour, b.Colour); d < 20 {
						t.Errorf("%s, %s: %v and %v have the same mark and dashes, and colours only %.1f apart", name, s.name, a, b, d)
					}
				}
			}
		}
	}
}
