package curve

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

var (
	near9 = cmpopts.EquateApprox(0, 1e-9)

	sample = []float64{.05, .12, .2, .2, .33, .41, .58, .66, .8, .97}
	wrong  = []float64{1, 1, 0, 1, 1, 0, 0, 1, 0, 0}
)

func values(f func(float64) float64, xs ...float64) []float64 {
	var out []float64
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}

// Expected values: the formulas of the doc comments in NumPy 2.4.6 (std with
// ddof=1, quantile), all images of a KDE within 4 periods summed directly with
// scipy.stats.norm, SciPy 1.17.1.
func TestBandwidthAndKDEEqualDirectSums(t *testing.T) {
	if h, err := Bandwidth(sample); err != nil || math.Abs(h-0.17559487350784642) > 1e-12 {
		t.Errorf("bandwidth %v (%v)", h, err)
	}
	for _, tc := range []struct {
		h        float64
		pdf, cdf []float64
	}{
		{h: .3, pdf: []float64{1.2580507665378458, 1.241425646801814, 0.9710903680774999, 0.7993581536060202},
			cdf: []float64{0.12524739881101588, 0.5730349251440684, 0.919873191024022, 1}},
		{h: .05, pdf: []float64{1.0585316616167402, 1.4453794870593721, 0.38697463715610125, 1.333433732615497},
			cdf: []float64{0.1230070068542882, 0.6019219180272268, 0.9062666922890058, 1}},
	} {
		k, err := NewKDE(sample, tc.h)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.pdf, values(k.PDF, 0, .1, .5, 1), cmpopts.EquateApprox(0, 1e-11)); diff != "" {
			t.Errorf("h %v: density (-want +got):\n%s", tc.h, diff)
		}
		if diff := cmp.Diff(tc.cdf, values(k.CDF, .1, .5, .9, 1), cmpopts.EquateApprox(0, 1e-11)); diff != "" {
			t.Errorf("h %v: distribution (-want +got):\n%s", tc.h, diff)
		}
	}
}

// Expected values: the definition, summed directly in NumPy 2.4.6 with
// scipy.stats.norm, SciPy 1.17.1. Far from the data: the nearest point's.
func TestNadarayaWatson(t *testing.T) {
	k, err := NadarayaWatson(sample, wrong, .1)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{0.9175662731691326, 0.6906519275315753, 0.2708179950264876, 0.3028243146094914,
		0.0028218548696650964}
	if diff := cmp.Diff(want, values(k.At, 0, .2, .5, .77, 1), cmpopts.EquateApprox(0, 1e-11)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	far, err := NadarayaWatson([]float64{.2, .9, .9}, []float64{1, 0, 1}, .01)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{1, 1, .5, .5}, values(far.At, 0, .5, .6, 1), near); diff != "" {
		t.Errorf("between the data (-want +got):\n%s", diff)
	}
	if !math.IsNaN(far.At(math.NaN())) {
		t.Error("a curve at NaN is a number")
	}
}

// Every density has mass 1, a CDF that is its integral, and rises from 0 to 1.
func TestDensitiesIntegrateToTheirDistribution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = float64(rapid.IntRange(1, 99).Draw(t, "x")) / 100
		}
		xs[0], xs[1] = .3, .7
		kde, err := NewKDE(xs, rapid.SampledFrom([]float64{.02, .1, .4, 1}).Draw(t, "h"))
		if err != nil {
			t.Fatal(err)
		}
		counted, err := histogram(xs, rapid.IntRange(1, 13).Draw(t, "bins"))
		if err != nil {
			t.Fatal(err)
		}
		beta, _, err := FitBeta(xs)
		if err != nil {
			t.Fatal(err)
		}
		a, b := rapid.Float64Range(.01, .5).Draw(t, "a"), rapid.Float64Range(.5, .99).Draw(t, "b")
		for _, d := range []Density{kde, counted, beta} {
			cuts := []float64{a, b}
			if broken, ok := d.(Broken); ok {
				for _, x := range broken.Breaks() {
					cuts = append(cuts, min(max(x, a), b))
				}
			}
			slices.Sort(cuts)
			got := 0.0
			for i := range cuts[1:] {
				got += Integrate(d.PDF, cuts[i], cuts[i+1], 1e-10)
			}
			if want := d.CDF(b) - d.CDF(a); math.Abs(got-want) > 1e-8 {
				t.Fatalf("%T: density integrates to %v between %v and %v, the distribution rises by %v", d, got, a, b, want)
			}
			if d.CDF(0) != 0 || d.CDF(1) != 1 || d.CDF(-1) != 0 || d.CDF(2) != 1 || d.PDF(-.1) != 0 || d.PDF(1.1) != 0 {
				t.Fatalf("%T has mass outside [0,1]", d)
			}
		}
	})
}

