package sufficiency

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"infnet/harness/seed"
	"infnet/sufficiency/gbdt"
	"infnet/sufficiency/permute"
)

var (
	studies = flag.Int("studies", 0, "simulated studies per arm of the validity simulation; 0 = a reduced one")
	record  = flag.Bool("record", false, "keep the validity simulation in testdata/validity.ledger as it goes, and go on from there")
	small   = flag.Bool("small", false, "studies of 60 records, 5 trees and 19 shuffles: fifty times as many in the time")
	only    = flag.String("arms", "", "run only the arms of the validity simulation whose names match this regular expression")
)

// arm is one kind of J, what it says beyond β, and how it is shuffled.
type arm struct {
	name    string
	j       func(beta float64, r *rand.Rand) float64
	kind    permute.Kind
	stratum int     // 0 = the default
	planted float64 // share of the student's error that the first column of J tells, beyond β
	stop    int     // stopping there changes no decision at the levels looked at
	studies int
}

// String names an arm in files and in what tests print.
func (a arm) String() string {
	return fmt.Sprintf("%s, %s %d, planted %g, stop %d", a.name, a.kind, a.width(), a.planted, a.stop)
}

func (a arm) width() int {
	switch {
	case a.kind == permute.Plain:
		return 0
	case a.stratum == 0:
		return permute.DefaultStratum
	}
	return a.stratum
}

// The three kinds of J of the simulation.
var kinds = []struct {
	name string
	j    func(beta float64, r *rand.Rand) float64
}{
	{"J independent", func(_ float64, r *rand.Rand) float64 { return r.NormFloat64() }},
	{"J = β + noise", func(b float64, r *rand.Rand) float64 { return b + 0.2*r.NormFloat64() }},
	{"J = sin(12β) + noise", func(b float64, r *rand.Rand) float64 { return math.Sin(12*b) + 0.3*r.NormFloat64() }},
}

// nullArms are those in which J says nothing beyond β. The first is not
// stopped early: its p-values are held to uniformity.
func nullArms(sc scale) []arm {
	var out []arm
	for _, p := range []permute.Kind{permute.Conditional, permute.Plain} {
		for _, k := range kinds {
			out = append(out, arm{name: k.name, j: k.j, kind: p, stop: (sc.permutations + 1) / 10, studies: sc.studies})
		}
	}
	out[0].stop = 0
	return out
}

// powerArms plant more and more.
func powerArms(sc scale, strengths []float64) []arm {
	var out []arm
	for _, s := range strengths {
		out = append(out, arm{name: kinds[0].name, j: kinds[0].j, planted: s, stop: (sc.permutations + 1) / 20, studies: sc.studies})
	}
	return out
}

// simulated is study k of an arm, of n records: the student is wrong with
// probability 0.9·(1−β), the master in one of ten, and J has three columns that
// know β at most. What is planted makes the student's error depend on the
// first. Arms with the same J see the same studies.
func simulated(a arm, n, k int) Input {
	r := seed.Stream(1, "validity", a.name, strconv.Itoa(k))
	in := Input{Beta: make([]float64, n), StudentErr: make([]float64, n), MasterErr: make([]float64, n), Sets: []Set{{Name: "J", Columns: make([]Column, 3)}}}
	columns := in.Sets[0].Columns
	for c := range columns {
		columns[c] = Column{Name: fmt.Sprint(c), Values: make([]float64, n)}
	}
	for i := range n {
		b := r.Float64()
		in.Beta[i] = b
		for c := range columns {
			columns[c].Values[i] = a.j(b, r)
		}
		p := 0.9 * (1 - b)
		if a.planted > 0 {
			p = (1-a.planted)*p + a.planted*0.9/(1+math.Exp(-4*columns[0].Values[i]))
		}
		if r.Float64() < p {
			in.StudentErr[i] = 1
		}
		if r.Float64() < 0.1 {
			in.MasterErr[i] = 1
		}
	}
	return in
}

// scale is the size of a simulation.
type scale struct{ studies, n, trees, permutations int }

