package infer_test

import (
	"math"
	"testing"

	"infnet/metrics/infer"
)

// repeated lists values that many records share.
func repeated(of ...float64) (out []float64) {
	for i := 0; i < len(of); i += 2 {
		for range int(of[i+1]) {
			out = append(out, of[i])
		}
	}
	return out
}

func TestCostsByHand(t *testing.T) {
	for name, c := range map[string]struct {
		y, x   []float64 // the differences are x − y
		groups []string
		flip   float64 // the p-value of the signs
		p      float64
	}{
		// d is 1 on 18 records and −1 on 12: d̄ = .2, s = .99655, γ = −.38801, with 1.6γ for γ the corrected t = 1.03533;
		// Student's t with 29 degrees of freedom, integrated by Simpson's rule. 28.8²/(12·1.2⁴) = 33 records carry it.
		"skewed": {y: repeated(2, 30), x: repeated(3, 18, 1, 12), p: 0.3090710741},
		// the signs' p-value is the larger one
		"signs": {y: repeated(2, 30), x: repeated(3, 18, 1, 12), flip: .4, p: .4},
		// differences and costs are equal: nothing speaks against the signs
		"equal": {y: repeated(2, 20), x: repeated(3, 20), flip: .002, p: .002},
		// the lower costs are 1 and 4, ten times each, of equal differences: the variance of their logarithms is ln²2, and
		// p = 2·exp(−20/(5·(exp(ln²2) − 1)))
		"unequal": {y: repeated(1, 10, 4, 10), x: repeated(2, 10, 5, 10), p: 00.0030522783},
		// what does not differ carries nothing
		"others": {y: repeated(1, 10, 4, 10, 9, 500), x: repeated(2, 10, 5, 10, 9, 500), p: 00.0030522783},
		// one that costs nothing has no logarithm: the other's is taken. Here 45²/(10·1.5⁴) = 40 is the lower E
		"free": {y: repeated(0, 20), x: repeated(1, 10, 4, 10), p: 00.0006709253},
		// the same again, in halves
		"groups": {y: repeated(.5, 20, 2, 20), x: repeated(1, 20, 2.5, 20), p: 00.0030522783, groups: pairsOf(40)},
		// 9 save 1 and one costs 5 more: d̄ = −.4, 32.4²/5.4⁴ = 1.2 records
		"one":  {y: repeated(7, 10), x: repeated(6, 9, 12, 1), p: 1},
		"same": {y: repeated(2, 20), x: repeated(2, 20), flip: 1, p: 1},
	} {
		got := infer.Costs(infer.Paired{P: c.flip}, c.x, c.y, [2][]float64{c.x, c.y}, c.groups)
		if math.Abs(got.P-c.p) > 1e-9 {
			t.Errorf("%s: p = %.10f, want %.10f", name, got.P, c.p)
		}
	}
}

func pairsOf(n int) (out []string) {
	for i := range n {
		out = append(out, string(rune('a'+i/2)))
	}
	return out
}
