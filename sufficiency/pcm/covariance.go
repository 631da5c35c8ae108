package pcm

import (
	"math"
	"math/rand/v2"
	"slices"

	"infnet/harness/calc"
)

// Covariance is the generalised covariance measure of Δ and J's columns given β
// and class: the largest |T| of several directions.
//
//	T = Σ u(i) / √(Σ (u(i) − ū)²),  u = (Δ − its regression) · (direction − its regression)
//
// summed over records, or over groups. (R. D. Shah and J. Peters, Annals of
// Statistics 48, 2020; weights: C. Scheidegger, J. Hörrmann and P. Bühlmann,
// The weighted generalised covariance measure, JMLR 23, 2022.) The directions of a
// column are its rank, its rank weighted by β's, and the square of its rank,
// centred.
type Covariance struct {
	P          float64 `json:"p"`          // of the largest: Gaussian multipliers, or Bonferroni's bound
	Largest    float64 `json:"largest"`    // |T|, as the normal deviate with Student's tail: see effective
	Directions int     `json:"directions"` // tested; 0 = β and class tell every column
	// Seen is the change in Δ's mean from the lowest to the highest value of a
	// column, even in its ranks, that would have been seen at level α with
	// probability 0.8: the median over columns. 0 = unknown.
	Seen float64 `json:"seen"`
}

const (
	covarianceDraws = 1999
	covarianceShare = 0.75 // of the level; the projected measure has the rest
	handicap        = 1.3  // of the directions other than ranks: what |T| is divided by
)

// covariance tests the columns of J at level alpha, and checks their regressions.
func (t *tester) covariance(reg *regression, l *local, count int) (out Covariance, worst []float64, around float64) {
	out.P, around = 1, 1
	tilt := make([]float64, len(l.rank))
	for i, v := range l.rank {
		tilt[i] = v - 0.5
	}
	var scores [][]float64
	var slopes []float64 // standard error of the slope along each column
	var plain []bool
	add := func(score []float64, bent bool) { scores, plain = append(scores, score), append(plain, !bent) }
	for _, column := range t.in.J {
		rank := midranks(column)
		square := make([]float64, len(rank))
		for i, v := range rank {
			square[i] = float64(v*v) - 1.0/12
		}
		for which, x := range [][]float64{rank, square} {
			left := make([]float64, len(x))
			for i, m := range reg.crossfit(x) {
				left[i] = x[i] - m
			}
			if variance(left) <= flat*flat {
				continue
			}
			if which == 0 {
				worst = append(worst, l.rough(left, t.units))
			}
			beyond, ok := l.beyond(left)
			score, length := t.products(beyond, nil, l.lift, count)
			if !ok || length == 0 {
				continue
			}
			add(score, which == 1)
			around = min(around, t.around(l.around(left, t.units), sum(score), count)*float64(2*len(t.in.J)))
			if which == 0 {
				if moved := math.Abs(dot(beyond, left)); moved > 0 {
					slopes = append(slopes, length/moved)
				}
				if tilted, long := t.products(beyond, tilt, l.lift, count); long > 0 {
					add(tilted, true)
				}
			}
		}
	}
	out.Directions = len(scores)
	if len(scores) == 0 {
		return out, worst, around
	}
	r := t.o.Stream("pcm", "multipliers")
	var bar float64
	nu := effective(t.units)
	out.Largest, out.P, bar = largest(scores, plain, covarianceDraws, t.o.Alpha*covarianceShare, nu, r)
	bound := 0.0
	for _, p := range plain {
		if p {
			bound += 2 * calc.NormalBelow(-out.Largest)
		} else {
			bound += 2 * calc.NormalBelow(-out.Largest*handicap)
		}
	}
	out.P = min(out.P, bound)
	if len(slopes) > 0 {
		slices.Sort(slopes)
		const reach = 0.8416                 // the normal quantile of 0.8
		bar *= 1 + float64(bar*bar+1)/(4*nu) // Student's quantile, to the first order (E. A. Cornish and R. A. Fisher 1938)
		out.Seen = (bar + reach) * slopes[len(slopes)/2]
	}
	return out, worst, around
}

