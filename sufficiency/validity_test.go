package sufficiency

import (
	"flag"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"testing"

	"infnet/sufficiency/gbdt"
)

var (
	studies = flag.Int("studies", 0, "simulated studies of each row of testdata/validity.csv; 0 = a few of the quick rows")
	stream  = flag.String("stream", "development",
		"name of the random stream of the simulated studies: of another name they are studies that nobody looked at before")
	record = flag.Bool("record", false, "keep each row in testdata/validity.csv, and leave out those that it has")
	only   = flag.String("arms", "", "run only the rows whose names match this regular expression")
)

// row is a kind of study, and how it is tested.
type row struct {
	table     string // of testdata/validity.csv
	n         int
	law, name string
	draw      func(k int) Input
	method    Method
	few       bool // fewer studies, of large samples still fewer
	quick     bool // in the default test
}

func (r row) String() string { return fmt.Sprintf("%s|%d|%s|%s", r.table, r.n, r.law, r.name) }

// many is how many studies of the row are run.
func (r row) many() int {
	switch {
	case *studies == 0:
		return 4
	case !r.few && r.n <= 1000:
		return *studies
	case !r.few:
		return *studies / 2
	case r.n <= 300:
		return *studies / 4
	case r.n <= 1200:
		return *studies / 8
	case r.table == "models":
		return *studies / 40
	}
	return *studies / 10
}

// tally counts what studies of a row come to.
type tally struct {
	found, undecided, studies int
	helps                     int // found, and trees predict better
	cubic                     int // found by fTest
	projected                 int // found by the projected covariance measure alone
}

// simulate judges the studies of a row, side by side.
func simulate(t *testing.T, r row) (out tally) {
	t.Helper()
	rows, in := make([]Row, r.many()), make([]Input, r.many())
	var wg sync.WaitGroup
	threads := runtime.GOMAXPROCS(0)
	for w := range threads {
		wg.Go(func() {
			for k := w; k < len(rows); k += threads {
				in[k] = r.draw(k)
				rows[k] = judged(t, r, in[k], k)
			}
		})
	}
	wg.Wait()
	for k, x := range rows {
		found := x.State == Tested && x.P <= 0.05
		for _, c := range []struct {
			yes bool
			to  *int
		}{{true, &out.studies}, {found, &out.found}, {x.State == Undecided, &out.undecided},
			{fTest(in[k]) <= 0.05, &out.cubic}, {found && x.Gain.Value > 0, &out.helps},
			{x.PCM != nil && x.PCM.Projected <= 0.05, &out.projected}} {
			if c.yes {
				*c.to++
			}
		}
	}
	return out
}

// judged tests a study by the default, or by the paper's test. Where there is no effect
// to find, no more is worked out than the test, and trees are 30 instead of 100: the
// level does not depend on how well J predicts.
func judged(t *testing.T, r row, in Input, k int) Row {
	o := Options{Seed: uint64(k), Name: *stream, Method: r.method, Nulls: []Null{Beta}, Resamples: 2, Permutations: 99}
	if in.Class != nil {
		o.Nulls[0] = BetaAndClass
	}
	if r.table != "effects" {
		o.Learner.Trees = 30
	}
	if r.table == "effects" || r.method == Plain {
		res, err := Run(t.Context(), in, o, nil)
		if err != nil {
			panic(fmt.Sprintf("%s, study %d: %v", r, k, err))
		}
		return res.Rows[0]
	}
	out, err := tested(t, in, o)
	if err != nil {
		panic(fmt.Sprintf("%s, study %d: %v", r, k, err))
	}
	return out
}

// tested is the row of Run without trees' errors.
func tested(t *testing.T, in Input, o Options) (Row, error) {
	o, err := o.withDefaults(in)
	if err != nil {
		return Row{}, err
	}
	c, err := check(in, o)
	if err != nil {
		return Row{}, err
	}
	s := &nullTests{checked: c, o: o, null: o.Nulls[0], count: &counter{}}
	if s.known, err = s.knownColumns(); err != nil {
		return Row{}, err
	}
	var columns [][]float64
	for _, column := range in.Sets[0].Columns {
		columns = append(columns, column.Values)
	}
	extra, err := gbdt.NewFeatures(len(in.Beta), columns)
	if err != nil {
		return Row{}, err
	}
	out := Row{Set: "J", Null: s.null, State: Tested}
	return out, s.testByPCM(t.Context(), &out, extra)
}

// Where the null is true the test finds something in no more than a share of α,
// or cannot decide; where J has an effect it is found nearly as often as by the
// F test, or where that is blind, in most studies. By default on few studies, so
// that only gross failures show; -studies asks for those of the file.
func TestValidity(t *testing.T) {
	known := recordedRows(t)
	for _, r := range slices.Concat(attacks(), effects(t), arms(), models(), plain()) {
		if *studies == 0 && !r.quick || laws[r.law] == nil && recorded() == nil ||
			!regexp.MustCompile(*only).MatchString(r.String()) || *record && known[r.String()] != nil {
			continue
		}
		got := simulate(t, r)
		t.Logf("%s: %+v", r, got)
		if *record {
			keep(t, r, got)
		}
		n, found := float64(got.studies), float64(got.found)
		switch {
		case r.table == "plain":
		case r.name == "seen":
			if off := 0.1 + 3*math.Sqrt(0.16/n); math.Abs(found/n-0.8) > off {
				t.Errorf("%s: found in a share of %.2f, not 0.8 ± %.2f", r, found/n, off)
			}
		case r.table != "effects":
			if bound := n*0.07 + 4*math.Sqrt(n*0.05*0.95); found > bound {
				t.Errorf("%s: %g of %g true nulls rejected; the bound is %.1f", r, found, n, bound)
			}
		case found < 0.8*math.Max(float64(got.cubic), float64(got.projected))-3*math.Sqrt(n)/2:
			t.Errorf("%s: of %g effects %g found; the F test finds %d, the projected measure %d", r, n, found, got.cubic,
				got.projected)
		}
	}
}
