package simulated_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/simulated"
	"infnet/harness/calc"
)

var labels = []string{" positive", " negative", " neutral"}

func config(name string, c backends.SimulatedConfig) backends.Config {
	return backends.Config{Model: backends.ModelID{ID: name, Revision: "1", Kind: backends.Simulated}, Settings: &c}
}

func open(t testing.TB, name string, c backends.SimulatedConfig) *simulated.Model {
	t.Helper()
	m, err := simulated.Open(config(name, c))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var plain = backends.SimulatedConfig{Alpha: 2.5, Beta: 0.7, Intercept: 0.9, Slope: -0.8, Seed: 7}

func TestConformance(t *testing.T) {
	id := config("m", plain).Model
	var reqs []backends.Request
	for i := range 6 {
		p, _ := classification(i, labels)
		q, _ := generation(i)
		reqs = append(reqs,
			backends.Request{Model: id, Mode: backends.Raw, Prompt: p, Labels: labels},
			backends.Request{Model: id, Mode: backends.Chat, Prompt: q, MaxTokens: 8})
	}
	reqs = append(reqs, backends.Request{Model: id, Prompt: "answer: a b c", MaxTokens: 2, Stop: []string{" c"}})
	backendtest.Run(t, func(t *testing.T) backends.Model { return open(t, "m", plain) }, backendtest.Options{
		Requests: reqs, Takes: []backends.Part{backends.SamplingPart},
		Bad: []backends.Request{
			{Model: id, Prompt: "nothing to go by", Labels: labels},
			{Model: id, Prompt: "nothing to go by", MaxTokens: 4},
			{Model: id, Prompt: "answer: yes"},
			{Model: backends.ModelID{ID: "another"}, Prompt: "answer: yes", MaxTokens: 4},
		},
	})
}

// draws are n answers to classifications among k labels.
func draws(t *testing.T, m *simulated.Model, id backends.ModelID, n, k int) (betas []float64, wrong []bool) {
	t.Helper()
	names := make([]string, k)
	for i := range names {
		names[i] = fmt.Sprintf(" word%c", 'a'+i)
	}
	reqs := make([]backends.Request, n)
	classes := make([]int, n)
	for i := range reqs {
		var p string
		p, classes[i] = classification(i, names)
		reqs[i] = backends.Request{Model: id, Prompt: p, Labels: names}
	}
	as, err := m.Answer(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range as {
		if f := backends.Check(reqs[i], a); f != nil {
			t.Fatalf("draw %d: %v", i, f)
		}
		beta, said := softmax(a.Labels)
		if names[said] != a.Text {
			t.Fatalf("draw %d: says %q, scores say %q", i, a.Text, names[said])
		}
		betas = append(betas, beta)
		wrong = append(wrong, said != classes[i])
	}
	return betas, wrong
}

// softmax returns the largest probability over the labels and its label.
func softmax(ls []backends.LabelScore) (float64, int) {
	sum, best := 0.0, 0
	for i, l := range ls {
		sum += math.Exp(l.Logprob)
		if l.Logprob > ls[best].Logprob {
			best = i
		}
	}
	return math.Exp(ls[best].Logprob) / sum, best
}

// kolmogorovSmirnov is √n·sup|F_n − F|; above 1.63 the samples have another
// distribution at the 1 % level (Smirnov 1948, limiting distribution).
func kolmogorovSmirnov(xs []float64, cdf func(float64) float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	n, d := float64(len(xs)), 0.0
	for i, x := range xs {
		f := cdf(x)
		d = max(d, f-float64(i)/n, float64(i+1)/n-f)
	}
	return d * math.Sqrt(n)
}

func TestDistribution(t *testing.T) {
	const n = 8000
	for _, test := range []struct {
		name string
		k    int
		cfg  backends.SimulatedConfig
	}{
		{"two labels, sure", 2, plain},
		{"two labels, uniform", 2, backends.SimulatedConfig{Alpha: 1, Beta: 1, Intercept: 0.5, Slope: -0.5, Seed: 3}},
		{"five labels, shared luck", 5,
			backends.SimulatedConfig{Alpha: 0.6, Beta: 2, Intercept: 0.4, Slope: 0.2, Rho: 0.7, Seed: 11}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := open(t, "m", test.cfg)
			betas, wrong := draws(t, m, config("m", test.cfg).Model, n, test.k)
			if d := kolmogorovSmirnov(betas, func(x float64) float64 { return cdf(test.cfg, x, 1/float64(test.k)) }); d > 1.63 {
				t.Errorf("Kolmogorov–Smirnov √n·D = %.3f, want at most 1.63", d)
			}
			// In each tenth of the confidences the errors are Bernoulli with
			// the stated rates: the standardised surplus is within ±4.
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int { return compare(betas[a], betas[b]) })
			for tenth := range 10 {
				surplus, variance := 0.0, 0.0
				for _, i := range order[tenth*n/10 : (tenth+1)*n/10] {
					p := m.Error(betas[i])
					variance += p * (1 - p)
					surplus -= p
					if wrong[i] {
						surplus++
					}
				}
				if z := surplus / math.Sqrt(variance); math.Abs(z) > 4 {
					t.Errorf("tenth %d: errors are %.1f standard deviations off the stated curve", tenth, z)
				}
			}
		})
	}
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Two models with constant error rate e and shares Rho₁, Rho₂ use one common
// uniform with probability Rho₁·Rho₂ and independent ones otherwise, so their
// errors correlate by Rho₁·Rho₂.
func TestCorrelation(t *testing.T) {
	const n = 8000
	for _, test := range []struct{ rho1, rho2, want float64 }{
		{0, 0, 0}, {0.8, 0.8, 0.64}, {1, 0.3, 0.3},
	} {
		t.Run(fmt.Sprintf("%v and %v", test.rho1, test.rho2), func(t *testing.T) {
			c1 := backends.SimulatedConfig{Alpha: 2, Beta: 2, Intercept: 0.3, Rho: test.rho1, Seed: 5}
			c2 := c1
			c2.Rho = test.rho2
			_, w1 := draws(t, open(t, "one", c1), config("one", c1).Model, n, 2)
			_, w2 := draws(t, open(t, "two", c2), config("two", c2).Model, n, 2)
			if got := phi(w1, w2); math.Abs(got-test.want) > 4/math.Sqrt(n) {
				t.Errorf("correlation %.3f, want %.3f ± %.3f", got, test.want, 4/math.Sqrt(n))
			}
		})
	}
}

// phi is Pearson's correlation of two binary samples.
func phi(a, b []bool) float64 {
	n := float64(len(a))
	var sa, sb, sab float64
	for i := range a {
		if a[i] {
			sa++
		}
		if b[i] {
			sb++
		}
		if a[i] && b[i] {
			sab++
		}
	}
	pa, pb := sa/n, sb/n
	return (sab/n - pa*pb) / math.Sqrt(pa*(1-pa)*pb*(1-pb))
}

func TestOpenBook(t *testing.T) {
	sure := backends.SimulatedConfig{Alpha: 2, Beta: 2, Intercept: 0} // never wrong
	m := open(t, "m", sure)
	id := config("m", sure).Model
	for _, test := range []struct {
		name, prompt string
		labels       []string
		want         string
	}{
		{"the last label counts", "negative or positive? positive", []string{" positive", " negative"}, " positive"},
		{"the longer of two at one end", "it is a start", []string{" art", " start"}, " start"},
		{"the answer line", "answer: no\nanswer: yes, all of it\nthanks", nil, "yes, all of it"},
		{"one label", "only", []string{" only"}, " only"},
	} {
		t.Run(test.name, func(t *testing.T) {
			as, err := m.Answer(t.Context(),
				[]backends.Request{{Model: id, Prompt: test.prompt, Labels: test.labels, MaxTokens: 20}})
			if err != nil || as[0].Failure != nil {
				t.Fatal(err, as[0].Failure)
			}
			if as[0].Text != test.want {
				t.Errorf("answer %q, want %q", as[0].Text, test.want)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct {
		name string
		cfg  *backends.SimulatedConfig
		want string
	}{
		{"nothing", nil, "no settings for backend kind"},
		{"alpha", &backends.SimulatedConfig{Alpha: 0, Beta: 1}, "alpha = 0"},
		{"beta", &backends.SimulatedConfig{Alpha: 1, Beta: math.Inf(1)}, "beta = +Inf"},
		{"rho", &backends.SimulatedConfig{Alpha: 1, Beta: 1, Rho: 1.5}, "rho = 1.5"},
		{"rho not a number", &backends.SimulatedConfig{Alpha: 1, Beta: 1, Rho: math.NaN()}, "rho = NaN"},
		{"slope", &backends.SimulatedConfig{Alpha: 1, Beta: 1, Slope: math.NaN()}, "slope = NaN"},
		{"params", &backends.SimulatedConfig{Alpha: 1, Beta: 1, Params: -4}, "params = -4"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := simulated.Open(backends.Config{Model: backends.ModelID{ID: "m"}, Settings: test.cfg})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), `"m"`) {
				t.Errorf("error %v, want one with %q and the model's name", err, test.want)
			}
		})
	}
}

// classification returns the i-th prompt of an endless dataset of classifications
// among the labels, and the class it names. Classes take turns.
func classification(i int, labels []string) (prompt string, class int) {
	class = i % len(labels)
	return fmt.Sprintf("Draw %d. The label is %s", i, strings.TrimSpace(labels[class])), class
}

// generation returns the i-th prompt of an endless dataset of generations, and
// its right answer.
func generation(i int) (prompt, answer string) {
	answer = fmt.Sprintf("number %d", i)
	return "Draw the number.\nanswer: " + answer, answer
}

// cdf is the probability that the confidence, which is at least low, is at most x: by the package's comment.
func cdf(c backends.SimulatedConfig, x, low float64) float64 {
	return calc.RegBeta(c.Alpha, c.Beta, min(1, max(0, (x-low)/(1-low))))
}

// Samples of one prompt are right independently of each other, with the probability that the package's comment states:
// 1 − e at temperature 1, and of the powers 1/T at another one.
func TestSamples(t *testing.T) {
	const e, n = 0.3, 6_000
	c := plain
	c.Intercept, c.Slope = e, 0
	m, id := open(t, "m", c), config("m", c).Model
	for _, test := range []struct {
		temperature float64
		k           int // labels; 0 = a generation, right or mistaken
		right       float64
	}{
		{1, 3, 1 - e}, {1, 0, 1 - e},
		{0.5, 3, 0.49 / (0.49 + 2*0.15*0.15)}, // squares of 0.7, 0.15 and 0.15
		{0.5, 0, 0.49 / (0.49 + 0.09)},
	} {
		right, both := 0, 0
		for i := range n / 2 {
			var r backends.Request
			want := ""
			if test.k > 0 {
				prompt, class := classification(i, labels)
				r, want = backends.Request{Model: id, Prompt: prompt, Labels: labels}, labels[class]
			} else {
				r.Prompt, want = generation(i)
				r.Model, r.MaxTokens = id, 20
			}
			r.Sampling.Temperature = test.temperature
			var pair [2]bool
			for s := range pair {
				r.Seed = uint64(s + 1)
				as, err := m.Answer(t.Context(), []backends.Request{r})
				if err != nil || backends.Check(r, as[0]) != nil || !as[0].NoLogprobs {
					t.Fatal(err, backends.Check(r, as[0]), as[0])
				}
				if pair[s] = as[0].Text == want; pair[s] {
					right++
				}
			}
			if pair[0] && pair[1] {
				both++
			}
		}
		// four standard deviations
		for _, x := range []struct{ got, want, n float64 }{
			{float64(right) / n, test.right, n}, {float64(both) / (n / 2), test.right * test.right, n / 2},
		} {
			if d := math.Abs(x.got - x.want); d > 4*math.Sqrt(x.want*(1-x.want)/x.n) {
				t.Errorf("temperature %v, %d labels: %v, want %v", test.temperature, test.k, x.got, x.want)
			}
		}
	}
}
