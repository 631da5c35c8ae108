package guarantee

import (
	"math/rand/v2"
	"slices"
	"testing"

	"infnet/harness/policy"
)

// sure draws a master's confidence: it is wrong with probability min(1, 2m(1−c)), uniform c.
func (w truth) sure(rng *rand.Rand, r policy.Records) (confidence []float64) {
	for i := range r.Beta {
		c := rng.Float64()
		r.Master[i] = 0
		if rng.Float64() < 2*w.master*(1-c) {
			r.Master[i] = 1
		}
		confidence = append(confidence, c)
	}
	return confidence
}

// answered returns the true error among answered queries, and the share of these, in closed form: with L, H of a class
// and T of the master, accepted ∫_H^1 1 − δβ dβ; deferred (H−L)·∫_T^1 2m(1−c) dc = (H−L)·m(1−T)².
func (w truth) answered(a policy.Abstention) (risk, share float64) {
	last := min(a.Last, 1)
	for k, p := range w.share {
		low, high := a.Low[0], a.High[0]
		if len(a.Low) > 1 {
			low, high = a.Low[k], a.High[k]
		}
		low, high = min(low, 1), min(high, 1)
		risk += p * ((1 - high) - w.delta[k]*(1-high*high)/2 + (high-low)*w.master*(1-last)*(1-last))
		share += p * (1 - high + (high-low)*(1-last))
	}
	if share == 0 {
		return 0, 0
	}
	return risk / share, share
}

// Promises about answered queries hold at their rate; with the wrong denominator, all queries, they would not.
func TestAbstainingGuaranteesHold(t *testing.T) {
	of := func(w truth, target string, multi bool, copies int) func(*rand.Rand, int) ([]fate, error) {
		return func(rng *rand.Rand, n int) ([]fate, error) {
			o, level := bound{target: target}.options()
			r, h := abstainers(rng, w, n, copies)
			g := Terms{}
			if copies > 1 {
				g.MaxCluster = copies
			}
			got, p, err := FitAbstention(r, h, o, g, !multi)
			if err != nil {
				return nil, err
			}
			risk, share := w.answered(got)
			out := []fate{{certified: p.Certified, broken: risk > level+1e-12, deferred: 1 - share}, {}}
			for _, a := range overAll(r, h, level, g, !multi) { // the errors of answered queries as a share of all
				risk, _ := w.answered(a)
				out[1] = fate{certified: true, broken: risk > level+1e-12}
			}
			return out, nil
		}
	}
	plain := truth{share: []float64{1}, delta: []float64{1}, master: .1}
	four := truth{[]float64{.4, .3, .2, .1}, []float64{1, .9, .8, .95}, .1}
	simulate(t, ".abstain", 0, []way{{"answered queries", true}, {"all queries as denominator", false}},
		[]int{200, 600}, []int{200, 600, 2000}, []promise{
			{name: "error among answered ≤ 0.05", draw: of(plain, "0.95", false, 1)},
			{name: "error among answered ≤ 0.08", draw: of(plain, "0.92", false, 1)},
			{name: "error among answered ≤ 0.08, four classes", draw: of(four, "0.92", true, 1)},
			{name: "error among answered ≤ 0.08, in clusters of 4 copies", draw: of(plain, "0.92", false, 4)},
		})
}

// abstainers draws n records, each so many times, in halves that hold whole clusters.
func abstainers(rng *rand.Rand, w truth, n, copies int) (Abstaining, Halves) {
	r := w.draw(rng, n/copies, false)
	master := w.sure(rng, r)
	var list []int
	var h Halves
	for i := range n / copies * copies {
		list = append(list, i/copies)
		if i/copies < n/copies/2 {
			h.Propose = append(h.Propose, i)
		} else {
			h.Test = append(h.Test, i)
		}
	}
	out := Abstaining{Records: r, Master: master, Losses: policy.Losses{Error: 10, Abstain: 2}}.pick(list)
	if out.MasterCost = make([]float64, len(list)); copies > 1 {
		h.Cluster = list
	}
	for i := range out.MasterCost {
		out.MasterCost[i] = 1
	}
	return out, h
}

// overAll is the last candidate whose errors among answered, over all queries, pass the binomial test; nil = none.
func overAll(r Abstaining, h Halves, level float64, g Terms, single bool) []policy.Abstention {
	if h.Cluster != nil {
		return nil
	}
	b := r.pick(h.Test)
	a, err := policy.FitAbstention(r.pick(h.Propose).Records, r.pick(h.Propose).Master, r.Losses, single)
	if err != nil {
		return nil
	}
	wrong := 0
	for i, beta := range b.Beta {
		class := 0
		if !single {
			class = b.Class[i]
		}
		switch a.Choose(class, beta, b.Master[i]) {
		case policy.StudentAnswers:
			wrong += int(b.Student[i])
		case policy.MasterAnswers:
			wrong += int(b.Records.Master[i])
		}
	}
	if binomialPValue(wrong, b.Len(), level) <= g.withDefaults().Delta {
		return []policy.Abstention{a}
	}
	return nil
}

// Without a candidate that passes, nothing is answered and nothing promised; a name as target and crc are refused.
func TestAbstainingRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	r, h := abstainers(rng, truth{share: []float64{1}, delta: []float64{.1}, master: .5}, 100, 1)
	a, p, err := FitAbstention(r, h, policy.Options{Target: number(t, "0.99")}, Terms{}, true)
	if err != nil || p.Certified || a.Choose(0, 1, 1) != policy.Abstains {
		t.Errorf("%+v, %+v (%v), want no promise and no answer", a, p, err)
	}
	for _, tc := range []struct {
		target policy.Target
		g      Terms
	}{{policy.Master, Terms{Margin: .1}}, {number(t, "0.9"), Terms{Method: ConformalRisk}}} {
		if _, _, err := FitAbstention(r, h, policy.Options{Target: tc.target}, tc.g, true); err == nil {
			t.Errorf("%v with %+v is no error", tc.target, tc.g)
		}
	}
	if !slices.Equal(a.Low, a.High) {
		t.Errorf("%+v defers some", a)
	}
}

func number(t *testing.T, text string) policy.Target {
	t.Helper()
	target, err := policy.ParseTarget(text)
	if err != nil {
		t.Fatal(err)
	}
	return target
}
