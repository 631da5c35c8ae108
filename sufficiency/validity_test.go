package sufficiency

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"infnet/sufficiency/gbdt"
	"infnet/sufficiency/permute"
)

var (
	studies = flag.Int("studies", 0, "simulated studies per arm of the validity simulation; 0 = a reduced one")
	record  = flag.Bool("record", false, "write the validity simulation's figures to testdata/validity.csv and validity_power.csv")
)

// arm is one kind of J that says nothing beyond β, and how it is shuffled.
type arm struct {
	name  string
	j     func(beta float64, r *rand.Rand) float64
	kind  permute.Kind
	valid bool // the level must be kept
	stop  int  // stopping there changes no decision at the levels looked at
}

func arms(permutations int) []arm {
	independent := func(_ float64, r *rand.Rand) float64 { return r.NormFloat64() }
	linear := func(b float64, r *rand.Rand) float64 { return b + 0.2*r.NormFloat64() }
	wave := func(b float64, r *rand.Rand) float64 { return math.Sin(12*b) + 0.3*r.NormFloat64() }
	stop := (permutations + 1) / 10
	return []arm{
		{"J independent", independent, permute.Conditional, true, 0},
		{"J = β + noise", linear, permute.Conditional, true, stop},
		{"J = sin(12β) + noise", wave, permute.Conditional, true, stop},
		{"J independent", independent, permute.Plain, true, stop},
		{"J = β + noise", linear, permute.Plain, false, stop},
		{"J = sin(12β) + noise", wave, permute.Plain, false, stop},
	}
}

// simulated is a study of n records: the student is wrong with probability
// 0.9·(1−β), the master in one of ten, and J has three columns that know β at
// most. planted, in [0,1], makes the student's error depend on the first.
func simulated(a arm, n int, planted float64, s uint64) Input {
	r := rand.New(rand.NewPCG(s, 1))
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
		if planted > 0 {
			p = (1-planted)*p + planted*0.9/(1+math.Exp(-4*columns[0].Values[i]))
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

// plan of a simulation.
type scale struct{ studies, n, trees, permutations int }

// pValues runs an arm's studies, side by side, each on a stream of its own.
func pValues(t *testing.T, a arm, sc scale, planted float64) []float64 {
	t.Helper()
	out := make([]float64, sc.studies)
	var wg sync.WaitGroup
	threads := runtime.GOMAXPROCS(0)
	for w := range threads {
		wg.Go(func() {
			for k := w; k < sc.studies; k += threads {
				o := Options{Seed: uint64(k), Name: "validity", Learner: gbdt.Options{Trees: sc.trees}, Permutation: a.kind,
					Permutations: sc.permutations, Stop: a.stop, NoSensitivity: true, Resamples: 2}
				res, err := Run(t.Context(), simulated(a, sc.n, planted, uint64(k)), o, nil)
				if err != nil {
					t.Error(err)
					return
				}
				out[k] = res.Rows[0].Test.P
			}
		})
	}
	wg.Wait()
	return out
}

// Under a null that is true the test rejects in a share of α at most, within
// two standard errors of the simulation: for α = 0.01, 0.05 and 0.10, whatever
// J has to do with β, when rows move among neighbours in β; and when they move
// anywhere, only if J has nothing to do with β. With -studies 2000 this is the
// simulation of VALIDITY.md, else a reduced one that is held to four standard
// errors, since it is run often.
func TestValidity(t *testing.T) {
	sc, errors := scale{studies: 200, n: 100, trees: 8, permutations: 19}, 4.0
	kinds := arms(sc.permutations)[:3]
	if *studies > 0 {
		sc, errors = scale{*studies, 300, 30, 99}, 2.0
		kinds = arms(sc.permutations)
	}
	var csv strings.Builder
	fmt.Fprintln(&csv, "J,permutation,alpha,rejected,studies,bound")
	for _, a := range kinds {
		p := pValues(t, a, sc, 0)
		for _, alpha := range []float64{0.01, 0.05, 0.10} {
			rejected := 0
			for _, v := range p {
				if v <= alpha {
					rejected++
				}
			}
			bound := alpha + errors*math.Sqrt(alpha*(1-alpha)/float64(sc.studies))
			share := float64(rejected) / float64(sc.studies)
			fmt.Fprintf(&csv, "%s,%s,%g,%d,%d,%.4f\n", a.name, a.kind, alpha, rejected, sc.studies, bound)
			if a.valid && share > bound {
				t.Errorf("%s, %s: a true null is rejected in %.4f at α = %g; the bound is %.4f", a.name, a.kind, share, alpha, bound)
			}
		}
		if a.stop == 0 {
			if d, bound := uniformity(p, sc.permutations), 1.63/math.Sqrt(float64(sc.studies)); d > bound {
				t.Errorf("%s, %s: p-values are %.4f from uniform; the 1 %% point of Kolmogorov and Smirnov is %.4f", a.name, a.kind, d, bound)
			}
		}
	}
	write(t, "validity.csv", csv.String())
}

// The power rises with the strength of what is planted.
func TestPowerRises(t *testing.T) {
	sc := scale{studies: 24, n: 200, trees: 15, permutations: 19}
	strengths := []float64{0, 1}
	if *studies > 0 {
		sc, strengths = scale{max(20, *studies/10), 300, 30, 99}, []float64{0, .2, .4, .6, .8, 1}
	}
	var csv strings.Builder
	fmt.Fprintln(&csv, "planted,detected,studies")
	a := arms(sc.permutations)[0]
	var last int
	for k, strength := range strengths {
		a.stop = (sc.permutations + 1) / 20
		detected := 0
		for _, p := range pValues(t, a, sc, strength) {
			if p <= 0.05 {
				detected++
			}
		}
		fmt.Fprintf(&csv, "%g,%d,%d\n", strength, detected, sc.studies)
		// Neighbours on the curve may change places by chance, not by much.
		if slack := sc.studies / 10; k > 0 && detected < last-slack {
			t.Errorf("an effect of %g is detected %d times of %d, a smaller one %d times", strength, detected, sc.studies, last)
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
		below, _ := slices.BinarySearch(sorted, at*(1+1e-9))
		far = max(far, math.Abs(float64(below)/float64(len(p))-at))
	}
	return far
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if *studies > 0 {
		t.Log("\n" + text)
	}
	if *record {
		if err := os.WriteFile(filepath.Join("testdata", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
