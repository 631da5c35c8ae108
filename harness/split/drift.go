package split

import (
	"errors"
	"maps"
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/seed"
	"infnet/metrics/infer"
)

// Drift is a two-sample test of whether fit and test part look like draws from one
// source. If they do not, a fitted threshold says little about the test part.
type Drift struct {
	What        string  // what was compared
	Test        string  // "fisher", "chi-square", "permutation" or "kolmogorov-smirnov"
	Statistic   float64 // of the test; Fisher: the probability of the table seen
	P           float64 // in (0,1]: how often draws from one source differ this much
	FitN, TestN int     // records in each part
}

// shareDraws is the number of random tables behind the p-value of shares, and errorDraws of random parts behind that
// of errors, which is adjusted for several models and must still be able to fall below 0.001.
const shareDraws, errorDraws = 1999, 9999

// enough random parts that differ as much settle that p is not small.
const enough = 20

// ShareDrift compares the shares of the classes: two classes by Fisher's exact test, more by Pearson's chi-square
// test, and where a cell of that test is expected to hold fewer than 5 records by its permutation distribution
//
//	p = (1 + #{permuted statistic ≥ observed})/(permutations + 1)
//
// with 1,999 permutations from a stream of the seed. A single class gives p = 1. It fails on an empty part.
func ShareDrift(studySeed uint64, what string, fit, test []int) (Drift, error) {
	d := Drift{What: what, FitN: len(fit), TestN: len(test)}
	if len(fit) == 0 || len(test) == 0 {
		return d, errors.New("drift of " + what + ": a part has no record")
	}
	count := map[int]int{}
	for _, k := range fit {
		count[k]++
	}
	all := map[int]int{}
	for _, k := range slices.Concat(fit, test) {
		all[k]++
	}
	classes := slices.Sorted(maps.Keys(all))
	in, total := make([]int, len(classes)), make([]int, len(classes))
	for i, k := range classes {
		in[i], total[i] = count[k], all[k]
	}
	switch {
	case len(classes) == 1:
		d.Test, d.P = "fisher", 1
		d.Statistic = 1
	case len(classes) == 2:
		d.Test = "fisher"
		d.Statistic, d.P = fisher(in[0], len(fit), total[0], len(fit)+len(test))
	case float64(slices.Min(total))*float64(min(len(fit), len(test))) >= 5*float64(len(fit)+len(test)):
		d.Test = "chi-square"
		d.Statistic = chiSquare(in, total, len(fit), len(test))
		d.P = calc.ChiSquareAbove(float64(len(classes)-1), d.Statistic)
	default:
		d.Test = "permutation"
		d.Statistic = chiSquare(in, total, len(fit), len(test))
		d.P = sharePermuted(studySeed, what, d.Statistic, total, len(fit), len(test))
	}
	return d, nil
}

// chiSquare is Pearson's statistic of a table of two rows, of which in is the first and total the sum.
func chiSquare(in, total []int, fit, test int) float64 {
	n := float64(fit + test)
	sum := 0.0
	for i := range in {
		for _, row := range [2][2]float64{{float64(in[i]), float64(fit)}, {float64(total[i] - in[i]), float64(test)}} {
			expected := row[1] * float64(total[i]) / n
			sum += float64((row[0]-expected)*(row[0]-expected)) / expected
		}
	}
	return sum
}

// sharePermuted returns the p-value of chi-square over permutations of the fit and test labels.
func sharePermuted(studySeed uint64, what string, seen float64, total []int, fit, test int) float64 {
	var labels []int
	for i, n := range total {
		for range n {
			labels = append(labels, i)
		}
	}
	r := seed.Stream(studySeed, "drift", what)
	in := make([]int, len(total))
	reached := 0
	for range shareDraws {
		clear(in)
		for i := range fit { // the first fit places of a Fisher–Yates shuffle
			j := i + r.IntN(len(labels)-i)
			labels[i], labels[j] = labels[j], labels[i]
			in[labels[i]]++
		}
		if chiSquare(in, total, fit, test) >= seen*(1-1e-12) {
			reached++
		}
	}
	return float64(1+reached) / (shareDraws + 1)
}

