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
	"strconv"
	"sync"

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

// drawer draws from a law.
func drawer(law string) func(r *rand.Rand) float64 {
	if draw := laws[law]; draw != nil {
		return draw
	}
	values := recorded()[law]
	return func(r *rand.Rand) float64 { return values[r.IntN(len(values))] }
}

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

// arm is one kind of study. Where something is planted, the first column of J tells
// of the error.
type arm struct {
	n            int
	law, risk, j string
	clusters     int     // records of the largest cluster, whose errors and J share a component; 0 = no clusters
	classes      bool    // one of four in 60, 30, 8 and 2 %, each with a level of its own; the null knows
	columns      int     // of J; 0 = 3
	planted      float64 // share of the student's error that the first column of J tells, beyond β
}

// String names an arm in files and in what tests print.
func (a arm) String() string {
	text := fmt.Sprintf("risk %s; J %s", a.risk, a.j)
	if a.clusters > 0 {
		text += fmt.Sprintf("; clusters of 1 to %d", a.clusters)
	}
	if a.classes {
		text += "; classes"
	}
	if a.columns > 0 {
		text += fmt.Sprintf("; %d columns", a.columns)
	}
	if a.planted > 0 {
		text += fmt.Sprintf("; planted %g", a.planted)
	}
	return text
}

// study is study k.
func (a arm) study(k int) Input {
	r := seed.Stream(1, *stream, a.String(), strconv.Itoa(a.n), a.law, strconv.Itoa(k))
	draw := drawer(a.law)
	in := Input{Beta: make([]float64, a.n), StudentErr: make([]float64, a.n), MasterErr: make([]float64, a.n),
		Sets: []Set{{Name: "J", Columns: make([]Covariate, max(3, a.columns))}}}
	columns := in.Sets[0].Columns
	for c := range columns {
		columns[c] = Covariate{Name: strconv.Itoa(c), Values: make([]float64, a.n)}
	}
	left, group, luck, shared := 0, 0, 0.0, 0.0
	for i := range a.n {
		if left == 0 {
			left, group, luck, shared = 1+r.IntN(max(9, a.clusters)), group+1, r.Float64(), r.NormFloat64()
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
			if a.clusters > 0 {
				columns[c].Values[i] += shared
			}
		}
		if a.planted > 0 {
			p = (1-a.planted)*p + a.planted*0.9/(1+math.Exp(-4*columns[0].Values[i]))
		}
		own := r.Float64()
		if a.clusters > 0 {
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

// arms are those in which J says nothing beyond what the null knows.
func arms() (out []row) {
	const wave, line, steps, sin, near = "sin 12β", "linear", "steps near 1", "sin 12β + noise", "β + noise"
	add := func(a arm) {
		out = append(out, row{table: "arms", n: a.n, law: a.law, name: a.String(), draw: a.study, few: true,
			quick: a.n == 300 && (a.law == "piled" && a.j == sin && !a.classes || a.law == "60 % at 1")})
	}
	for _, n := range []int{300, 600, 1200, 2500, 5000} {
		for _, law := range []string{"piled", "uniform", "mmlu.llama3.1-70b", "60 % at 1", "sparse"} {
			add(arm{n: n, law: law, risk: wave, j: sin})
		}
		add(arm{n: n, law: "piled", risk: steps, j: near})
	}
	for _, n := range []int{300, 1200} {
		for _, j := range []string{"independent", near, sin} {
			add(arm{n: n, law: "uniform", risk: line, j: j})
		}
		add(arm{n: n, law: "piled", risk: "constant", j: near})
		add(arm{n: n, law: "piled", risk: wave, j: near})
		for _, law := range []string{"gap", "mmlu.gpt-4o-mini", "mmlu.llama3.2-1b"} {
			add(arm{n: n, law: law, risk: wave, j: sin})
		}
		add(arm{n: n, law: "triviaqa.llama3.1-8b", risk: steps, j: near})
		add(arm{n: n, law: "piled", risk: wave, j: sin, clusters: 9})
		add(arm{n: n, law: "mmlu.gpt-4o-mini", risk: wave, j: sin, clusters: 9})
		add(arm{n: n, law: "piled", risk: "constant", j: "independent", clusters: n / 20})
		add(arm{n: n, law: "piled", risk: wave, j: sin, classes: true})
		add(arm{n: n, law: "piled", risk: wave, j: sin, columns: 40})
	}
	return out
}

// plain are arms for the paper's permutation test.
func plain() (out []row) {
	for _, a := range []arm{
		{n: 300, law: "uniform", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 300, law: "piled", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 300, law: "sparse", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 300, law: "uniform", risk: "linear", j: "β + noise"},
		{n: 300, law: "uniform", risk: "linear", j: "independent"},
	} {
		out = append(out, row{table: "plain", n: a.n, law: a.law, name: a.String(), draw: a.study, few: true, method: Plain})
	}
	return out
}
