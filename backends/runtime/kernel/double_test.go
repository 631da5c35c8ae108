package kernel

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

// The standard library is the oracle.
func TestDoublesAgreeWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1e-30, 1e30).Draw(t, "x")
		if got, want := Ln(x), math.Log(x); math.Abs(got-want) > 1e-14*math.Max(1, math.Abs(want)) {
			t.Fatalf("ln %v = %v, want %v", x, got, want)
		}
		base, p := rapid.Float64Range(1, 1e7).Draw(t, "base"), rapid.Float64Range(0, 1).Draw(t, "p")
		if got, want := Power(base, p), math.Pow(base, -p); math.Abs(got-want) > 1e-14*want {
			t.Fatalf("%v^-%v = %v, want %v", base, p, got, want)
		}
		a := rapid.Float64Range(0, 1<<20).Draw(t, "angle")
		gs, gc := SinCos(a)
		ws, wc := math.Sincos(a)
		if math.Abs(gs-ws) > 1e-14 || math.Abs(gc-wc) > 1e-14 {
			t.Fatalf("sin, cos %v = %v, %v, want %v, %v", a, gs, gc, ws, wc)
		}
	})
}
