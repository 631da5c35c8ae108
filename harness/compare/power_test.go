package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"infnet/metrics/infer"
)

// tail is the probability that of n records that differ, each for the worse with probability p, at least k are, by
// enumeration of all 2ⁿ outcomes.
func tail(n, k int, p float64) (sum float64) {
	for outcome := range 1 << n {
		worse, probability := 0, 1.0
		for i := range n {
			if outcome>>i&1 == 1 {
				worse++
				probability *= p
			} else {
				probability *= 1 - p
			}
		}
		if worse >= k {
			sum += probability
		}
	}
	return sum
}

// One-sided p-values are those of the enumeration, in the direction seen.
func TestOneSidedMcNemarByEnumeration(t *testing.T) {
	for n := range 13 {
		for worse := range n + 1 {
			better := n - worse
			got := oneSided(infer.McNemar(worse, better), float64(worse-better), Lower)
			want := tail(n, max(worse, better), 0.5)
			if worse == better {
				want = 1 // nothing was seen
			}
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("%d worse and %d better: p = %v, by enumeration %v", worse, better, got, want)
			}
		}
	}
}

// The critical number of records is the least at which the enumerated tail is within the level.
func TestCriticalByEnumeration(t *testing.T) {
	for n := range 14 {
		for _, alpha := range []float64{0.2, 0.05, 0.01, 0.001} {
			want := n + 1
			for k := n; k >= 0 && tail(n, k, 0.5) <= alpha; k-- {
				want = k
			}
			if got := critical(alpha, n); got != want {
				t.Errorf("%d records at level %v: critical %d, by enumeration %d", n, alpha, got, want)
			}
		}
	}
}

// What is called detectable is seen with probability 0.8, and one record less is not.
func TestDetectableByEnumeration(t *testing.T) {
	const n = 200
	for _, noise := range []int{0, 2, 4} {
		for _, alpha := range []float64{0.05, 0.01} {
			excess := int(math.Round(detectableRate(alpha, noise, n) * n))
			chance := func(excess int) float64 {
				all := noise + excess
				p := (float64(excess) + float64(noise)/2) / float64(all)
				return tail(all, critical(alpha, all), p)
			}
			if chance(excess) < power || chance(excess-1) >= power {
				t.Errorf("noise %d, level %v: %d records are seen with probability %.3f and %d with %.3f", noise, alpha, excess,
					chance(excess), excess-1, chance(excess-1))
			}
		}
	}
	if d := detectableRate(0.05, 2, 5); d != 0 {
		t.Errorf("on five records of which two differ by chance %v is detectable: three more do not reach the level", d)
	}
}

// On as many records as are said to be needed, the test sees the difference about four times in five. The formula is an
// approximation, and the exact test a little weaker.
func TestNeededBySimulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		worse, better, n int
		alpha            float64
	}{{12, 6, 200, 0.05}, {8, 5, 400, 0.01}, {30, 15, 120, 0.005}} {
		need := neededRate(c.alpha, c.worse, c.better, c.n)
		w, b := float64(c.worse)/float64(c.n), float64(c.better)/float64(c.n)
		const draws = 2000
		seen := 0
		for range draws {
			worse, better := 0, 0
			for range need {
				switch u := rng.Float64(); {
				case u < w:
					worse++
				case u < w+b:
					better++
				}
			}
			seen += tell(worse > better && infer.McNemar(worse, better)/2 <= c.alpha)
		}
		if rate := float64(seen) / draws; rate < 0.72 || rate > 0.86 {
			t.Errorf("%d worse and %d better of %d: on %d records seen in %.3f", c.worse, c.better, c.n, need, rate)
		}
	}
	if n := neededRate(0.05, 4, 4, 100); n != 0 {
		t.Errorf("no difference needs %d records", n)
	}
}

// Permutation p-values are those of all 2ⁿ sign changes, in the direction seen, but for the draws.
func TestSignFlipByEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 6 {
		const n = 10
		x, y, observed := make([]float64, n), make([]float64, n), 0.0
		for i := range n {
			x[i], y[i] = rng.Float64(), rng.Float64()+0.2
			observed += y[i] - x[i]
		}
		reached := 0
		for signs := range 1 << n {
			s := 0.0
			for i := range n {
				if signs>>i&1 == 1 {
					s += y[i] - x[i]
				} else {
					s -= y[i] - x[i]
				}
			}
			reached += tell(s >= math.Abs(observed)-1e-12)
		}
		want := float64(reached) / (1 << n)
		h := &hypothesis{x: [][]float64{x}, y: [][]float64{y},
			q: &Quantity{Direction: Lower, New: infer.Interval{Level: 0.95}}}
		if err := h.test(1); err != nil {
			t.Fatal(err)
		}
		if sd := math.Sqrt(want*(1-want)/infer.Permutations) + 1e-3; math.Abs(h.q.P-want) > 5*sd {
			t.Errorf("p = %v, by enumeration %v", h.q.P, want)
		}
	}
}

// Where few permutations cannot give the p-value that matters, more are drawn.
func TestSmallLevelsGetMorePermutations(t *testing.T) {
	x, y := make([]float64, 60), make([]float64, 60)
	for i := range y {
		y[i] = 1 + float64(i)/100
	}
	p := func(least float64) float64 {
		h := &hypothesis{x: [][]float64{x}, y: [][]float64{y},
			q: &Quantity{Direction: Lower, New: infer.Interval{Level: 0.95}}}
		if err := h.test(least); err != nil {
			t.Fatal(err)
		}
		return h.q.P
	}
	if usual, small := p(0.01), p(1e-4); usual < 4e-5 || small > 4e-6 {
		t.Errorf("p = %v, and %v where 0.0001 matters", usual, small)
	}
}
