package curve

import (
	"fmt"
	"math"

	"infnet/harness/calc"
)

// Density is a continuous distribution on [0,1].
type Density interface {
	PDF(x float64) float64 // ≥ 0; 0 outside [0,1]; may be +Inf at 0 and 1
	CDF(x float64) float64 // 0 at 0 and below, 1 at 1 and above
}

// Broken is a Density that is smooth only between its breaks: cut integrals there.
type Broken interface {
	Breaks() []float64 // ascending, within [0,1]
}

// Bandwidth returns the bandwidth of a Gaussian kernel on xs by Silverman's rule of thumb,
//
//	h = 0.9·min(sd, IQR/1.34)·n^(−1/5),
//
// sd with divisor n−1 and quartiles as Quantiles'. Where the quartiles coincide, sd alone is used; 0 means that all xs
// are equal (or there is one), and no bandwidth follows from them.
//
// Silverman (1986), Density Estimation, eq. 3.31. R calls it bw.nrd0.
func Bandwidth(xs []float64) (float64, error) {
	q, err := Quantiles(xs, []float64{0, .25, .75, 1})
	if err != nil {
		return 0, fmt.Errorf("bandwidth: %w", err)
	}
	if q[0] == q[3] {
		return 0, nil
	}
	n, mean, squares := float64(len(xs)), 0.0, 0.0
	for _, x := range xs {
		mean += x / n
	}
	for _, x := range xs {
		squares += float64((x - mean) * (x - mean))
	}
	spread := math.Sqrt(squares / (n - 1))
	if iqr := (q[2] - q[1]) / 1.34; iqr > 0 {
		spread = min(spread, iqr)
	}
	return 0.9 * spread * calc.Pow(n, -0.2), nil
}

// KDE is a Gaussian kernel density estimate on [0,1]. Mass that would leave at 0
// or 1 is reflected back, which keeps it a density and removes the dip at the
// ends:
//
//	f(x) = 1/(nh) · Σ_i Σ_j [φ((x − 2j − x_i)/h) + φ((x − 2j + x_i)/h)]
type KDE struct {
	h, n float64
	sum  *gaussSum
	base float64 // the sum of Φ at 0
}

// NewKDE estimates the density of xs ∈ [0,1] with bandwidth h, 0 < h ≤ 1. Both
// PDF and CDF are right to about 12 digits and cost the same however many xs
// there are. O(n).
func NewKDE(xs []float64, h float64) (*KDE, error) {
	if err := unit(xs); err != nil {
		return nil, fmt.Errorf("density: %w", err)
	}
	if !(h > 0 && h <= 1) {
		return nil, fmt.Errorf("density of bandwidth %v: want a number in (0,1]", h)
	}
	var points []float64
	margin := float64(reach*h) + h
	for _, x := range xs {
		for j := math.Floor(-margin / 2); 2*j <= 2+margin; j++ {
			for _, image := range [2]float64{2*j + x, 2*j - x} {
				if image >= -margin && image <= 1+margin {
					points = append(points, image)
				}
			}
		}
	}
	k := &KDE{h: h, n: float64(len(xs)), sum: newGaussSum(points, nil, h)}
	k.base = k.sum.below(0)
	return k, nil
}

func (k *KDE) PDF(x float64) float64 {
	if !(x >= 0 && x <= 1) {
		return 0
	}
	return k.sum.at(x) / (k.n * k.h)
}

func (k *KDE) CDF(x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	}
	return min(max((k.sum.below(x)-k.base)/k.n, 0), 1)
}

// unit reports numbers outside [0,1], and an empty sample.
func unit(xs []float64) error {
	if len(xs) == 0 {
		return fmt.Errorf("no numbers")
	}
	for i, x := range xs {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("number %d is %v: want one in [0,1]", i, x)
		}
	}
	return nil
}
