package sufficiency

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infnet/harness/seed"
	"infnet/sufficiency/gbdt"
	"infnet/sufficiency/pcm"
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
	noise   float64 // of J around what it shares with the risk; 0 = J is independent
	linear  float64 // points/100 by which the error rises over J's range
	bent    float64 // the same, in the middle of J's range against both ends
	waved   float64 // twice the height of two waves over J's range
	crossed float64 // the same, rising with J at high β and falling at low
}

// study is study k.
func (a attack) study(k int) Input {
	r := seed.Stream(1, "attack", a.name, strconv.Itoa(a.n), strconv.Itoa(k))
	draw := laws[a.law]
	if draw == nil {
		values := recorded()[a.law]
		draw = func(r *rand.Rand) float64 { return values[r.IntN(len(values))] }
	}
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

var attacks = append([]attack{
	{name: "77 classes, trends up and down", n: 1000, law: "uniform", classes: 77, noise: 0.1},
	{name: "12 classes of 4 %", n: 300, law: "uniform", classes: 12, large: 0.52, noise: 0.1},
	{name: "50 bins", n: 1200, law: "mmlu.llama3.1-70b", bins: 50, noise: 0.1},
	{name: "50 bins, noisy J", n: 1200, law: "mmlu.llama3.1-70b", bins: 50, noise: 0.4},
	{name: "77 classes, noisy J", n: 1000, law: "uniform", classes: 77, noise: 0.3},
	{name: "linear 0.3", n: 300, law: "uniform", linear: 0.3},
	{name: "linear 0.16", n: 1200, law: "uniform", linear: 0.16},
	{name: "bent 0.4", n: 300, law: "uniform", bent: 0.4},
	{name: "waved 0.5", n: 300, law: "uniform", waved: 0.5},
	{name: "waved 0.3", n: 1200, law: "uniform", waved: 0.3},
	{name: "crossed 0.4", n: 300, law: "uniform", crossed: 0.4},
}, models()...)

// models are trends in classes along the confidences of nine models.
func models() (out []attack) {
	for _, law := range []string{"mmlu.gpt-4o", "mmlu.gpt-4o-mini", "mmlu.llama3.2-1b", "mmlu.llama3.2-3b",
		"mmlu.llama3.1-8b", "mmlu.llama3.1-70b", "mmlu.llama3.1-405b", "mmlu.qwen2.5-32b-coder-instruct",
		"mmlu.qwen2.5-72b-instruct"} {
		for _, n := range []int{300, 1200} {
			for _, classes := range []int{2, 77} {
				out = append(out, attack{name: strconv.Itoa(classes) + " classes, noisy", n: n, law: law, classes: classes,
					noise: 0.3})
			}
		}
	}
	return out
}

// judged tests a study by the default.
func judged(t *testing.T, in Input, k int) pcm.Result {
	t.Helper()
	o := Options{Seed: uint64(k), Name: "attack", Learner: gbdt.Options{Trees: 30}, Nulls: []Null{Beta}}
	if in.Class != nil {
		o.Nulls[0] = BetaAndClass
	}
	o, err := o.withDefaults(in)
	if err != nil {
		t.Fatal(err)
	}
	c, err := check(in, o)
	if err != nil {
		t.Fatal(err)
	}
	s := &nullTests{checked: c, o: o, null: o.Nulls[0]}
	if s.known, err = s.knownColumns(); err != nil {
		t.Fatal(err)
	}
	var columns [][]float64
	for _, column := range in.Sets[0].Columns {
		columns = append(columns, column.Values)
	}
	extra, err := gbdt.NewFeatures(len(in.Beta), columns)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.covariances(t.Context(), "J", extra, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// tally counts what studies come to.
type tally struct{ found, undecided, f, studies int }

// count judges studies of one kind, those of numbers that -first says.
func count(t *testing.T, many int, draw func(k int) Input) (out tally) {
	t.Helper()
	for k := *first; k < *first+many; k++ {
		in := draw(k)
		res := judged(t, in, k)
		out.studies++
		switch {
		case res.Fit.Failed:
			out.undecided++
		case res.P <= 0.05:
			out.found++
		}
		if fTest(in) <= 0.05 {
			out.f++
		}
	}
	return out
}

// Where the null is true the test finds something in no more than a share of α,
// or cannot decide; where J has an effect it is found nearly as often as by the
// F test, or where that is blind, in most studies. By default on few studies, so
// that only gross failures show; -studies asks for more.
func TestAttacks(t *testing.T) {
	for _, a := range attacks {
		many := tenth(12)
		if *studies == 0 && (a.n > 1000 || strings.HasPrefix(a.law, "mmlu.") && a.classes > 0) ||
			laws[a.law] == nil && recorded() == nil ||
			!regexp.MustCompile(*only).MatchString(fmt.Sprint(a.n, "|", a.name, "|", a.law)) {
			continue
		}
		got := count(t, many, a.study)
		t.Logf("| %d | %s | %s | %d | %d | %d | %d |", a.n, a.name, a.law, got.found, got.undecided, got.studies, got.f)
		n, found := float64(many), float64(got.found)
		switch {
		case a.linear+a.bent+a.crossed+a.waved == 0:
			if bound := n*0.07 + 4*math.Sqrt(n*0.05*0.95); found > bound {
				t.Errorf("%s: %g of %g true nulls rejected; the bound is %.1f", a.name, found, n, bound)
			}
		case found < 0.8*math.Max(float64(got.f), n/2)-3*math.Sqrt(n)/2:
			t.Errorf("%s: %g of %g effects found; the F test finds %d", a.name, found, n, got.f)
		}
	}
}

// The laws of the projected covariance measure's own table, and clusters, by the
// default.
func TestOldArms(t *testing.T) {
	for _, a := range []arm{
		{n: 300, law: "piled", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 300, law: "60 % at 1", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 1200, law: "sparse", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 1200, law: "piled", risk: "steps near 1", j: "β + noise"},
		{n: 1200, law: "uniform", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 300, law: "piled", risk: "sin 12β", j: "sin 12β + noise", clusters: true},
		{n: 1200, law: "piled", risk: "sin 12β", j: "sin 12β + noise", clusters: true},
	} {
		if !regexp.MustCompile(*only).MatchString(a.String()) || *studies == 0 && a.n > 1000 {
			continue
		}
		got := count(t, tenth(12), func(k int) Input { return simulated(a, k) })
		t.Logf("| %s | %d | %d | %d |", a, got.found, got.undecided, got.studies)
		n := float64(got.studies)
		if bound := n*0.07 + 4*math.Sqrt(n*0.05*0.95); float64(got.found) > bound {
			t.Errorf("%s: %d of %g true nulls rejected; the bound is %.1f", a, got.found, n, bound)
		}
	}
}

// An effect as large as the test names is found with probability 0.8: the size is
// that named on a study without an effect, its median over 25.
func TestSeen(t *testing.T) {
	for _, n := range []int{300, 1200} {
		if !regexp.MustCompile(*only).MatchString("seen") || *studies == 0 && n > 1000 {
			continue
		}
		var named []float64
		for k := range 25 {
			none := attack{name: "none", n: n, law: "uniform"}
			named = append(named, judged(t, none.study(*first+k), k).Covariance.Seen)
		}
		slices.Sort(named)
		a := attack{name: "seen", n: n, law: "uniform", linear: named[len(named)/2]}
		got := count(t, tenth(24), a.study)
		share, all := float64(got.found)/float64(got.studies), float64(got.studies)
		t.Logf("| %d | %.3f (%.3f to %.3f) | %d of %d | %d |", n, a.linear, named[0], named[24], got.found, got.studies,
			got.f)
		if off := 0.1 + 3*math.Sqrt(0.16/all); math.Abs(share-0.8) > off {
			t.Errorf("n = %d: an effect of %.3f is found in a share of %.2f, not 0.8 ± %.2f", n, a.linear, share, off)
		}
	}
}

// tenth is a tenth of -studies, or a number where that is not given.
func tenth(otherwise int) int {
	if *studies > 0 {
		return *studies / 10
	}
	return otherwise
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
