package curve

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"infnet/harness/calc"
)

// Beta is the Beta distribution with density x^(A−1)·(1−x)^(B−1)/B(A,B) on
// [0,1], A, B > 0.
type Beta struct {
	A, B float64
}

// ErrNoSpread is why FitBeta refuses numbers that are all equal: the likelihood
// grows without limit as the density narrows to a spike.
var ErrNoSpread = errors.New("all numbers are equal: no Beta distribution fits best")

// FitBeta fits a Beta distribution to xs ∈ [0,1] by maximum likelihood
// (Newton's method on the two likelihood equations, which have one solution):
//
//	ψ(A) − ψ(A+B) = mean ln x,   ψ(B) − ψ(A+B) = mean ln(1−x)
//
// At 0 and 1 the likelihood is 0 or infinite. If some number is 0 or 1, all are
// moved inwards first, x → (x(n−1)+½)/n, and squeezed is true. Numbers that are
// all equal are ErrNoSpread. O(n).
//
// The squeeze: Smithson and Verkuilen (2006), A better lemon squeezer?
func FitBeta(xs []float64) (fit Beta, squeezed bool, err error) {
	if err := unit(xs); err != nil {
		return Beta{}, false, fmt.Errorf("beta distribution: %w", err)
	}
	equal := true
	for _, x := range xs {
		equal = equal && x == xs[0]
		squeezed = squeezed || x == 0 || x == 1
	}
	if equal {
		return Beta{}, false, ErrNoSpread
	}
	n, logX, logY, mean, squares := float64(len(xs)), 0.0, 0.0, 0.0, 0.0
	for _, x := range xs {
		if squeezed {
			x = squeeze(x, n)
		}
		logX += calc.Log(x) / n
		logY += calc.Log1p(-x) / n
		mean += x / n
	}
	for _, x := range xs {
		if squeezed {
			x = squeeze(x, n)
		}
		squares += float64((x - mean) * (x - mean))
	}
	size := mean*(1-mean)/(squares/n) - 1 // A+B by moments
	fit, err = solveBeta(Beta{max(mean*size, 1e-3), max((1-mean)*size, 1e-3)}, logX, logY)
	return fit, squeezed, err
}

func squeeze(x, n float64) float64 { return (float64(x*(n-1)) + 0.5) / n }

// betaSteps is far more than Newton's method needs from the moments on.
const betaSteps = 200

// solveBeta solves the likelihood equations. The log-likelihood is concave, so
// a step is halved until it is positive and raises it.
func solveBeta(b Beta, logX, logY float64) (Beta, error) {
	likelihood := func(b Beta) float64 { return float64((b.A-1)*logX) + float64((b.B-1)*logY) - calc.LogBeta(b.A, b.B) }
	value := likelihood(b)
	for range betaSteps {
		both := calc.Digamma(b.A + b.B)
		ga, gb := logX-calc.Digamma(b.A)+both, logY-calc.Digamma(b.B)+both
		// The Hessian is −diag(u,v) + w everywhere.
		u, v, w := calc.Trigamma(b.A), calc.Trigamma(b.B), calc.Trigamma(b.A+b.B)
		det := float64(u*v) - float64(w*(u+v))
		da, db := (float64(ga*(v-w))+float64(gb*w))/det, (float64(gb*(u-w))+float64(ga*w))/det
		if !(det > 0) || math.IsNaN(da+db) {
			break
		}
		if math.Abs(da) <= 1e-13*b.A && math.Abs(db) <= 1e-13*b.B {
			return b, nil
		}
		scale, moved := 1.0, false
		for ; scale > 1e-9; scale /= 2 {
			next := Beta{b.A + float64(scale*da), b.B + float64(scale*db)}
			if !(next.A > 0 && next.B > 0) {
				continue
			}
			if l := likelihood(next); l >= value-float64(1e-14*(1+math.Abs(value))) {
				b, value, moved = next, l, true
				break
			}
		}
		if !moved || math.Abs(da) <= 1e-10*b.A && math.Abs(db) <= 1e-10*b.B && scale < 1 {
			return b, nil // as high as arithmetic goes
		}
		if b.A+b.B > 1e12 {
			break
		}
	}
	return Beta{}, fmt.Errorf("beta distribution: %w, or as good as", ErrNoSpread)
}

