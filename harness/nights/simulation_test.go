package nights

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"infnet/harness/seed"
	"infnet/metrics/infer"
)

var (
	histories = flag.Int("histories", 0, "simulated histories per arm; 0 = a reduced simulation")
	record    = flag.Bool("record", false, "write the simulation's counts to testdata/nights.csv")
)

const (
	fixed, fresh = "fixed", "fresh"

	alpha      = 0.05
	year       = 365
	quantities = 8 // four datasets, two policies each
)

// arm is one kind of history.
type arm struct {
	records string  // fixed: the same every night; fresh: records that no night had before
	n       int     // test records of each dataset a night
	every   int     // nights after which another model is measured
	drop    float64 // planted, in errors per record; 0 = the models are equally good
	from    int     // the night from which on the model is worse
	effect  float64 // standard deviation of what a night adds to the errors of all records
	naive   bool    // every night is tested at α, as if it were the only one
}

func (a arm) name() string {
	name := fmt.Sprintf("%v/%d/%d/%v/%v", a.records, a.n, a.every, a.drop, a.naive)
	if a.effect > 0 {
		name += fmt.Sprintf("/%v", a.effect)
	}
	return name
}

// population is one dataset: records differ in difficulty, so that the errors of different models
// come together as those of real ones do. Two models disagree on about one record in ten.
const meanError = 0.12

// difficulty is the probability that a model errs on a record: nearly none on most, much on a few.
func difficulty(rng *rand.Rand) float64 {
	if rng.Float64() < 0.8 {
		return 0.03
	}
	return (meanError - 0.8*0.03) / 0.2 // 0.48
}

// errs fills out with the errors of a model that differs from others of its quality in everything but that.
func errs(rng *rand.Rand, hard []float64, worse float64, out []bool) {
	for i, q := range hard {
		out[i] = rng.Float64() < q
		switch {
		case worse > 0:
			out[i] = out[i] || rng.Float64() < worse/(1-meanError)
		case worse < 0: // better
			out[i] = out[i] && rng.Float64() >= -worse/meanError
		}
	}
}

// draw are the two policies of a dataset on its records: they share nine in ten outcomes.
func draw(rng *rand.Rand, hard []float64, worse float64, a, b []bool) {
	errs(rng, hard, worse, a)
	errs(rng, hard, worse, b)
	for i := range b {
		if rng.Float64() < 0.9 {
			b[i] = a[i]
		}
	}
}

// alarms simulates a history, and returns the first night that alarms; 0 = none does.
func (a arm) alarms(k int) int {
	rng := seed.Stream(7, "nights", a.name(), strconv.Itoa(k))
	h := &History{Path: "simulated"}
	hard := make([][]float64, quantities/2)
	accepted, tonight := make([][]bool, quantities), make([][]bool, quantities)
	for q := range accepted {
		accepted[q], tonight[q] = make([]bool, a.n), make([]bool, a.n)
	}
	for d := range hard {
		hard[d] = make([]float64, a.n)
	}
	records := func() {
		for d := range hard {
			for i := range hard[d] {
				hard[d][i] = difficulty(rng)
			}
			draw(rng, hard[d], 0, accepted[2*d], accepted[2*d+1])
		}
	}
	records()
	for night := 1; night <= year; night++ {
		model := "model " + strconv.Itoa((night-1)/a.every)
		worse := 0.0
		if a.drop > 0 && night >= a.from {
			worse = a.drop
			if a.every > 1 {
				model = "the worse model"
			}
		}
		if a.effect > 0 {
			worse += float64(a.effect * rng.NormFloat64())
		}
		if a.records == fresh {
			records()
			model = "model " + strconv.Itoa(night) // a look is at both sides

		}
		look, before, err := h.Plan(Look{Study: "s", Date: strconv.Itoa(night), Inputs: model, Alpha: alpha})
		if err != nil {
			panic(err)
		}
		if before { // the same test again
			continue
		}
		for d := range hard {
			draw(rng, hard[d], worse, tonight[2*d], tonight[2*d+1])
		}
		if a.test(look, accepted, tonight) {
			return night
		}
		h.Looks = append(h.Looks, look)
	}
	return 0
}

// test looks at a night's outcomes.
func (a arm) test(look Look, accepted, tonight [][]bool) bool {
	p := make([]float64, quantities)
	for q := range p {
		worse, better := infer.Discordant(tonight[q], accepted[q])
		p[q] = 1
		if worse > better {
			p[q] = infer.McNemar(worse, better) / 2 // in the direction seen
		}
	}
	level := look.Level
	if a.naive {
		level = alpha
	}
	return slices.Min(infer.Holm(p)) <= level
}

