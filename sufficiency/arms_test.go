package sufficiency

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"infnet/harness/seed"
)

// A law draws β. Those of real models resample recorded answers.
var laws = map[string]func(r *rand.Rand) float64{
	"uniform": func(r *rand.Rand) float64 { return r.Float64() },
	// logit-normal: half above 0.993, a tenth below 0.63, as larger models' are
	"piled": func(r *rand.Rand) float64 { return 1 / (1 + math.Exp(-5-3.5*r.NormFloat64())) },
	"60 % at 1": func(r *rand.Rand) float64 {
		if b := r.Float64(); r.Float64() >= 0.6 {
			return b
		}
		return 1
	},
	"gap": func(r *rand.Rand) float64 {
		if b := r.Float64(); r.Float64() >= 0.3 {
			return 0.8 + 0.2*b
		} else {
			return 0.2 * b
		}
	},
	"sparse": func(r *rand.Rand) float64 { // a tenth over (0,1), the rest next to 1
		if b := r.Float64(); r.Float64() >= 0.1 {
			return 1 - 1e-3*b
		} else {
			return b
		}
	},
}

// recorded is the law of a real model's exp(log-probability of the answer), nil
// without INFNET_DATA.
var recorded = sync.OnceValue(func() map[string][]float64 {
	out := map[string][]float64{}
	for _, name := range []string{"mmlu.llama3.1-70b", "mmlu.gpt-4o-mini", "mmlu.llama3.2-1b", "triviaqa.llama3.1-8b",
		"mmlu.gpt-4o", "mmlu.llama3.1-405b", "mmlu.llama3.1-8b", "mmlu.llama3.2-3b", "mmlu.qwen2.5-32b-coder-instruct",
		"mmlu.qwen2.5-72b-instruct"} {
		f, err := os.Open(filepath.Join(os.Getenv("INFNET_DATA"), "answers", "answers."+name+".jsonl.gz"))
		if err != nil {
			return nil
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil
		}
		for lines := bufio.NewScanner(z); lines.Scan(); {
			var answer struct{ Logprob *float64 }
			if json.Unmarshal(lines.Bytes(), &answer) != nil {
				return nil
			}
			if answer.Logprob == nil { // −∞
				answer.Logprob = new(float64)
				*answer.Logprob = math.Inf(-1)
			}
			out[name] = append(out[name], math.Exp(*answer.Logprob))
		}
		f.Close()
	}
	return out
})

// The student's risk along β.
var risks = map[string]func(b float64) float64{
	"constant": func(float64) float64 { return 0.3 },
	"linear":   func(b float64) float64 { return 0.9 * (1 - b) },
	"sin 12β":  func(b float64) float64 { return 0.45 + 0.4*math.Sin(12*b) },
	"steps near 1": func(b float64) float64 {
		switch {
		case b > 0.99:
			return 0.05
		case b > 0.9:
			return 0.3
		}
		return 0.7
	},
}

// J, a column of three.
var kinds = map[string]func(b float64, r *rand.Rand) float64{
	"independent":     func(_ float64, r *rand.Rand) float64 { return r.NormFloat64() },
	"β + noise":       func(b float64, r *rand.Rand) float64 { return b + 0.2*r.NormFloat64() },
	"sin 12β + noise": func(b float64, r *rand.Rand) float64 { return math.Sin(12*b) + 0.3*r.NormFloat64() },
}

// arm is one kind of study and how it is tested.
type arm struct {
	method       Method
	splits       int // PCM: random halves
	n            int
	law, risk, j string
	clusters     bool    // of 1 to 9 records that share β's and the errors' luck
	classes      bool    // one of four in 60, 30, 8 and 2 %, each with a level of its own; the null knows
	planted      float64 // share of the student's error that the first column of J tells, beyond β
	share        float64 // of the studies asked for
	permutations int
}

// String names an arm in files and in what tests print.
func (a arm) String() string {
	text := fmt.Sprintf("%s|%d|%d|%s|%s|%s", a.method, a.splits, a.n, a.law, a.risk, a.j)
	if a.clusters {
		text += "|clusters"
	}
	if a.classes {
		text += "|classes"
	}
	if a.planted > 0 {
		text += fmt.Sprintf("|planted %g", a.planted)
	}
	return text
}

