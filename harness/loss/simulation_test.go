package loss

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"infnet/harness/policy"
	"infnet/metrics/infer"
)

var studies = flag.Int("studies", 15, "simulated studies of each law and size; LOSS.md is of 1,000")

// law is a population: β uniform, the student wrong with probability s·(1+a·(1−2β)), the master with probability m; a
// query costs c at the student and 1 at the master. A master that has a confidence γ, uniform and independent of β, is
// wrong with probability m·(1+b·(1−2γ)).
type law struct {
	name       string
	s, a, m, c float64
	price      float64 // of an error
	abstain    float64 // of a query without an answer; 0 = all are answered
	b          float64 // 0 = the master has no confidence
}

// errs is the true error of the cascade that accepts from theta on: θm + ∫_θ^1 s(1+a(1−2β)) dβ.
func (l law) errs(theta float64) float64 {
	theta = min(theta, 1)
	return theta*l.m + l.s*(1-theta)*(1-l.a*theta)
}

// loss is its true loss at a price.
func (l law) loss(theta, price float64) float64 { return l.c + min(theta, 1) + price*l.errs(theta) }

// silent is the true loss of a model alone that is silent below a bar, but for its cost: its error is e(1+a(1−2β)).
func (l law) silent(bar, e, a float64) float64 {
	bar = min(bar, 1)
	return l.abstain*bar + l.price*e*(1-bar)*(1-a*bar)
}

// abstaining is the true loss of a policy that may abstain, of one class.
func (l law) abstaining(a policy.Abstention) float64 {
	low, high := min(a.Low[0], 1), min(a.High[0], 1)
	return l.c + l.abstain*(low-high) + (high-low)*(1+l.silent(a.Last, l.m, l.b)) + l.silent(high, l.s, l.a)
}

// truth is the price from which on the master alone loses less than the path's policy, by the law.
func (l law) truth(p *policy.PricePath) float64 {
	for j := range p.Len() {
		theta, until := p.Thresholds(j)[0], math.Inf(1)
		if j > 0 {
			until = p.From(j - 1)
		}
		cost, errs := l.c+min(theta, 1)-1, l.errs(theta)-l.m
		switch below := func(price float64) bool { return cost+price*errs < 0 }; {
		case math.IsInf(until, 1) && (errs < 0 || errs == 0 && cost < 0), !math.IsInf(until, 1) && below(until):
			return until
		case below(p.From(j)):
			return -cost / errs
		}
	}
	return 0
}

// draw is some records, as both the fit and the rivals see them, and the master's confidence; nil = it has none.
func (l law) draw(rng *rand.Rand, n int) (r policy.Records, sure []float64) {
	wrong := func(p float64) float64 {
		if rng.Float64() < p {
			return 1
		}
		return 0
	}
	for range n {
		beta := rng.Float64()
		r.Beta = append(r.Beta, beta)
		r.Student = append(r.Student, wrong(l.s*(1+l.a*(1-2*beta))))
		m := l.m
		if l.b > 0 {
			gamma := rng.Float64()
			sure, m = append(sure, gamma), l.m*(1+l.b*(1-2*gamma))
		}
		r.Master, r.MasterCost = append(r.Master, wrong(m)), append(r.MasterCost, 1)
	}
	return r, sure
}