// around is the p-value of Δ's residuals going with a column's among its
// neighbours, and not its own, in the direction of T. Where either regression is
// right their mean product is 0, and an effect of a record's own J makes it, if
// anything, of the other sign: so a small p tells that both miss the same steps,
// even where each fit's own error hides them from the check of its residuals.
func (t *tester) around(column []float64, toward float64, count int) float64 {
	score, length := t.products(column, nil, slices.Repeat([]float64{1}, len(column)), count)
	if length == 0 {
		return 1
	}
	return calc.StudentAbove(float64(max(1, count-1)), math.Copysign(1, toward)*sum(score))
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// products are Δ's residuals times a direction, summed by unit and divided by
// their standard error, which is returned too.
func (t *tester) products(direction, weight, lift []float64, count int) (score []float64, length float64) {
	score = make([]float64, count)
	lifted := make([]float64, count)
	for i, v := range direction {
		if weight != nil {
			v *= weight[i]
		}
		score[t.units[i]] += float64(t.left[i] * v)
		lifted[t.units[i]] += float64(t.left[i] * v * lift[i])
	}
	mean := 0.0
	for _, v := range lifted {
		mean += v / float64(count)
	}
	for _, v := range lifted {
		length += float64((v - mean) * (v - mean))
	}
	if length = math.Sqrt(length); length <= 1e-9 {
		return nil, 0
	}
	for u := range score {
		score[u] /= length
	}
	return score, length
}

// effective is the degrees of freedom of a sum over units of m records:
//
//	(Σ m²)² / Σ m⁴ − 1, at least 1
//
// the units less one where they are equal, and fewer where a few are large, whose
// records may all go together (C. A. Carter, K. T. Schnepel and D. G. Steigerwald,
// Asymptotic behavior of a t-test robust to cluster heterogeneity, Review of
// Economics and Statistics 99, 2017).
func effective(units []int) float64 {
	size := make([]float64, slices.Max(units)+1)
	for _, u := range units {
		size[u]++
	}
	square, fourth := 0.0, 0.0
	for _, m := range size {
		square += float64(m * m)
		fourth += float64(m * m * m * m)
	}
	return max(1, square*square/fourth-1)
}

// largest returns the largest |sum| of several scores, each as the normal deviate
// whose tail is that of Student's t with nu degrees of freedom, its p-value under
// Gaussian multipliers (V. Chernozhukov, D. Chetverikov and K. Kato, Annals of
// Statistics 41, 2013), and their quantile at a level. Scores that are not plain
// are handicapped; nil = all are plain.
func largest(scores [][]float64, plain []bool, draws int, level, nu float64, r *rand.Rand) (most, p, bar float64) {
	k := len(scores)
	worth := func(i int) float64 {
		if plain == nil || plain[i] {
			return 1
		}
		return handicap
	}
	l := make([]float64, k*k)
	for i := range k {
		tail := max(calc.StudentAbove(nu, math.Abs(sum(scores[i]))), 1e-300)
		most = max(most, -calc.NormalQuantile(tail)/worth(i))
		for j := range i + 1 {
			v := dot(scores[i], scores[j])
			l[i*k+j], l[j*k+i] = v, v
		}
	}
	for i := range k { // correlations
		norm := math.Sqrt(l[i*k+i])
		for j := range k {
			l[i*k+j] /= norm
			l[j*k+i] /= norm
		}
	}
	for i := range k {
		l[i*k+i] += 1e-9
	}
	cholesky(l, k)
	reached, z, all := 0, make([]float64, k), make([]float64, draws)
	for d := range all {
		for i := range z {
			z[i] = r.NormFloat64()
		}
		for i := range k {
			all[d] = max(all[d], math.Abs(dot(l[i*k:i*k+i+1], z[:i+1]))/worth(i))
		}
		if all[d] >= most {
			reached++
		}
	}
	slices.Sort(all)
	bar = all[min(draws-1, int((1-level)*float64(draws)))]
	return most, float64(1+reached) / float64(1+draws), bar
}

// midranks are ranks in (−½, ½), equal where values are.
func midranks(values []float32) []float64 {
	x := make([]float64, len(values))
	for i, v := range values {
		x[i] = float64(v)
	}
	out, below := make([]float64, len(x)), 0
	for equal := range calc.Ties(x) {
		for _, i := range equal {
			out[i] = float64(2*below+len(equal))/float64(2*len(x)) - 0.5
		}
		below += len(equal)
	}
	return out
}

// variance is the mean square.
func variance(x []float64) float64 { return dot(x, x) / float64(len(x)) }
