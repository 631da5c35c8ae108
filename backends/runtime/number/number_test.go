package number

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

// A bfloat16 is the upper half of a float32. A float16 is sign, exponent and
// fraction by IEEE 754, computed here in float64.
func TestWidenEveryNumber(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		if got, want := math.Float32bits(BFloat16.Widen(h)), uint32(h)<<16; got != want {
			t.Fatalf("bfloat16 %#x is %#x, want %#x", h, got, want)
		}
		exp, frac := int(h>>10&31), float64(h&1023)
		want := math.Ldexp(1024+frac, exp-25)
		if exp == 0 {
			want = math.Ldexp(frac, -24)
		} else if exp == 31 {
			want = math.Inf(1)
			if frac > 0 {
				want = math.NaN()
			}
		}
		if h>>15 == 1 {
			want = -want
			if want == 0 {
				want = math.Copysign(0, -1)
			}
		}
		got := Float16.Widen(h)
		if math.Float32bits(got) != math.Float32bits(float32(want)) && !(got != got && math.IsNaN(want)) {
			t.Fatalf("float16 %#x is %v, want %v", h, got, want)
		}
	}
}

// Every half and brain float survives, and rounding is to the nearest.
func TestNarrow(t *testing.T) {
	for h := range 1 << 16 {
		x := Float16.Widen(uint16(h))
		if got := Float16.Narrow(x); got != uint16(h) && x == x {
			t.Fatalf("half %#x -> %v -> %#x", h, x, got)
		}
	}
	// by hand: 2^-24 is the smallest half; 65504 the largest; 1+2^-11 is a tie
	for _, c := range []struct{ in, want float32 }{{0x1p-24, 0x1p-24}, {0x1p-25, 0}, {0x1.8p-25, 0x1p-24}, {65504, 65504},
		{65519, 65504}, {65520, float32(math.Inf(1))}, {1 + 0x1p-11, 1}, {1 + 0x3p-11, 1 + 0x1p-9}} {
		if got := Float16.Widen(Float16.Narrow(c.in)); got != c.want {
			t.Errorf("half of %v = %v, want %v", c.in, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float32Range(-1e30, 1e30).Draw(t, "v")
		up := func(b uint16) float64 { return float64(math.Float32frombits(uint32(b) << 16)) }
		b := BFloat16.Narrow(v)
		for _, n := range []uint16{b - 1, b + 1} {
			if e := math.Abs(up(n) - float64(v)); e < math.Abs(up(b)-float64(v)) && !math.IsNaN(e) {
				t.Fatalf("brain float of %v is %v, but %v is nearer", v, up(b), up(n))
			}
		}
	})
}
