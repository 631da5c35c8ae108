package sufficiency

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"infnet/harness/seed"
	"infnet/sufficiency/gbdt"
)

var (
	studies = flag.Int("studies", 0,
		"simulated studies per arm of the validity simulation, where the arm's share is 1; 0 = a reduced simulation")
	record = flag.Bool("record", false,
		"keep the validity simulation in testdata/validity.ledger as it goes, and go on from there")
	only = flag.String("arms", "",
		"run only the arms of the validity simulation whose names match this regular expression")
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
	for _, name := range []string{"mmlu.llama3.1-70b", "mmlu.gpt-4o-mini", "mmlu.llama3.2-1b", "triviaqa.llama3.1-8b"} {
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
	uncapped     bool // strata as wide as they come
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
	if a.uncapped {
		text += "|uncapped"
	}
	if a.planted > 0 {
		text += fmt.Sprintf("|planted %g", a.planted)
	}
	return text
}

// simulated is study k of an arm. Arms of the same data see the same studies.
func simulated(a arm, k int) Input {
	data := a
	data.method, data.splits, data.uncapped = 0, 0, false
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

// outcome is what a study came to.
type outcome struct {
	p   float64
	fit float64 // p of the check of the fit; 1 where there is none
}

// tried tests study k of an arm. Of PCM's row it works out no more than the
// test. Trees are 30 instead of 100: the level does not depend on how well J
// predicts, the power does a little.
func tried(t *testing.T, a arm, k int) (outcome, error) {
	in := simulated(a, k)
	o := Options{Seed: uint64(k), Name: "validity", Learner: gbdt.Options{Trees: 30}, Method: a.method, Splits: a.splits,
		NoSensitivity: true, Resamples: 2, Nulls: []Null{Beta}, Permutations: 99, Stop: 10}
	if a.permutations > 0 {
		o.Permutations, o.Stop = a.permutations, (a.permutations+1)/10
	}
	if a.classes {
		o.Nulls[0] = BetaAndClass
	}
	if a.uncapped {
		o.Width = math.Inf(1)
	}
	if a.method != PCM {
		res, err := Run(t.Context(), in, o, nil)
		if err != nil {
			return outcome{}, err
		}
		return outcome{res.Rows[0].P, 1}, nil
	}
	o, err := o.withDefaults(in)
	if err != nil {
		return outcome{}, err
	}
	c, err := check(in, o)
	if err != nil {
		return outcome{}, err
	}
	s := &nullTests{checked: c, o: o, null: o.Nulls[0]}
	if s.known, err = s.knownColumns(); err != nil {
		return outcome{}, err
	}
	var columns [][]float64
	for _, column := range in.Sets[0].Columns {
		columns = append(columns, column.Values)
	}
	extra, err := gbdt.NewFeatures(a.n, columns)
	if err != nil {
		return outcome{}, err
	}
	res, err := s.projectedCovariance(t.Context(), "J", extra, s.delta, nil, nil, 1)
	return outcome{res.P, res.Fit.P}, err
}

// outcomes tests studies from to to−1 of an arm, side by side.
func outcomes(t *testing.T, a arm, from, to int) []outcome {
	t.Helper()
	out := make([]outcome, to-from)
	var wg sync.WaitGroup
	threads := runtime.GOMAXPROCS(0)
	for w := range threads {
		wg.Go(func() {
			for k := from + w; k < to; k += threads {
				one, err := tried(t, a, k)
				if err != nil {
					panic(fmt.Sprintf("%s, study %d: %v", a, k, err))
				}
				out[k-from] = one
			}
		})
	}
	wg.Wait()
	return out
}

// chunk is how many studies are run before they are kept.
const chunk = 25

// simulate runs an arm, from the ledger on where there is one.
func simulate(t *testing.T, a arm, count int, l *ledger) []outcome {
	t.Helper()
	if l == nil {
		return outcomes(t, a, 0, count)
	}
	name := a.String()
	for done := len(l.known[name]); done < count; done = len(l.known[name]) {
		l.add(t, name, outcomes(t, a, done, min(done+chunk, count)))
	}
	return l.known[name][:min(count, len(l.known[name]))]
}

// ledger keeps outcomes by arm in a file, in the order of studies, a line for
// each chunk.
type ledger struct {
	file  string
	known map[string][]outcome
}

// openLedger reads the file; nil where nothing is kept.
func openLedger(t *testing.T) *ledger {
	t.Helper()
	if !*record || *studies == 0 {
		return nil
	}
	l := &ledger{file: filepath.Join("testdata", "validity.ledger"), known: map[string][]outcome{}}
	data, err := os.ReadFile(l.file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		name, list, whole := strings.Cut(line, "\t")
		if !whole || !strings.HasSuffix(list, "\n") {
			continue // the last line of a run that was stopped
		}
		for _, x := range strings.Fields(list) {
			p, fit, _ := strings.Cut(x, ",")
			var o outcome
			var err1, err2 error
			o.p, err1 = strconv.ParseFloat(p, 64)
			o.fit, err2 = strconv.ParseFloat(fit, 64)
			if err1 != nil || err2 != nil {
				t.Fatalf("%s: %s: %q is no outcome", l.file, name, x)
			}
			l.known[name] = append(l.known[name], o)
		}
	}
	return l
}

func (l *ledger) add(t *testing.T, name string, more []outcome) {
	t.Helper()
	l.known[name] = append(l.known[name], more...)
	line := name + "\t"
	for _, o := range more {
		line += strconv.FormatFloat(o.p, 'g', 6, 64) + "," + strconv.FormatFloat(o.fit, 'g', 6, 64) + " "
	}
	f, err := os.OpenFile(l.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(strings.TrimSpace(line) + "\n")
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// rejected counts p-values up to alpha.
func rejected(list []outcome, alpha float64) int {
	n := 0
	for _, o := range list {
		if o.p <= alpha*(1+1e-6) { // as far as the ledger rounds
			n++
		}
	}
	return n
}

// undecided counts failed fits.
func undecided(list []outcome) int {
	n := 0
	for _, o := range list {
		if o.fit <= 0.01*(1+1e-6) {
			n++
		}
	}
	return n
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

// beforeArms are the permutation tests on the same studies.
func beforeArms() []arm {
	var out []arm
	for _, a := range []arm{
		{n: 300, law: "uniform", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 300, law: "piled", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 300, law: "sparse", risk: "sin 12β", j: "sin 12β + noise"},
		{n: 300, law: "uniform", risk: "linear", j: "β + noise"},
	} {
		a.method, a.share, a.uncapped = Conditional, 0.4, true
		out = append(out, a)
		a.uncapped = false
		out = append(out, a)
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
				if a.method, a.splits = Conditional, 0; n == 300 {
					out = append(out, a)
				}
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

// Under a null that is true PCM on one random half rejects in a share of α at
// most, within two standard errors of the simulation, for α = 0.01, 0.05 and
// 0.10, whatever β's law, the risk along it and J's ties to it. With -studies
// this is the simulation of VALIDITY.md, else a reduced one held to four
// standard errors, since it is run often.
func TestValidity(t *testing.T) {
	list, errors := []arm{
		{splits: 1, n: 300, law: "piled", risk: "sin 12β", j: "sin 12β + noise", share: 1},
		{splits: 1, n: 300, law: "60 % at 1", risk: "steps near 1", j: "β + noise", share: 1},
		{splits: 1, n: 300, law: "piled", risk: "linear", j: "β + noise", share: 1, clusters: true},
	}, 4.0
	count := 100
	if *studies > 0 {
		list, errors, count = append(nullArms(), beforeArms()...), 2.0, *studies
	}
	l := openLedger(t)
	var csv strings.Builder
	fmt.Fprintln(&csv, "arm,alpha,rejected,studies,bound,undecided")
	for _, a := range runnable(t, list) {
		out := simulate(t, a, int(a.share*float64(count)), l)
		for _, alpha := range []float64{0.01, 0.05, 0.10} {
			n := float64(len(out))
			bound := alpha + errors*math.Sqrt(alpha*(1-alpha)/n)
			share := float64(rejected(out, alpha)) / n
			fmt.Fprintf(&csv, "%s,%g,%d,%d,%.4f,%d\n", a, alpha, rejected(out, alpha), len(out), bound, undecided(out))
			if a.method == PCM && share > bound {
				t.Errorf("%s: a true null is rejected in %.4f of %d studies at α = %g; the bound is %.4f", a, share, len(out),
					alpha, bound)
			}
		}
		if a.method == PCM && *studies == 0 && undecided(out) > 10 {
			t.Errorf("%s: %d of %d good fits fail the check at 0.01", a, undecided(out), len(out))
		}
	}
	write(t, "levels.csv", csv.String())
}

// The power rises with the strength of what is planted.
func TestPowerRises(t *testing.T) {
	list, count := []arm{
		{splits: 4, n: 250, law: "piled", risk: "linear", j: "independent", planted: 0.3, share: 1},
		{splits: 4, n: 250, law: "piled", risk: "linear", j: "independent", planted: 1, share: 1},
	}, 24
	if *studies > 0 {
		list, count = powerArms(), *studies
	}
	l := openLedger(t)
	var csv strings.Builder
	fmt.Fprintln(&csv, "arm,detected,studies")
	last := map[string]int{}
	for _, a := range runnable(t, list) {
		out := simulate(t, a, int(a.share*float64(count)), l)
		detected := rejected(out, 0.05)
		fmt.Fprintf(&csv, "%s,%d,%d\n", a, detected, len(out))
		weaker := a
		weaker.planted = 0
		// Neighbours on the curve may be out of order by chance, but not by much.
		if name := weaker.String(); detected < last[name]-len(out)/10 {
			t.Errorf("%s is detected %d times of %d, a weaker effect %d times", a, detected, len(out), last[name])
		} else {
			last[name] = detected
		}
		if a.planted == 1 && detected < len(out)*8/10 {
			t.Errorf("%s is detected %d times of %d", a, detected, len(out))
		}
	}
	write(t, "power.csv", csv.String())
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if *studies > 0 {
		t.Log("\n" + text)
	}
	if *record && *only == "" {
		if err := os.WriteFile(filepath.Join("testdata", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