// fullScale is that of VALIDITY.md.
func fullScale(studies int) scale {
	if *small {
		return scale{studies, 60, 5, 19}
	}
	return scale{studies, 300, 30, 99}
}

// pValues tests studies from to to−1 of an arm, side by side.
func pValues(t *testing.T, a arm, sc scale, from, to int) []float64 {
	t.Helper()
	out := make([]float64, to-from)
	var wg sync.WaitGroup
	threads := runtime.GOMAXPROCS(0)
	for w := range threads {
		wg.Go(func() {
			for k := from + w; k < to; k += threads {
				o := Options{Seed: uint64(k), Name: "validity", Learner: gbdt.Options{Trees: sc.trees}, Permutation: a.kind, Stratum: a.stratum,
					Permutations: sc.permutations, Stop: a.stop, NoSensitivity: true, Resamples: 2}
				res, err := Run(t.Context(), simulated(a, sc.n, k), o, nil)
				if err != nil {
					t.Error(err)
					return
				}
				out[k-from] = res.Rows[0].Test.P
			}
		})
	}
	wg.Wait()
	return out
}

// chunk is how many studies are run before they are kept.
const chunk = 50

// simulate runs an arm, from the ledger on where there is one.
func simulate(t *testing.T, a arm, sc scale, l *ledger) []float64 {
	t.Helper()
	if l == nil {
		return pValues(t, a, sc, 0, a.studies)
	}
	for done := len(l.p[a.String()]); done < a.studies && !t.Failed(); done = len(l.p[a.String()]) {
		l.add(t, a.String(), pValues(t, a, sc, done, min(done+chunk, a.studies)))
	}
	return l.p[a.String()][:min(a.studies, len(l.p[a.String()]))]
}

// ledger keeps p-values by arm in a file, in the order of studies.
type ledger struct {
	file  string
	order []string
	p     map[string][]float64
}

// openLedger reads the file; nil where nothing is kept.
func openLedger(t *testing.T) *ledger {
	t.Helper()
	if !*record || *studies == 0 || *small {
		return nil
	}
	l := &ledger{file: filepath.Join("testdata", "validity.ledger"), p: map[string][]float64{}}
	data, err := os.ReadFile(l.file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		name, list, _ := strings.Cut(line, "\t")
		l.order = append(l.order, name)
		for _, x := range strings.Fields(list) {
			v, err := strconv.ParseFloat(x, 64)
			if err != nil {
				t.Fatalf("%s: %s: %v", l.file, name, err)
			}
			l.p[name] = append(l.p[name], v)
		}
	}
	return l
}