// rivals are what the policies that may abstain lose, by record and by the law: the cascade, answering nothing, and
// each model alone that has a confidence.
func (l law) rivals(t *testing.T, fit, r policy.Records, onFit, sure []float64) (columns [][]float64,
	truth []float64) {
	prices := policy.Losses{Error: l.price, Abstain: l.abstain}
	a, err := policy.FitAbstention(fit, onFit, prices, true)
	if err != nil {
		t.Fatal(err)
	}
	both := make([][]float64, 2)
	for i, choice := range a.Decide(r, sure) {
		of := map[policy.Choice]float64{policy.Abstains: l.c + l.abstain, policy.StudentAnswers: l.c + l.price*r.Student[i],
			policy.MasterAnswers: l.c + 1 + l.price*r.Master[i], policy.MasterDropped: l.c + 1 + l.abstain}
		both[0], both[1] = append(both[0], of[choice]), append(both[1], l.abstain)
	}
	columns, truth = both, []float64{l.abstaining(a), l.abstain}
	alone := func(onFit, fitErrs, beta, errs []float64, cost, e, a float64) {
		bar, err := policy.FitAlone(onFit, fitErrs, prices)
		if err != nil {
			t.Fatal(err)
		}
		var column []float64
		for i := range beta {
			if beta[i] < bar {
				column = append(column, cost+l.abstain)
			} else {
				column = append(column, cost+l.price*errs[i])
			}
		}
		columns, truth = append(columns, column), append(truth, cost+l.silent(bar, e, a))
	}
	alone(fit.Beta, fit.Student, r.Beta, r.Student, l.c, l.s, l.a)
	if sure != nil {
		alone(onFit, fit.Master, sure, r.Master, 1, l.m, l.b)
	}
	return columns, truth
}

// counts is what became of the sentences.
type counts struct{ settled, wrong, held, finite float64 }

func (l law) study(t *testing.T, rng *rand.Rand, fit, test int) (c counts) {
	onFit, sureOnFit := l.draw(rng, fit)
	path, err := policy.NewPricePath(onFit, policy.Options{}, true)
	if err != nil {
		t.Fatal(err)
	}
	p, err := path.At(l.price)
	if err != nil {
		t.Fatal(err)
	}
	r, sure := l.draw(rng, test)
	rs, err := infer.NewResamples(rng, make([]string, test), infer.Options{Count: 500, Level: .95})
	if err != nil {
		t.Fatal(err)
	}
	theta := p.Thresholds[0]
	truth := []float64{l.loss(0, l.price), 1 + l.price*l.m, l.loss(theta, l.price)}
	columns, in := make([][]float64, 3), Path{Student: make([]float64, test), Master: r.MasterCost}
	for j := range path.Len() {
		in.From = append(in.From, path.From(j))
	}
	for i, beta := range r.Beta {
		columns[0] = append(columns[0], l.c+l.price*r.Student[i])
		columns[1] = append(columns[1], 1+l.price*r.Master[i])
		if beta >= theta {
			columns[2] = append(columns[2], columns[0][i])
		} else {
			columns[2] = append(columns[2], l.c+columns[1][i])
		}
		in.Student[i], in.More = l.c, append(in.More, r.Student[i]-r.Master[i])
		at := path.Len()
		for j := range path.Len() {
			if beta >= path.Thresholds(j)[0] {
				at = j
				break
			}
		}
		in.Accepts = append(in.Accepts, at)
	}
	if l.abstain > 0 {
		more, lose := l.rivals(t, onFit, r, sureOnFit, sure)
		columns, truth = append(columns, more...), append(truth, lose...)
	}
	var kind []int
	for k := range columns {
		kind = append(kind, k)
	}
	advice, err := Advise(rs, columns, kind)
	if err != nil {
		t.Fatal(err)
	}
	if advice.Settled {
		c.settled = 1
		for k := range truth {
			if truth[k] < truth[advice.Best]-1e-9 {
				c.wrong = 1
			}
		}
	}
	turn, err := TurnOf(rs, in)
	if err != nil {
		t.Fatal(err)
	}
	if turn.Low > turn.Value+1e-6 || turn.High < turn.Value-1e-6 {
		t.Fatalf("%+v is no interval", turn)
	}
	if want := l.truth(path); turn.Low <= want+1e-6 && want <= turn.High+1e-6 {
		c.held = 1
	}
	if !math.IsInf(turn.High, 1) {
		c.finite = 1
	}
	return c
}

