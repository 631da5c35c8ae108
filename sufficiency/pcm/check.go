package pcm

import (
	"math"
	"math/rand/v2"
	"slices"

	"infnet/harness/calc"
)

// Fit is a smooth test of the regression of Δ on what the null knows: do the
// residuals of records left out go with any cosine of β, of β's rank, or of its
// rank within a class? (J. Neyman, Smooth test for goodness of fit,
// Skandinavisk Aktuarietidskrift 20, 1937; the maximum by a Gaussian
// multiplier bootstrap: V. Chernozhukov, D. Chetverikov and K. Kato, Annals of
// Statistics 41, 2013.)
type Fit struct {
	P         float64 `json:"p"`         // of the largest
	Largest   float64 `json:"largest"`   // |sum over its standard error|
	Functions int     `json:"functions"` // tried
	Failed    bool    `json:"failed"`    // P ≤ FitLevel
}

// FitLevel is the level of the check: the share of good fits that fail it.
const FitLevel = 0.01

const (
	cosines      = 24 // of each kind, at most
	ownCosines   = 4  // of each class
	perFunction  = 10 // records needed
	fitDraws     = 999
	leastOfClass = 5 * ownCosines * perFunction / 4
)

// functions calls use with each function that the residuals are tested against,
// at every record; the slice is used again.
func functions(in Sample, b *basis, use func(f []float64)) {
	n := len(in.Beta)
	column := make([]float64, n)
	add := func(most int, u func(i int) float64, records []int) {
		for j := range most {
			clear(column)
			for _, i := range records {
				column[i] = calc.Cos(math.Pi * float64(j+1) * u(i))
			}
			use(column)
		}
	}
	all, byClass := make([]int, n), map[int][]int{}
	for i := range all {
		all[i] = i
		if in.Class != nil {
			byClass[in.Class[i]] = append(byClass[in.Class[i]], i)
		}
	}
	if b.knots > 0 {
		most := min(cosines, n/perFunction)
		rank := make([]float64, n)
		for i := range rank {
			rank[i] = b.rank(in.Beta[i])
		}
		add(most, func(i int) float64 { return rank[i] }, all)
		add(most, func(i int) float64 { return (in.Beta[i] - b.low) / (b.high - b.low) }, all)
	}
	if len(byClass) < 2 {
		return
	}
	classes := make([]int, 0, len(byClass))
	for c := range byClass {
		classes = append(classes, c)
	}
	slices.Sort(classes)
	for _, c := range classes {
		records := byClass[c]
		if len(records) < leastOfClass {
			continue
		}
		own := newBasis(pick(in.Beta, records))
		add(1, func(int) float64 { return 0 }, records)
		if own.knots > 0 {
			add(ownCosines, func(i int) float64 { return own.rank(in.Beta[i]) }, records)
		}
	}
}

// check tests the residuals left against the functions.
func check(in Sample, b *basis, left []float64, units []int, count int, r *rand.Rand) Fit {
	var scores [][]float64 // by function, by unit, of length 1
	fit := Fit{P: 1}
	functions(in, b, func(f []float64) {
		score := make([]float64, count)
		for i, v := range f {
			score[units[i]] += float64(v * left[i])
		}
		total, square := 0.0, 0.0
		for _, v := range score {
			total += v
			square += float64(v * v)
		}
		if square <= 1e-18 {
			return
		}
		length := math.Sqrt(square)
		for u := range score {
			score[u] /= length
		}
		scores = append(scores, score)
		fit.Largest = max(fit.Largest, math.Abs(total)/length)
	})
	fit.Functions = len(scores)
	if len(scores) == 0 {
		return fit
	}
	p := len(scores)
	l := make([]float64, p*p)
	for i := range p {
		for j := range i + 1 {
			v := 0.0
			for u, x := range scores[i] {
				v += float64(x * scores[j][u])
			}
			l[i*p+j], l[j*p+i] = v, v
		}
		l[i*p+i] += 1e-9
	}
	cholesky(l, p)
	reached, z := 0, make([]float64, p)
	for range fitDraws {
		for i := range z {
			z[i] = r.NormFloat64()
		}
		for i := range p {
			v := 0.0
			for k, x := range l[i*p : i*p+i+1] {
				v += float64(x * z[k])
			}
			if math.Abs(v) >= fit.Largest {
				reached++
				break
			}
		}
	}
	fit.P = float64(1+reached) / float64(1+fitDraws)
	fit.Failed = fit.P <= FitLevel
	return fit
}
