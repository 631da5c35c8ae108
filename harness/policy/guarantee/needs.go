package guarantee

import (
	"math"

	"infnet/harness/calc"
)

// Needs are what would change whether a promise is given, each alone, where the test is a binomial one: the first
// thresholds that were tested decide it. They stay what they are.
type Needs struct {
	Delta   float64 // it is given at this δ and above
	Level   float64 // and at this level and above
	Records int     // about how many tested records would change it, at the same share of errors; 0 = no number would
}

// Needs returns them; ok is false where another test was made, or none.
func (p Promise) Needs() (out Needs, ok bool) {
	if len(p.Tests) == 0 || p.Untested || p.Delta == 0 || p.Tested == 0 {
		return out, false
	}
	t, n := p.Tests[0], p.Tested
	k := int(math.Round(t.Risk * float64(n)))
	if p.Clusters != 0 || k >= n || binomialPValue(k, n, p.Level) != t.P {
		return out, false
	}
	out.Delta, out.Level = t.P, calc.BetaQuantile(float64(k+1), float64(n-k), 1-p.Delta)
	given := func(n int) bool {
		return binomialPValue(int(math.Round(t.Risk*float64(n))), n, p.Level) <= p.Delta
	}
	const most = 100 // times more or fewer
	no, yes := n, 0
	for next := n; yes == 0 && next >= max(1, n/most) && next <= n*most; {
		if p.Certified {
			next /= 2
		} else {
			next *= 2
		}
		if given(next) != p.Certified {
			yes = next
		} else {
			no = next
		}
	}
	for yes > 0 && max(yes, no)-min(yes, no) > 1 {
		if half := (yes + no) / 2; given(half) != p.Certified {
			yes = half
		} else {
			no = half
		}
	}
	out.Records = yes
	return out, true
}
