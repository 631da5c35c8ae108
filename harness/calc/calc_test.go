package calc

import (
	_ "embed"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

const digits = 240 // bits of the reference

func exact(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

// bigExp is e^x by its series, after halving x 40 times.
func bigExp(x *big.Float) *big.Float {
	r := new(big.Float).SetPrec(digits+60).SetMantExp(x, -40)
	total, term := exact(1).SetPrec(digits+60), exact(1).SetPrec(digits+60)
	for k := 1.0; k < 12; k++ {
		term.Mul(term, r).Quo(term, exact(k))
		total.Add(total, term)
	}
	for range 40 {
		total.Mul(total, total)
	}
	return total
}

// bigLog is ln x by two of Halley's steps from the library's value: 16, 48, 144 digits.
func bigLog(x *big.Float) *big.Float {
	f, _ := x.Float64()
	y := exact(math.Log(f)).SetPrec(digits + 60)
	for range 2 {
		e := bigExp(y)
		up, down := new(big.Float).Sub(x, e), new(big.Float).Add(x, e)
		y.Add(y, up.Quo(up.Mul(up, exact(2)), down))
	}
	return y
}

// apart is how far got is from want, in units in the last place of want.
func apart(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	unit := math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w)
	d, _ := new(big.Float).Sub(exact(got), want).Float64()
	return math.Abs(d) / unit
}

func TestExpLogPowAreWithinOneUnit(t *testing.T) {
	n := 20000
	if testing.Short() {
		n = 2000
	}
	r := rand.New(rand.NewPCG(1, 2))
	worst := map[string]float64{}
	see := func(name string, limit, got float64, want *big.Float, args ...float64) {
		d := apart(got, want)
		worst[name] = max(worst[name], d)
		if !(d <= limit) {
			t.Fatalf("%s%v = %v is %.3f units from %v", name, args, got, d, want)
		}
	}
	for i := range n {
		x := (r.Float64() - 0.5) * 1416
		if i%2 == 0 {
			x = math.Ldexp(r.Float64()-0.5, -r.IntN(60))
		}
		see("Exp", 0.52, Exp(x), bigExp(exact(x)), x)
		y := math.Exp((r.Float64() - 0.5) * 1416)
		if i%2 == 0 {
			y = 1 + math.Ldexp(r.Float64()-0.5, -r.IntN(50))
		}
		l := bigLog(exact(y))
		if y != 1 {
			see("Log", 0.51, Log(y), l, y)
		}
		power := (r.Float64() - 0.5) * 600 / (1 + math.Abs(Log(y)))
		see("Pow", 0.6, Pow(y, power), bigExp(new(big.Float).Mul(exact(power), l)), y, power)
	}
	t.Log(worst)
}

func TestEndsAndExactCases(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		name      string
		got, want float64 // by definition
	}{
		{"exp 0", Exp(0), 1}, {"exp inf", Exp(inf), inf}, {"exp -inf", Exp(-inf), 0}, {"exp nan", Exp(nan), nan},
		{"exp over", Exp(709.79), inf}, {"exp under", Exp(-745.2), 0}, {"least", Exp(-745.13), 0x1p-1074},
		{"log 1", Log(1), 0}, {"log 0", Log(0), -inf}, {"log -1", Log(-1), nan}, {"log inf", Log(inf), inf},
		{"log1p tiny", Log1p(1e-300), 1e-300}, {"log1p -1", Log1p(-1), -inf}, {"log1p -0", Log1p(0), 0},
		{"log2 8", Log2(8), 3}, {"log2 small", Log2(0x1p-1074), -1074}, {"log10 1e-7", Log10(1e3), 3},
		{"log10 big", Log10(1e22), 22}, {"log10 0", Log10(0), -inf},
		{"pow cube", Pow(7, 3), 343}, {"pow neg", Pow(-2, 3), -8}, {"pow even", Pow(-2, 4), 16},
		{"pow nan", Pow(-2, 0.5), nan}, {"pow 0", Pow(0, 2), 0}, {"pow y0", Pow(5, 0), 1}, {"pow over", Pow(10, 400), inf},
		{"pow under", Pow(10, -400), 0}, {"pow root", Pow(2.25, 0.5), 1.5}, {"pow inf", Pow(2, inf), inf},
		{"pow near 1", Pow(1+0x1p-52, -5e-324), 1}, {"pow 10", Pow(10, 22), 1e22},
		{"cbrt", Cbrt(1e6), 100}, {"cbrt 0", Cbrt(0), 0},
		{"erfc 0", Erfc(0), 1}, {"erfc inf", Erfc(inf), 0}, {"erfc -inf", Erfc(-inf), 2}, {"erfc nan", Erfc(nan), nan},
		{"gamma 1", LogGamma(1), 0}, {"gamma 2", LogGamma(2), 0}, {"quantile half", NormalQuantile(0.5), 0},
		{"beta 0", RegBeta(2, 3, 0), 0}, {"beta 1", RegBeta(2, 3, 1), 1}, {"quantile 0", BetaQuantile(2, 3, 0), 0},
		{"quantile 1", BetaQuantile(2, 3, 1), 1}, {"binomial all", BinomialAtMost(3, 3, 0.2), 1},
		{"binomial none", BinomialAtMost(-1, 3, 0.2), 0}, {"chi 0", ChiSquareAbove(4, 0), 1},
	} {
		if tt.got != tt.want && !(math.IsNaN(tt.got) && math.IsNaN(tt.want)) {
			t.Errorf("%s: %v, want %v", tt.name, tt.got, tt.want)
		}
	}
	if !math.Signbit(Log1p(math.Copysign(0, -1))) {
		t.Error("ln(1−0) lost its sign")
	}
}

