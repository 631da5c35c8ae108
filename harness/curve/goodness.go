package curve

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"infnet/harness/calc"
)

// transform returns F(x_(i)), ascending.
func transform(xs []float64, cdf func(float64) float64) ([]float64, error) {
	if len(xs) == 0 {
		return nil, errors.New("goodness of fit of no numbers")
	}
	u := make([]float64, len(xs))
	for i, x := range xs {
		if u[i] = cdf(x); !(u[i] >= 0 && u[i] <= 1) {
			return nil, fmt.Errorf("goodness of fit: F(%v) = %v for number %d: want a probability", x, u[i], i)
		}
	}
	slices.Sort(u)
	return u, nil
}

func ksOf(u []float64) float64 {
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
	N        int     `json:"n"`
	KS       float64 `json:"ks"`   // D
	KSP      float64 `json:"ks_p"` // (1 + #{D* ≥ D}) / (Draws + 1)
	AD       float64 `json:"ad"`   // A²
	ADP      float64 `json:"ad_p"`
	Draws    int     `json:"draws"`
	Squeezed bool    `json:"squeezed"` // some numbers were 0 or 1, and all were moved inwards
}

// GoodnessDraws is the default number of bootstrap samples.
const GoodnessDraws = 199

// GoodnessOfBeta tests that xs ∈ [0,1] come from some Beta distribution, by
// parametric bootstrap from the one fitted (Stute, Manteiga and Quindimil,
// 1993). draws 0 = GoodnessDraws. If the fit squeezed xs, the statistics are
// of the squeezed numbers, and every sample is squeezed as well. O(draws·n log n).
func GoodnessOfBeta(rng *rand.Rand, xs []float64, draws int) (Beta, Goodness, error) {
	if draws < 0 {
		return Beta{}, Goodness{}, fmt.Errorf("goodness of fit with %d samples: want a positive number, or 0 for %d", draws,
			GoodnessDraws)
	}
	if draws == 0 {
		draws = GoodnessDraws
	}
	fit, squeezed, err := FitBeta(xs)
	if err != nil {
		return Beta{}, Goodness{}, err
	}
	g := Goodness{N: len(xs), Draws: draws, Squeezed: squeezed}
	if g.KS, g.AD, err = fit.distances(xs, squeezed); err != nil {
		return Beta{}, Goodness{}, err
	}
	ks, ad := 0, 0
	sample := make([]float64, len(xs))
	for range draws {
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
		d, a, err := again.distances(sample, edge)
		if err != nil {
			return Beta{}, Goodness{}, err
		}
		if d >= g.KS {
			ks++
		}
		if a >= g.AD {
			ad++
		}
	}
	g.KSP, g.ADP = float64(1+ks)/float64(draws+1), float64(1+ad)/float64(draws+1)
	return fit, g, nil
}

// distances returns D and A².
func (b Beta) distances(xs []float64, squeezed bool) (ks, ad float64, err error) {
	u, err := transform(xs, func(x float64) float64 {
		if squeezed {
			x = squeeze(x, float64(len(xs)))
		}
		return b.CDF(x)
	})
	if err != nil {
		return 0, 0, err
	}
	return ksOf(u), adOf(u), nil
}
