package sufficiency

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"infnet/sufficiency/gbdt"
)

var (
	studies = flag.Int("studies", 0,
		"simulated studies per arm of the validity simulation, where the arm's share is 1; 0 = a reduced simulation")
	first = flag.Int("first", 0,
		"number of the first study of the hard laws: other numbers draw studies that nobody looked at before")
	record = flag.Bool("record", false,
		"keep the validity simulation in testdata/validity.ledger as it goes, and go on from there")
	only = flag.String("arms", "",
		"run only the arms of the validity simulation whose names match this regular expression")
)

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
		Resamples: 2, Nulls: []Null{Beta}, Permutations: 99, Stop: 10}
	if a.permutations > 0 {
		o.Permutations, o.Stop = a.permutations, (a.permutations+1)/10
	}
	if a.classes {
		o.Nulls[0] = BetaAndClass
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
	res, err := s.covariances(t.Context(), "J", extra, nil, 1)
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
		list, errors, count = append(nullArms(), plainArms()...), 2.0, *studies
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
