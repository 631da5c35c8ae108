package sufficiency

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"testing"

	"infnet/harness/seed"
)

// attack is a law under which one regression on β and class is hard, or an effect
// of one column. J has one column.
type attack struct {
	name    string
	n       int
	law     string
	classes int     // of equal shares; their trends in β differ in sign
	large   float64 // share of one more class, without a trend
	bins    int     // quantile bins of β, each with a risk of its own
	cycles  float64 // of a sine in β's rank, of height 0.4
	noise   float64 // of J around what it shares with the risk; 0 = J is independent
	linear  float64 // points/100 by which the error rises over J's range
	bent    float64 // the same, in the middle of J's range against both ends
	waved   float64 // twice the height of two waves over J's range
	crossed float64 // the same, rising with J at high β and falling at low
}

// study is study k.
func (a attack) study(k int) Input {
	r := seed.Stream(1, *stream, a.name, strconv.Itoa(a.n), a.law, strconv.Itoa(a.classes), strconv.Itoa(k))
	draw := drawer(a.law)
	in := Input{Beta: make([]float64, a.n), StudentErr: make([]float64, a.n), MasterErr: make([]float64, a.n)}
	for i := range in.Beta {
		in.Beta[i] = draw(r)
	}
	order := make([]int, a.n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(in.Beta[i], in.Beta[j]) })
	rank := make([]float64, a.n)
	for k, i := range order {
		rank[i] = (float64(k) + 0.5) / float64(a.n)
		if k > 0 && in.Beta[i] == in.Beta[order[k-1]] {
			rank[i] = rank[order[k-1]]
		}
	}
	heights := make([]float64, max(1, a.bins))
	for b := range heights {
		heights[b] = r.Float64()
	}
	j := make([]float64, a.n)
	for i := range in.Beta {
		p := 0.7 - 0.4*rank[i]
		if a.bins > 0 {
			p = heights[int(rank[i]*float64(a.bins))]
		}
		if a.cycles > 0 {
			p = 0.5 + 0.4*math.Sin(2*math.Pi*a.cycles*rank[i])
		}
		if a.classes > 0 {
			class := r.IntN(a.classes)
			if r.Float64() < a.large {
				class = a.classes
			}
			in.Class = append(in.Class, class)
			trend := float64(2*(class%2) - 1)
			if class == a.classes {
				trend = 0
			}
			p = 0.45 + 0.8*trend*(rank[i]-0.5)
		}
		shared := p
		j[i] = r.Float64()
		if a.noise > 0 {
			j[i] = shared + a.noise*r.NormFloat64()
		}
		p += a.linear*(j[i]-0.5) + a.bent*(0.5-math.Abs(2*j[i]-1)) + a.crossed*2*(j[i]-0.5)*(2*rank[i]-1)
		p += a.waved * math.Sin(4*math.Pi*j[i]) / 2
		if r.Float64() < p {
			in.StudentErr[i] = 1
		}
		if r.Float64() < 0.05 {
			in.MasterErr[i] = 1
		}
	}
	in.Sets = []Set{{Name: "J", Columns: []Covariate{{Name: "J", Values: j}}}}
	return in
}

// attacks are the hard laws.
func attacks() (out []row) {
	for _, a := range []attack{
		{name: "77 classes, trends up and down", n: 1000, law: "uniform", classes: 77, noise: 0.1},
		{name: "77 classes, trends up and down, noisy J", n: 1000, law: "uniform", classes: 77, noise: 0.3},
		{name: "12 classes of 4 %", n: 300, law: "uniform", classes: 12, large: 0.52, noise: 0.1},
		{name: "50 bins", n: 1200, law: "mmlu.llama3.1-70b", bins: 50, noise: 0.1},
		{name: "50 bins, noisy J", n: 1200, law: "mmlu.llama3.1-70b", bins: 50, noise: 0.4},
		{name: "sine of 10 cycles", n: 300, law: "uniform", cycles: 10, noise: 0.3},
		{name: "sine of 20 cycles", n: 300, law: "uniform", cycles: 20, noise: 0.3},
		{name: "sine of 10 cycles", n: 1200, law: "uniform", cycles: 10, noise: 0.3},
		{name: "sine of 20 cycles", n: 1200, law: "uniform", cycles: 20, noise: 0.3},
		{name: "sine of 40 cycles", n: 1200, law: "uniform", cycles: 40, noise: 0.3},
	} {
		r := row{table: "hard", n: a.n, law: a.law, name: a.name, draw: a.study}
		r.quick = a.n <= 1000 && a.cycles == 0
		out = append(out, r)
	}
	return out
}