// fisher is Fisher's exact test, two-sided: the probability of a of the marked being among the drawn, and that of all
// tables no more likely, for marked of n marked and drawn drawn. (R. A. Fisher, 1935; sided as R and SciPy do, with
// their tolerance of 1e-7 for equal tables.)
func fisher(a, drawn, marked, n int) (table, p float64) {
	logP := func(k int) float64 {
		return calc.LogChoose(marked, k) + calc.LogChoose(n-marked, drawn-k) - calc.LogChoose(n, drawn)
	}
	at := logP(a)
	for k := max(0, drawn+marked-n); k <= min(drawn, marked); k++ {
		if l := logP(k); l <= at+1e-7 {
			p += calc.Exp(l)
		}
	}
	return calc.Exp(at), min(1, p)
}

// ErrorDrift compares a model's error rates: by Fisher's exact test, or where records come in groups (ids that are
// equal and not "") by the permutation distribution of the difference of the rates, in which whole groups change
// parts. Both are valid where the parts were drawn at random, the second whatever ties the records of a group. It
// fails on an empty part.
func ErrorDrift(studySeed uint64, what string, fit, test []bool, fitGroups, testGroups []string) (Drift, error) {
	wrong := slices.Concat(fit, test)
	class := make([]int, len(wrong))
	place := map[string]int{}
	var units [][2]float64 // records and errors of a group, or of a record alone
	of := func(i int, group string) {
		k, known := place[group]
		if !known || group == "" {
			k, units = len(units), append(units, [2]float64{})
			place[group] = k
		}
		units[k][0]++
		if wrong[i] {
			class[i], units[k][1] = 1, units[k][1]+1
		}
	}
	for i, g := range fitGroups {
		of(i, g)
	}
	first := len(units)
	for i, g := range testGroups {
		of(len(fit)+i, g)
	}
	d, err := ShareDrift(studySeed, what, class[:len(fit)], class[len(fit):])
	if err != nil || len(units) == len(wrong) {
		return d, err
	}
	d.Test, d.Statistic = "permutation of groups", rateDifference(units, first)
	r, reached := seed.Stream(studySeed, "drift", what), 0
	for n := range errorDraws {
		r.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
		if rateDifference(units, first) >= d.Statistic*(1-1e-12) {
			reached++
		}
		if reached == enough { // valid too: J. Besag and P. Clifford, Biometrika 78 (1991)
			d.P = float64(enough) / float64(n+1)
			return d, nil
		}
	}
	d.P = float64(1+reached) / (errorDraws + 1)
	return d, nil
}

// rateDifference is how far apart the error rates of the first units and of the others are.
func rateDifference(units [][2]float64, first int) float64 {
	var n, errors [2]float64
	for i, u := range units {
		part := min(1, max(0, i-first+1))
		n[part], errors[part] = n[part]+u[0], errors[part]+u[1]
	}
	return math.Abs(errors[0]/n[0] - errors[1]/n[1])
}

// ScoreDrift compares the distribution of a score, such as β, by the two-sample Kolmogorov–Smirnov test: the statistic
// is the largest distance D of the two empirical distribution functions, and with n_e = n·m/(n+m)
//
//	p = Q((√n_e + 0.12 + 0.11/√n_e)·D)
//
// with Q of infer.Kolmogorov (Stephens 1970). Where scores are tied p is too large rather than too small.
// It fails on an empty part and on NaN.
func ScoreDrift(what string, fit, test []float64) (Drift, error) {
	d := Drift{What: what, Test: "kolmogorov-smirnov", FitN: len(fit), TestN: len(test)}
	if len(fit) == 0 || len(test) == 0 {
		return d, errors.New("drift of " + what + ": a part has no record")
	}
	if slices.ContainsFunc(fit, math.IsNaN) || slices.ContainsFunc(test, math.IsNaN) {
		return d, errors.New("drift of " + what + ": a score is NaN")
	}
	d.Statistic = distance(fit, test)
	n, m := float64(len(fit)), float64(len(test))
	root := math.Sqrt(n * m / (n + m))
	d.P = infer.Kolmogorov((root + 0.12 + 0.11/root) * d.Statistic)
	return d, nil
}

// distance is the largest distance of two empirical distribution functions, as stat.KolmogorovSmirnov computes it of
// sorted samples from running sums of 1/n: here each is a ratio of counts, which is rounded once.
func distance(a, b []float64) float64 {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	far := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x := min(a[i], b[j])
		for i < len(a) && a[i] == x {
			i++
		}
		for j < len(b) && b[j] == x {
			j++
		}
		far = max(far, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return far
}