// PDF returns the density; +Inf at 0 if A < 1 and at 1 if B < 1.
func (b Beta) PDF(x float64) float64 {
	if !(x >= 0 && x <= 1) {
		return 0
	}
	part := func(shape, log float64) float64 {
		if shape == 1 { // not 0·(−∞)
			return 0
		}
		return (shape - 1) * log
	}
	return calc.Exp(part(b.A, calc.Log(x)) + part(b.B, calc.Log1p(-x)) - calc.LogBeta(b.A, b.B))
}

// CDF returns the distribution function, the regularised incomplete beta function.
func (b Beta) CDF(x float64) float64 {
	return calc.RegBeta(b.A, b.B, min(1, max(0, x)))
}

// Breaks returns 0, 1, and where the density may be infinite points that crowd
// towards that end, so that pieces between them are smooth.
func (b Beta) Breaks() []float64 {
	out := []float64{0}
	for j := 50; b.A < 1 && j >= 6; j -= 2 {
		out = append(out, math.Ldexp(1, -j))
	}
	for j := 6; b.B < 1 && j <= 50; j += 2 {
		out = append(out, 1-math.Ldexp(1, -j))
	}
	return append(out, 1)
}

func (b Beta) Draw(rng *rand.Rand) float64 {
	return calc.BetaQuantile(b.A, b.B, rng.Float64())
}

// BetaPair is a mixture of two Beta distributions, the first with the share Share.
type BetaPair struct {
	Share float64
	Of    [2]Beta
}

// The steps of FitBetaPair end when the log-likelihood moves by less.
const (
	pairSteps   = 2000
	pairSettled = 1e-6
)

// FitBetaPair fits a mixture of two Beta distributions to xs ∈ (0,1), by expectation and maximisation from Beta(2,5)
// and Beta(5,2) in equal shares. A distribution that too few numbers belong to stays as it was.
func FitBetaPair(xs []float64) BetaPair {
	p := BetaPair{0.5, [2]Beta{{2, 5}, {5, 2}}}
	before := math.Inf(-1)
	for range pairSteps {
		var logX, logY, weight [2]float64
		value := 0.0
		for _, x := range xs {
			a, b := p.Share*p.Of[0].PDF(x), (1-p.Share)*p.Of[1].PDF(x)
			all := max(a+b, 1e-300)
			value += calc.Log(all)
			for k, w := range [2]float64{a / all, b / all} {
				logX[k] += float64(w * calc.Log(x))
				logY[k] += float64(w * calc.Log1p(-x))
				weight[k] += w
			}
		}
		if math.Abs(value-before) < pairSettled {
			break
		}
		before = value
		p.Share = weight[0] / (weight[0] + weight[1])
		for k := range p.Of {
			if next, err := solveBeta(p.Of[k], logX[k]/weight[k], logY[k]/weight[k]); err == nil {
				p.Of[k] = next
			}
		}
	}
	return p
}

func (p BetaPair) CDF(x float64) float64 {
	return float64(p.Share*p.Of[0].CDF(x)) + float64((1-p.Share)*p.Of[1].CDF(x))
}

// Above returns ∫ z dF(z) from x to 1: what numbers above x add to the mean.
func (p BetaPair) Above(x float64) float64 {
	return float64(p.Share*p.Of[0].above(x)) + float64((1-p.Share)*p.Of[1].above(x))
}

// above is A/(A+B) times the chance that Beta(A+1, B) is above x.
func (b Beta) above(x float64) float64 { return b.A / (b.A + b.B) * (1 - Beta{b.A + 1, b.B}.CDF(x)) }

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
