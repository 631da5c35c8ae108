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
	Rough     float64 `json:"rough"`     // p of Δ's residuals within bins of neighbours, and of trends in small classes
	Columns   float64 `json:"columns"`   // the same of J's columns: the least, times their number; 1 without
	Around    float64 `json:"around"`    // p of Δ's residuals going with neighbours' columns of J: the least, times their number
	Failed    bool    `json:"failed"`
}

// Gross is the level at which J's regressions fail by themselves: a column that
// follows steps of β so closely hides no error of Δ's regression.
const Gross = 1e-6

// judge fails the fit where Δ's regression shows a misfit at FitLevel. Errors of
// both regressions do harm by their product, so where J's regressions fail at
// FitLevel, a misfit of Δ's at BothLevel is enough, and a gross one of J's by
// itself. A product that shows between neighbours is enough too.
func (f *Fit) judge(rough float64, columns []float64, around float64) {
	f.Rough, f.Columns, f.Around = rough, 1, min(1, around)
	for _, p := range columns {
		f.Columns = min(f.Columns, p*float64(len(columns)))
	}
	own := min(f.P, f.Rough)
	f.Failed = own <= FitLevel || f.Around <= FitLevel || f.Columns <= Gross || f.Columns <= FitLevel && own <= BothLevel
}

// FitLevel is the level of the check: the share of good fits that fail it.
const FitLevel = 0.01

// BothLevel is the level for Δ's regression where J's fail theirs.
const BothLevel = 0.2

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
	if len(scores) > 0 {
		_, fit.P, _ = largest(scores, nil, fitDraws, FitLevel, effective(units), r)
	}
	return fit
}

// bin is the number of neighbours in β whose residuals are looked at together, and
// fine the number where the risk swings within such a bin.
const bin, fine = 15, 5

// rough is the p-value of residuals that go together within bins of neighbours in
// β, or with a trend within classes, whichever way each bin and class goes:
//
//	Z = Σ_b Σ_{i≠j in b} r(i)·r(j) / √(2·Σ_b Σ_{i≠j in b} r(i)²·r(j)²)
//
// taken as normal: products of different pairs have mean 0 and do not go together
// where the regression is right. Pairs of one unit are left out. The result is the
// least p-value, of bins of two sizes and of trends, times three.
func (l *local) rough(left []float64, units []int) float64 {
	var bins, small, trends pairs
	for _, run := range l.runs {
		bins.addBins(bin, run, left, units)
		small.addBins(fine, run, left, units)
		middle := 0.0
		for _, i := range run {
			middle += l.rank[i] / float64(len(run))
		}
		if len(l.runs) > 1 && len(run) <= 5*bin {
			trends.add(run, left, units, func(i int) float64 { return l.rank[i] - middle })
		}
	}
	return min(1, 3*min(bins.p(), small.p(), trends.p()))
}

// pairs sums products of residuals over pairs of records.
type pairs struct{ sum, square float64 }

// addBins adds the pairs of neighbours, size of them at a time.
func (p *pairs) addBins(size int, run []int, left []float64, units []int) {
	for start := 0; start < len(run); start += size {
		end := min(len(run), start+size)
		if len(run)-end < size/2 {
			end = len(run)
		}
		p.add(run[start:end], left, units, nil)
		if end == len(run) {
			break
		}
	}
}

func (p *pairs) add(records []int, left []float64, units []int, weight func(i int) float64) {
	x := pick(left, records)
	if weight != nil {
		for k, i := range records {
			x[k] *= weight(i)
		}
	}
	for a, i := range records {
		for b, j := range records[:a] {
			if units[i] != units[j] {
				v := float64(x[a] * x[b])
				p.sum += v
				p.square += float64(v * v)
			}
		}
	}
}

// p is one-sided: only residuals that go together are a misfit.
func (p *pairs) p() float64 {
	if p.square == 0 {
		return 1
	}
	return calc.NormalBelow(-p.sum / math.Sqrt(p.square))
}