// simulate returns the first alarms of histories of an arm.
func (a arm) simulate(count int) []int {
	out := make([]int, count)
	var wg sync.WaitGroup
	const threads = 2
	for w := range threads {
		wg.Go(func() {
			for k := w; k < count; k += threads {
				out[k] = a.alarms(k)
			}
		})
	}
	wg.Wait()
	return out
}

// arms are those of HISTORY.md.
func arms() (all []arm) {
	for _, n := range []int{200, 1000} {
		all = append(all, arm{records: fixed, n: n, every: 1}, arm{records: fixed, n: n, every: 30},
			arm{records: fixed, n: n, every: 1, naive: true}, arm{records: fresh, n: n, every: 1},
			arm{records: fresh, n: n, every: 1, naive: true})
	}
	for _, n := range []int{200, 1000} {
		for _, drop := range []float64{0.01, 0.02, 0.05} {
			for _, kind := range []arm{{records: fixed, every: 1}, {records: fixed, every: 30}, {records: fresh, every: 1}} {
				kind.n, kind.drop, kind.from = n, drop, 101
				all = append(all, kind)
			}
		}
	}
	for _, kind := range []arm{{records: fixed, n: 200}, {records: fresh, n: 200}, {records: fresh, n: 1000}} {
		kind.every, kind.from, kind.effect = 1, 101, 0.02
		all = append(all, kind)
	}
	return all
}

// A year of nights alarms with probability α at most while nothing is worse; and finds what is.
func TestNullHistories(t *testing.T) {
	count, list := *histories, arms()
	if count == 0 {
		count = 60
		list = []arm{{records: fixed, n: 100, every: 1}, {records: fresh, n: 100, every: 1},
			{records: fixed, n: 1000, every: 30, drop: 0.05, from: 101}, {records: fresh, n: 1000, every: 1, drop: 0.05,
				from: 101}}
	}
	rows := [][]string{{"records", "n", "every", "drop", "naive", "histories", "before", "after", "q25", "median", "q75",
		"by", "effect"}}
	for _, a := range list {
		first := a.simulate(count)
		before, after, delays := split(a, first)
		q := quartiles(delays, count-before)
		rows = append(rows, []string{a.records, strconv.Itoa(a.n), strconv.Itoa(a.every), fmt.Sprint(a.drop),
			strconv.FormatBool(a.naive), strconv.Itoa(count), strconv.Itoa(before), strconv.Itoa(after), q[0], q[1], q[2],
			cumulated(first), fmt.Sprint(a.effect)})
		share, err := infer.ClopperPearson(before, count, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-8s n %4d, another model every %2d nights, drop %.2f, naive %v: %d of %d alarm before it [%.3f, %.3f], "+
			"%d after, "+
			"delay %v; effect %v", a.records, a.n, a.every, a.drop, a.naive, before, count,
			share.Low, share.High, after, q, a.effect)
		switch {
		case a.effect > 0: // outside the promise
		case a.naive:
			if before < count/2 {
				t.Errorf("%s: only %d of %d naive histories alarm, which should nearly all do", a.name(), before, count)
			}
		case share.Low > alpha:
			t.Errorf("%s: %d of %d histories alarm while nothing is worse, more than α = %v", a.name(), before, count, alpha)
		case a.drop == 0.05 && after < (count-before)*9/10 && a.n >= 1000:
			t.Errorf("%s: %d of %d find a drop of 5 points", a.name(), after, count-before)
		}
	}
	if *record {
		file, err := os.Create("testdata/nights.csv")
		if err != nil {
			t.Fatal(err)
		}
		if err := csv.NewWriter(file).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// split counts alarms before and after a planted drop, with the delays of the latter in nights, 1 = the first night.
func split(a arm, first []int) (before, after int, delays []int) {
	for _, night := range first {
		switch {
		case night == 0:
		case a.drop == 0 || night < a.from:
			before++
		default:
			after++
			delays = append(delays, night-a.from+1)
		}
	}
	return before, after, delays
}

// cumulated are the histories that have alarmed by nights 15, 30, … 360 and 365.
func cumulated(first []int) string {
	var out []string
	for by := 15; ; by = min(by+15, year) {
		count := 0
		for _, night := range first {
			if night > 0 && night <= by {
				count++
			}
		}
		out = append(out, strconv.Itoa(count))
		if by == year {
			return strings.Join(out, " ")
		}
	}
}

// quartiles of delays in so many histories; those without an alarm take longer than the year.
func quartiles(delays []int, of int) (out [3]string) {
	slices.Sort(delays)
	for i, share := range []float64{0.25, 0.5, 0.75} {
		out[i] = "never"
		if at := int(share * float64(of)); at < len(delays) {
			out[i] = strconv.Itoa(delays[at])
		}
	}
	return out
}