func TestHistogramByHand(t *testing.T) {
	h, _ := histogram([]float64{0, .1, .25, .5, .99, 1, 1, .75}, 4)
	// counts 2, 1, 1, 4 of 8; each bin a quarter wide
	if diff := cmp.Diff([]float64{1, .5, .5, 2, 2}, values(h.PDF, 0, .25, .6, .75, 1)); diff != "" {
		t.Errorf("density (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{.125, .25, .375, .5, .75}, values(h.CDF, .125, .25, .5, .75, .875), near); diff != "" {
		t.Errorf("distribution (-want +got):\n%s", diff)
	}
	// IQR .5 over 27 numbers: ⌈3/(2·.5)⌉ = 3
	xs := slices.Repeat([]float64{.25, .75, .25, .75, .5, .25, .75, .25, .75}, 3)
	if m, err := freedmanDiaconis(xs); err != nil || m != 3 {
		t.Errorf("%d bins (%v), want 3", m, err)
	}
	if m, _ := freedmanDiaconis([]float64{.5, .5, .5, .5}); m != 3 {
		t.Errorf("%d bins of equal numbers, want Sturges' log₂4+1 = 3", m)
	}
	// 0.29·100 < 29 in floating point; the edge as computed decides.
	edge, _ := histogram([]float64{29. / 100}, 100)
	if edge.PDF(29./100) != 100 || edge.CDF(29./100) != 0 {
		t.Error("a number on an edge is not in the bin that begins there")
	}
}

// Expected values: scipy.optimize.root on the likelihood equations, started
// from scipy.stats.beta.fit(floc=0, fscale=1); scipy.stats.beta; kstest; the
// A² formula in NumPy. SciPy 1.17.1, NumPy 2.4.6.
func TestFitBetaEqualsSciPy(t *testing.T) {
	b, squeezed, err := FitBeta(sample)
	if err != nil || squeezed {
		t.Fatal(squeezed, err)
	}
	if diff := cmp.Diff(Beta{0.9144766189153313, 1.0928084760223218}, b, near9); diff != "" {
		t.Errorf("fit (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1.1988756259983278, 0.9892462224811168, 0.8102187547888033}, values(b.PDF, .1, .5, .9),
		near9); diff != "" {
		t.Errorf("density (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{0.13178261562446855, 0.5614817165981234, 0.9261832469417962}, values(b.CDF, .1, .5, .9),
		near9); diff != "" {
		t.Errorf("distribution (-want +got):\n%s", diff)
	}
	d, a := b.distances(sample, false)
	if math.Abs(d-0.15282250064265646) > 1e-9 || math.Abs(a-0.21761305012351606) > 1e-8 {
		t.Errorf("D = %v, A² = %v", d, a)
	}
	b, squeezed, err = FitBeta([]float64{0, .05, .3, .3, 1, .7, .2})
	if err != nil || !squeezed {
		t.Fatal(squeezed, err)
	}
	if diff := cmp.Diff(Beta{0.927844034957782, 1.321081154634475}, b, near9); diff != "" {
		t.Errorf("fit with 0 and 1 (-want +got):\n%s", diff)
	}
}

func TestDensityEdges(t *testing.T) {
	for _, xs := range [][]float64{{.5}, {.2, .2, .2}, {1, 1}, {0}} {
		if _, _, err := FitBeta(xs); !errors.Is(err, ErrNoSpread) {
			t.Errorf("beta of %v: %v, want ErrNoSpread", xs, err)
		}
		if h, err := Bandwidth(xs); h != 0 || err != nil {
			t.Errorf("bandwidth of %v: %v, %v, want 0", xs, h, err)
		}
	}
	if b, squeezed, err := FitBeta([]float64{0, 1, 0, 1}); err != nil || !squeezed || !(b.A > 0 && b.A < 1) ||
		math.Abs(b.A-b.B) > 1e-9 {
		t.Errorf("beta of zeros and ones: %v, %v, %v; want a symmetric bathtub", b, squeezed, err)
	}
	for _, xs := range [][]float64{nil, {math.NaN()}, {-.1}, {1.5}} {
		_, err1 := NewKDE(xs, .1)
		_, err2 := NewHistogram(xs)
		_, _, err3 := FitBeta(xs)
		if err1 == nil || err2 == nil || err3 == nil {
			t.Errorf("%v: %v, %v, %v; want errors", xs, err1, err2, err3)
		}
	}
	for _, h := range []float64{0, -1, math.NaN(), 2} {
		if _, err := NewKDE(sample, h); err == nil {
			t.Errorf("bandwidth %v: no error", h)
		}
	}
	// x^−½ is infinite at 0; its graded pieces end at the end.
	if b := (Beta{.5, .5}); !math.IsInf(b.PDF(0), 1) || !math.IsInf(b.PDF(1), 1) || !slices.IsSorted(b.Breaks()) {
		t.Errorf("arcsine distribution: %v, %v, %v", b.PDF(0), b.PDF(1), b.Breaks())
	}
	if u := (Beta{1, 1}); u.PDF(0) != 1 || u.PDF(1) != 1 {
		t.Errorf("the uniform density is %v at 0 and %v at 1", u.PDF(0), u.PDF(1))
	}
}

// Under the null, p is uniform on its lattice; under a two-humped alternative
// it is small. 30 samples: the mean of 30 uniforms is ½ ± 4·0.053.
func TestGoodnessOfBeta(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ks, ad := 0.0, 0.0
	for range 30 {
		xs := make([]float64, 40)
		for i := range xs {
			xs[i] = distuv.Beta{Alpha: 2, Beta: 3, Src: rng}.Rand()
		}
		_, g, err := GoodnessOfBeta(rng, xs)
		if err != nil {
			t.Fatal(err)
		}
		ks, ad = ks+g.KSP/30, ad+g.ADP/30
	}
	// On the lattice 1/200 … 200/200 the mean is 0.5025.
	if math.Abs(ks-.5025) > .21 || math.Abs(ad-.5025) > .21 {
		t.Errorf("mean p-values under the null: %v and %v, want 0.5025 ± 0.21", ks, ad)
	}
	humps := make([]float64, 300)
	for i := range humps {
		humps[i] = distuv.Beta{Alpha: 30 + 30*float64(i%2), Beta: 90 - 60*float64(i%2), Src: rng}.Rand()
	}
	_, g, err := GoodnessOfBeta(rng, humps)
	if err != nil || g.KSP != .005 || g.ADP != .005 {
		t.Errorf("two humps: %+v, %v; want p = 1/200", g, err)
	}
	if _, g, err := GoodnessOfBeta(rng, []float64{0, .2, .4, .6, 1}); err != nil || !g.Squeezed || g.KSP < .1 {
		t.Errorf("five numbers with ends: %+v, %v", g, err)
	}
	if _, _, err := GoodnessOfBeta(rng, []float64{.5, .5}); !errors.Is(err, ErrNoSpread) {
		t.Errorf("equal numbers: %v", err)
	}
}