func (l *ledger) add(t *testing.T, name string, p []float64) {
	t.Helper()
	if t.Failed() {
		return
	}
	if _, known := l.p[name]; !known {
		l.order = append(l.order, name)
	}
	l.p[name] = append(l.p[name], p...)
	text := "arm\tp-values of studies 0, 1, …\n"
	for _, n := range l.order {
		text += n + "\t"
		for k, v := range l.p[n] {
			if k > 0 {
				text += " "
			}
			text += strconv.FormatFloat(v, 'g', 6, 64)
		}
		text += "\n"
	}
	if err := os.WriteFile(l.file+".new", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(l.file+".new", l.file); err != nil {
		t.Fatal(err)
	}
}

// rejected counts p-values up to alpha.
func rejected(p []float64, alpha float64) int {
	n := 0
	for _, v := range p {
		if v <= alpha*(1+1e-6) { // as far as the ledger rounds
			n++
		}
	}
	return n
}

// Under a null that is true the test rejects in a share of α at most, within
// two standard errors of the simulation: for α = 0.01, 0.05 and 0.10 (the levels
// between are recorded for the figure), whatever
// J has to do with β, when rows move among neighbours in β; and when they move
// anywhere, only if J has nothing to do with β. With -studies 2000 this is the
// simulation of VALIDITY.md, else a reduced one that is held to four standard
// errors, since it is run often.
func TestValidity(t *testing.T) {
	sc, errors := scale{studies: 200, n: 100, trees: 8, permutations: 19}, 4.0
	list := nullArms(sc)[:3]
	if *studies > 0 {
		sc, errors = fullScale(*studies), 2.0
		list = nullArms(sc)
	}
	l := openLedger(t)
	var csv strings.Builder
	fmt.Fprintln(&csv, "J,permutation,stratum,alpha,rejected,studies,bound")
	for _, a := range list {
		if !regexp.MustCompile(*only).MatchString(a.String()) {
			continue
		}
		p := simulate(t, a, sc, l)
		held := a.kind == permute.Conditional || a.name == kinds[0].name
		for percent := 1; percent <= 10; percent++ {
			alpha := float64(percent) / 100
			count := rejected(p, alpha)
			bound := alpha + errors*math.Sqrt(alpha*(1-alpha)/float64(sc.studies))
			share := float64(count) / float64(sc.studies)
			fmt.Fprintf(&csv, "%s,%s,%d,%g,%d,%d,%.4f\n", a.name, a.kind, a.width(), alpha, count, sc.studies, bound)
			if looked := percent == 1 || percent == 5 || percent == 10; looked && held && share > bound {
				t.Errorf("%s: a true null is rejected in %.4f at α = %g; the bound is %.4f", a, share, alpha, bound)
			}
		}
		if a.stop == 0 {
			d, bound := uniformity(p, sc.permutations), farthest(sc)
			t.Logf("%s: p-values are %.4f from uniform; the 1 %% point is %.4f", a, d, bound)
			if d > bound {
				t.Errorf("%s: p-values are %.4f from uniform; the 1 %% point is %.4f", a, d, bound)
			}
		}
	}
	write(t, "validity.csv", csv.String())
}

// The power rises with the strength of what is planted.
func TestPowerRises(t *testing.T) {
	sc, strengths := scale{studies: 24, n: 200, trees: 15, permutations: 19}, []float64{0, 1}
	if *studies > 0 {
		sc, strengths = fullScale(max(20, *studies/10)), []float64{0, .2, .4, .6, .8, 1}
	}
	l := openLedger(t)
	var csv strings.Builder
	fmt.Fprintln(&csv, "planted,detected,studies")
	var last int
	for k, a := range powerArms(sc, strengths) {
		detected := rejected(simulate(t, a, sc, l), 0.05)
		fmt.Fprintf(&csv, "%g,%d,%d\n", a.planted, detected, sc.studies)
		// Neighbours on the curve may change places by chance, not by much.
		if slack := sc.studies / 10; k > 0 && detected < last-slack {
			t.Errorf("an effect of %g is detected %d times of %d, a smaller one %d times", a.planted, detected, sc.studies, last)
		}
		last = detected
	}
	if last < sc.studies*8/10 {
		t.Errorf("the largest effect is detected %d times of %d", last, sc.studies)
	}
	write(t, "validity_power.csv", csv.String())
}

// uniformity is the distance of p-values from uniform on 1/(T+1), …, 1, at
// those points.
func uniformity(p []float64, permutations int) float64 {
	sorted := slices.Sorted(slices.Values(p))
	far := 0.0
	for k := 1; k <= permutations+1; k++ {
		at := float64(k) / float64(permutations+1)
		below, _ := slices.BinarySearch(sorted, at*(1+1e-6))
		far = max(far, math.Abs(float64(below)/float64(len(p))-at))
	}
	return far
}

// farthest is the 1 % point of uniformity where p-values are uniform on
// 1/(T+1), …, 1, by simulation: the point of Kolmogorov and Smirnov is for
// numbers that are never equal, and too large here.
func farthest(sc scale) float64 {
	r := seed.Stream(1, "validity", "uniform")
	far := make([]float64, 2000)
	p := make([]float64, sc.studies)
	for i := range far {
		for k := range p {
			p[k] = float64(1+r.IntN(sc.permutations+1)) / float64(sc.permutations+1)
		}
		far[i] = uniformity(p, sc.permutations)
	}
	slices.Sort(far)
	return far[len(far)*99/100]
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if *studies > 0 {
		t.Log("\n" + text)
	}
	if *record && *only == "" && !*small && !strings.Contains(t.Name(), "/") {
		if err := os.WriteFile(filepath.Join("testdata", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