// sizes are those of the fit part and the test part.
var sizes = [][2]int{{200, 400}, {1000, 2000}}

func laws() []law {
	return []law{
		{"confidence is noise, student and master lose the same", .3, 0, .1, .1, 4.5, 0, 0},
		{"equally good models, an error at the master's cost", .2, 0, .2, .1, 1, 0, 0},
		{"good confidence, near the price where the master alone is right", .3, .9, .1, .3, 10.6, 0, 0},
		{"good confidence, cheap errors", .3, .9, .1, .05, 3, 0, 0},
		{"good confidence, dear errors", .3, .9, .1, .05, 20, 0, 0},
		{"the cascade errs less than both", .3, .9, .2, .05, 10, 0, 0},
		{"price ratio near 1", .3, .9, .15, .9, 5, 0, 0},
		{"to abstain is cheaper than to defer", .3, .9, .1, .05, 10, 1.2, 0},
		{"to abstain and to defer lose the same", .3, .9, .1, .05, 10, 2, 0},
		{"confidence is noise, to abstain loses what the student does", .2, 0, .2, .1, 5, 1.1, 0},
		{"both know when they err, to abstain and to defer lose the same", .3, .9, .1, .05, 40, 4.2, .9},
		{"only the master knows, silent it loses what answering nothing does", .3, 0, .1, .1, 40, 4.2, .9},
	}
}

// What is said to lose least does, and the price from which on the master alone is right lies in its interval, at their
// rates. The streams are others than those that leastDiffering was chosen on. LOSS.md has the figures of 1,000 studies
// each.
func TestSentencesAreRight(t *testing.T) {
	n := float64(*studies)
	line := func(rate float64) float64 { return rate + 3*math.Sqrt(rate*(1-rate)/n) }
	table := "| law | fit, test | settled | settled falsely | turning price in its interval | interval ends |\n" +
		"|---|--:|--:|--:|--:|--:|\n"
	for k, l := range laws() {
		for _, size := range sizes {
			rng := rand.New(rand.NewPCG(uint64(k)+1000, uint64(size[0])))
			var all counts
			for range *studies {
				c := l.study(t, rng, size[0], size[1])
				all.settled, all.wrong, all.held, all.finite = all.settled+c.settled, all.wrong+c.wrong, all.held+c.held,
					all.finite+c.finite
			}
			if all.wrong/n > line(.05) {
				t.Errorf("%s, %v: %.1f %% of the advice is false", l.name, size, 100*all.wrong/n)
			}
			if 1-all.held/n > line(.05) {
				t.Errorf("%s, %v: the interval misses the price in %.1f %%", l.name, size, 100-100*all.held/n)
			}
			table += fmt.Sprintf("| %s | %d, %d | %.1f | %.1f | %.1f | %.1f |\n", l.name, size[0], size[1], 100*all.settled/n,
				100*all.wrong/n, 100*all.held/n, 100*all.finite/n)
		}
	}
	t.Log("\n" + table)
}

// What a law says that its policies lose is what they lose on many records drawn from it, within five standard errors.
func TestLawsAreWhatTheyDraw(t *testing.T) {
	for k, l := range laws() {
		if l.abstain == 0 {
			continue
		}
		rng := rand.New(rand.NewPCG(uint64(k), 3))
		fit, onFit := l.draw(rng, 300)
		r, sure := l.draw(rng, 20000)
		columns, truth := l.rivals(t, fit, r, onFit, sure)
		for j, column := range columns {
			sum, squares, n := 0.0, 0.0, float64(len(column))
			for _, v := range column {
				sum, squares = sum+v, squares+v*v
			}
			mean := sum / n
			if se := math.Sqrt(max(0, squares/n-mean*mean) / n); math.Abs(mean-truth[j]) > 5*se+1e-6 {
				t.Errorf("%s: policy %d loses %v (standard error %v), the law says %v", l.name, j, mean, se, truth[j])
			}
		}
	}
}
