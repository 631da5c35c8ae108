package nights

import (
	"math"

	"infnet/harness/calc"
)

// stakes are the fractions of the wealth that are staked, before they are divided by 1 + the margin. A drop of δ in
// differences of variance σ² is found soonest with a stake near δ/σ²: these are right for drops of half a point to
// thirty in the usual range of variances.
var stakes = [...]float64{1. / 64, 1. / 32, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 3. / 4}

// Step is a difference that some records of a night have in common.
type Step struct {
	Difference float64 `json:"d"` // in [−1, 1], more is worse
	Count      int     `json:"n"`
}

// Wealth is what became of a stake of 1 that was bet, record by record, on the mean difference being above a margin m.
// Each record multiplies it by
//
//	1 + λ_i(d_i − m),  0 ≤ λ_i < 1/(1 + m)
//
// with λ_i known before d_i is. While the mean of d_i, given all before it, is at most m, the wealth is a nonnegative
// supermartingale, and reaches 1/α with probability at most α, whenever one looks.
//
// The wealth is divided beforehand. The t-th night gets 1/(t(t+1)) of it, in equal parts for every one of the stakes
// above; a part lies idle until its night and is then bet with its stake on every record. So one λ_i changes from night
// to night, as the parts win and lose. Parts that begin later have lost nothing on the nights before, when nothing was
// worse, so a drop after a good year is found nearly as soon as one in the first week.
//
// Records of one night share what a server did that night. An effect b that all of them have, of mean 0 over the nights
// and sub-Gaussian with standard deviation τ (a normal one, or one within ±τ), is no worse model. Given b a record wins
// at most 1 + λb ≤ exp(λb) on average, and N records exp(Nλb), so that each part is divided by exp((Nλτ)²/2) every
// night, and the wealth is a supermartingale over nights again.
type Wealth struct {
	Margin float64
	Effect float64 // τ ≥ 0, in errors per record

	nights int
	parts  [len(stakes)]float64 // logarithms of what has been made of what was staked
}

// Night bets on the differences of one night, in whatever order. A night without any is none.
func (w *Wealth) Night(steps []Step) {
	if len(steps) == 0 {
		return
	}
	// G. Shafer, "Testing by betting", JRSS A 184 (2021); I. Waudby-Smith and A. Ramdas, "Estimating means of bounded
	// random variables by betting", JRSS B 86 (2024), whose bound 1/α for the maximum is Ville's (1939). Parts that begin
	// later: J. Shin, A. Ramdas and A. Rinaldo, "E-detectors" (2022), here with weights that sum to 1.
	w.nights++
	t := float64(w.nights)
	share := -calc.Log(t * (t + 1) * float64(len(stakes)))
	for i, stake := range stakes {
		had := share
		if w.nights > 1 {
			had = sumOfLogs(w.parts[i], share)
		}
		records := 0
		for _, s := range steps {
			records += s.Count
		}
		shared := float64(records) * stake / (1 + w.Margin) * w.Effect
		w.parts[i] = had - shared*shared/2
		for _, s := range steps {
			w.parts[i] += float64(float64(s.Count) * calc.Log1p(stake/(1+w.Margin)*(s.Difference-w.Margin)))
		}
	}
}

// Log returns the natural logarithm of the wealth.
func (w *Wealth) Log() float64 {
	if w.nights == 0 {
		return 0
	}
	total := -calc.Log(float64(w.nights) + 1) // what lies idle: 1 − Σ 1/(t(t+1)) = 1/(nights+1)
	for _, part := range w.parts {
		total = sumOfLogs(total, part)
	}
	return total
}

// sumOfLogs is log(e^a + e^b).
func sumOfLogs(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + calc.Log1p(calc.Exp(b-a))
}

// AnytimeP is the p-value of a wealth, given as its logarithm: 1 divided by it, at most 1. It holds whenever one looks.
func AnytimeP(log float64) float64 { return calc.Exp(-max(0, log)) }