//go:embed testdata/values.tsv
var values string

// The reference values are mpmath's, 60 digits (testdata/make_values.py).
func TestValuesAgreeWithMpmath(t *testing.T) {
	one := func(f func(float64) float64) func([]float64) float64 {
		return func(a []float64) float64 { return f(a[0]) }
	}
	two := func(f func(_, _ float64) float64) func([]float64) float64 {
		return func(a []float64) float64 { return f(a[0], a[1]) }
	}
	functions := map[string]struct {
		f                  func([]float64) float64
		relative, absolute float64 // either suffices
	}{
		"Sin": {one(Sin), 0, 2e-16}, "Cos": {one(Cos), 0, 2e-16}, "Log1p": {one(Log1p), 1.2e-16, 0},
		"Log2": {one(Log2), 1.2e-16, 0}, "Log10": {one(Log10), 1.2e-16, 0}, "Erfc": {one(Erfc), 1e-15, 0},
		"NormalQuantile": {one(NormalQuantile), 1e-15, 1e-16}, "LogGamma": {one(LogGamma), 2e-15, 4e-15},
		"Digamma": {one(Digamma), 2e-15, 2e-15}, "Trigamma": {one(Trigamma), 2e-15, 0},
		"ChiSquareAbove": {two(ChiSquareAbove), 1e-13, 0}, "StudentAbove": {two(StudentAbove), 1e-13, 0},
		"RegBeta": {func(a []float64) float64 { return RegBeta(a[0], a[1], a[2]) }, 1e-13, 0},
	}
	seen, worst := map[string]int{}, map[string]float64{}
	for line := range strings.Lines(values) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		var args []float64
		for _, s := range strings.Fields(cells[1]) {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, v)
		}
		want, err := strconv.ParseFloat(cells[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		f := functions[cells[0]]
		got := f.f(args)
		d := math.Abs(got - want)
		worst[cells[0]] = max(worst[cells[0]], d/math.Abs(want))
		if !(d <= f.absolute || d <= f.relative*math.Abs(want)) {
			t.Errorf("%s%v = %v, want %v: %.2g apart", cells[0], args, got, want, d/math.Abs(want))
		}
		seen[cells[0]]++
	}
	for name := range functions {
		if seen[name] != 60 {
			t.Errorf("%d values of %s, want 60", seen[name], name)
		}
	}
	t.Log(worst)
}

// BetaQuantile is the inverse of RegBeta, from tails to middle and for shapes
// from spikes at the ends to needles.
func TestBetaQuantileInverts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		a, b := math.Pow(10, 5*r.Float64()-1), math.Pow(10, 5*r.Float64()-1)
		p := r.Float64()
		if r.IntN(3) == 0 {
			p = math.Pow(10, -12*r.Float64())
		}
		x := BetaQuantile(a, b, p)
		// One step of x either way moves I past p, but for 1e-12 of p's tail.
		down, up := RegBeta(a, b, math.Nextafter(x, 0)), RegBeta(a, b, math.Nextafter(x, 1))
		if noise := 1e-12 * p; !(down <= p+noise && p-noise <= up) {
			t.Fatalf("quantile of Beta(%v, %v) at %v = %v, where I = %v", a, b, p, x, RegBeta(a, b, x))
		}
	}
}

func BenchmarkExp(b *testing.B)   { benchmark(b, Exp) }
func BenchmarkLog(b *testing.B)   { benchmark(b, Log) }
func BenchmarkLog1p(b *testing.B) { benchmark(b, Log1p) }
func BenchmarkErfc(b *testing.B)  { benchmark(b, Erfc) }
func BenchmarkLibrary(b *testing.B) {
	b.Run("exp", func(b *testing.B) { benchmark(b, math.Exp) })
	b.Run("log", func(b *testing.B) { benchmark(b, math.Log) })
	b.Run("log1p", func(b *testing.B) { benchmark(b, math.Log1p) })
	b.Run("erfc", func(b *testing.B) { benchmark(b, math.Erfc) })
}
func BenchmarkBetaQuantile(b *testing.B) {
	benchmark(b, func(p float64) float64 { return BetaQuantile(2.5, 0.7, p/3) })
}

func benchmark(b *testing.B, f func(float64) float64) {
	xs := make([]float64, 1024)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range xs {
		xs[i] = 3 * r.Float64()
	}
	total := 0.0
	for i := 0; b.Loop(); i++ {
		total += f(xs[i&1023])
	}
	if math.IsNaN(total) {
		b.Fatal("NaN")
	}
}
