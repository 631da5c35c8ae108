package curve

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"infnet/harness/calc"
)

// Uniformity is Kolmogorov and Smirnov's distance D of ascending numbers from the uniform distribution on [0,1].
func Uniformity(u []float64) float64 {
	n, d := float64(len(u)), 0.0
	for i, v := range u {
		d = max(d, v-float64(i)/n, float64(i+1)/n-v)
	}
	return d
}

func adOf(u []float64) float64 {
	n, sum := len(u), 0.0
	for i := range u {
		lo := min(max(u[i], 0x1p-53), 1-0x1p-53)
		hi := min(max(1-u[n-1-i], 0x1p-53), 1-0x1p-53)
		sum += float64(float64(2*i+1) * (calc.Log(lo) + calc.Log(hi)))
	}
	return -float64(n) - sum/float64(n)
}

// Goodness says how well a Beta distribution fitted to a sample describes it.
// The p-values are those of a parametric bootstrap: the parameters are fitted
// anew to every sample drawn, as they were to the data, which the textbook
// tables of D and A² do not allow for.
type Goodness struct {
	N        int
	KS       float64 // D
	KSP      float64 // (1 + #{D* ≥ D}) / (GoodnessDraws + 1)
	AD       float64 // A²
	ADP      float64
	Squeezed bool // some numbers were 0 or 1, and all were moved inwards
}

// GoodnessDraws is the number of bootstrap samples.
const GoodnessDraws = 199

// GoodnessOfBeta tests that xs ∈ [0,1] come from some Beta distribution, by
// parametric bootstrap from the one fitted (Stute, Manteiga and Quindimil,
// 1993). If the fit squeezed xs, the statistics are of the squeezed numbers, and every
// sample is squeezed as well. O(GoodnessDraws·n log n).
func GoodnessOfBeta(rng *rand.Rand, xs []float64) (Beta, Goodness, error) {
	fit, squeezed, err := FitBeta(xs)
	if err != nil {
		return Beta{}, Goodness{}, err
	}
	g := Goodness{N: len(xs), Squeezed: squeezed}
	g.KS, g.AD = fit.distances(xs, squeezed)
	ks, ad := 0, 0
	sample := make([]float64, len(xs))
	for range GoodnessDraws {
		for i := range sample {
			sample[i] = fit.Draw(rng)
			if squeezed {
				sample[i] = squeeze(sample[i], float64(len(xs)))
			}
		}
		again, edge, err := FitBeta(sample)
		if err != nil {
			return Beta{}, Goodness{}, fmt.Errorf("goodness of fit: a sample drawn from Beta(%v, %v): %w", fit.A, fit.B, err)
		}
		d, a := again.distances(sample, edge)
		if d >= g.KS {
			ks++
		}
		if a >= g.AD {
			ad++
		}
	}
	g.KSP, g.ADP = float64(1+ks)/(GoodnessDraws+1), float64(1+ad)/(GoodnessDraws+1)
	return fit, g, nil
}

// distances returns D and A².
func (b Beta) distances(xs []float64, squeezed bool) (ks, ad float64) {
	u := make([]float64, len(xs)) // F(x_(i)), ascending
	for i, x := range xs {
		if squeezed {
			x = squeeze(x, float64(len(xs)))
		}
		u[i] = b.CDF(x)
	}
	slices.Sort(u)
	return Uniformity(u), adOf(u)
}