// simulated is study k of an arm. Arms of the same data see the same studies.
func simulated(a arm, k int) Input {
	data := a
	data.method, data.splits = 0, 0
	r := seed.Stream(1, "validity", data.String(), strconv.Itoa(k))
	draw := laws[a.law]
	if draw == nil {
		values := recorded()[a.law]
		draw = func(r *rand.Rand) float64 { return values[r.IntN(len(values))] }
	}
	in := Input{Beta: make([]float64, a.n), StudentErr: make([]float64, a.n), MasterErr: make([]float64, a.n),
		Sets: []Set{{Name: "J", Columns: make([]Covariate, 3)}}}
	columns := in.Sets[0].Columns
	for c := range columns {
		columns[c] = Covariate{Name: strconv.Itoa(c), Values: make([]float64, a.n)}
	}
	left, group, luck, shared := 0, 0, 0.0, 0.0
	for i := range a.n {
		if left == 0 {
			left, group, luck, shared = 1+r.IntN(9), group+1, r.Float64(), r.NormFloat64()
		}
		left--
		b := draw(r)
		in.Beta[i] = b
		p := risks[a.risk](b)
		if a.classes {
			u, class := r.Float64(), 0
			for _, edge := range []float64{0.6, 0.9, 0.98} {
				if u > edge {
					class++
				}
			}
			in.Class = append(in.Class, class)
			p = 0.6*p + 0.4*[]float64{0.1, 0.5, 0.9, 0.3}[class]
		}
		for c := range columns {
			columns[c].Values[i] = kinds[a.j](b, r)
			if a.classes {
				columns[c].Values[i] += float64(in.Class[i]) / 3
			}
			if a.clusters {
				columns[c].Values[i] += shared
			}
		}
		if a.planted > 0 {
			p = (1-a.planted)*p + a.planted*0.9/(1+math.Exp(-4*columns[0].Values[i]))
		}
		own := r.Float64()
		if a.clusters {
			in.Groups = append(in.Groups, strconv.Itoa(group))
			if r.Float64() < 0.5 {
				own = luck // records of a cluster are right and wrong together
			}
		}
		if own < p {
			in.StudentErr[i] = 1
		}
		if r.Float64() < 0.1 {
			in.MasterErr[i] = 1
		}
	}
	return in
}

// nullArms are those in which J says nothing beyond what the null knows: the
// decisive ones first. A half alone shows the level of the test itself, which
// the rule that combines halves can only lower.
func nullArms() []arm {
	var out []arm
	add := func(share float64, n int, law, risk, j string) {
		out = append(out, arm{splits: 1, n: n, law: law, risk: risk, j: j, share: share})
	}
	const wave, line, steps, sin, near = "sin 12β", "linear", "steps near 1", "sin 12β + noise", "β + noise"
	for _, n := range []int{300, 600, 1200, 2500, 5000} {
		share := map[int]float64{300: 1, 600: 0.75, 1200: 0.5, 2500: 0.4, 5000: 0.25}[n]
		add(share, n, "piled", wave, sin)
		add(share, n, "piled", steps, near)
		add(share, n, "uniform", wave, sin)
		add(share, n, "mmlu.llama3.1-70b", wave, sin)
		add(share, n, "60 % at 1", wave, sin)
		add(share, n, "sparse", wave, sin)
	}
	for _, n := range []int{300, 1200} {
		share := map[int]float64{300: 1, 1200: 0.3}[n]
		for _, j := range []string{"independent", near, sin} {
			add(share, n, "uniform", line, j)
		}
		add(share, n, "piled", "constant", near)
		add(share, n, "piled", wave, near)
		add(share, n, "gap", wave, sin)
		add(share, n, "mmlu.gpt-4o-mini", wave, sin)
		add(share, n, "mmlu.llama3.2-1b", wave, sin)
		add(share, n, "triviaqa.llama3.1-8b", steps, near)
		out = append(out,
			arm{splits: 1, n: n, law: "piled", risk: wave, j: sin, share: share, clusters: true},
			arm{splits: 1, n: n, law: "piled", risk: wave, j: sin, share: share, classes: true})
	}
	return out
}

// plainArms are the paper's permutation test on the same studies.
func plainArms() []arm {
	var out []arm
	for _, a := range []arm{
		{n: 300, law: "uniform", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 300, law: "piled", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 300, law: "sparse", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 300, law: "uniform", risk: "linear", j: "β + noise"},
	} {
		a.method, a.share = Plain, 0.2
		out = append(out, a)
	}
	return out
}

// powerArms plant more and more, with a half alone and with the default number
// of them.
func powerArms() []arm {
	var out []arm
	for _, law := range []string{"uniform", "piled"} {
		for _, planted := range []float64{0.2, 0.4, 0.6} {
			for _, n := range []int{300, 1200} {
				a := arm{splits: 8, n: n, law: law, risk: "sin 12β", j: "independent", planted: planted,
					share: map[int]float64{300: 0.2, 1200: 0.06}[n]}
				out = append(out, a)
				a.splits = 1
				out = append(out, a)
			}
		}
	}
	return out
}

// runnable leaves out what was not asked for, and real models' β where there is
// no data.
func runnable(t *testing.T, list []arm) []arm {
	pattern := regexp.MustCompile(*only)
	var out []arm
	for _, a := range list {
		if laws[a.law] == nil && recorded() == nil {
			t.Logf("%s: needs INFNET_DATA; left out", a)
		} else if pattern.MatchString(a.String()) {
			out = append(out, a)
		}
	}
	return out
}