// models are trends in classes along the confidences of nine models.
func models() (out []row) {
	for _, n := range []int{300, 1200, 5000} {
		for _, classes := range []int{2, 20, 150} {
			for _, law := range []string{"mmlu.gpt-4o", "mmlu.gpt-4o-mini", "mmlu.llama3.2-1b", "mmlu.llama3.2-3b",
				"mmlu.llama3.1-8b", "mmlu.llama3.1-70b", "mmlu.llama3.1-405b", "mmlu.qwen2.5-32b-coder-instruct",
				"mmlu.qwen2.5-72b-instruct"} {
				a := attack{name: fmt.Sprintf("%d classes", classes), n: n, law: law, classes: classes, noise: 0.3}
				out = append(out, row{table: "models", n: n, law: law, name: a.name, draw: a.study, few: true})
			}
		}
	}
	return out
}

// effects are those of one column. Seen is as large as the test names it where there
// is none, the median of 25 studies.
func effects(t *testing.T) (out []row) {
	for _, a := range []attack{
		{name: "linear 0.3", n: 300, linear: 0.3},
		{name: "linear 0.16", n: 1200, linear: 0.16},
		{name: "bent 0.4", n: 300, bent: 0.4},
		{name: "waved 0.5", n: 300, waved: 0.5},
		{name: "waved 0.3", n: 1200, waved: 0.3},
		{name: "crossed 0.4", n: 300, crossed: 0.4},
		{name: "seen", n: 300},
		{name: "seen", n: 1200},
	} {
		a.law = "uniform"
		r := row{table: "effects", n: a.n, law: a.law, name: a.name, draw: a.study, quick: a.n == 300}
		if a.name == "seen" {
			size := sync.OnceValue(func() float64 {
				none, named := attack{name: "none", n: a.n, law: a.law}, make([]float64, 25)
				for k := range named {
					named[k] = judged(t, r, none.study(k), k).PCM.Covariance.Seen
				}
				slices.Sort(named)
				return named[12]
			})
			r.draw = func(k int) Input {
				seen := a
				seen.linear = size()
				return seen.study(k)
			}
		}
		out = append(out, r)
	}
	for _, a := range []arm{{n: 300, planted: 0.4}, {n: 1200, planted: 0.2}} {
		for _, a.law = range []string{"uniform", "piled"} {
			a.risk, a.j = "sin 12β", "independent"
			out = append(out, row{table: "effects", n: a.n, law: a.law, name: fmt.Sprintf("planted %g, β %s", a.planted, a.law),
				draw: a.study})
		}
	}
	return out
}

// fTest is the F test of J beside a cubic in β's rank.
func fTest(in Input) float64 {
	n := len(in.Beta)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(in.Beta[i], in.Beta[j]) })
	rank := make([]float64, n)
	for k, i := range order {
		rank[i] = float64(k)/float64(n) - .5
	}
	var basis [][]float64
	take := func(x []float64) []float64 {
		x = slices.Clone(x)
		for range 2 {
			for _, b := range basis {
				s := 0.0
				for i := range x {
					s += x[i] * b[i]
				}
				for i := range x {
					x[i] -= s * b[i]
				}
			}
		}
		return x
	}
	norm := func(x []float64) float64 {
		s := 0.0
		for _, v := range x {
			s += v * v
		}
		return s
	}
	for d := range 4 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Pow(rank[i], float64(d))
		}
		x = take(x)
		l := math.Sqrt(norm(x))
		for i := range x {
			x[i] /= l
		}
		basis = append(basis, x)
	}
	y := make([]float64, n)
	for i := range y {
		y[i] = in.StudentErr[i] - in.MasterErr[i]
	}
	y, x := take(y), take(in.Sets[0].Columns[0].Values)
	s := 0.0
	for i := range x {
		s += x[i] * y[i]
	}
	ss := s * s / norm(x)
	f := ss / ((norm(y) - ss) / float64(n-5))
	return math.Erfc(math.Sqrt(f / 2))
}
