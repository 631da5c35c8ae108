package infer_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"infnet/metrics"
	"infnet/metrics/infer"

	"gonum.org/v1/gonum/stat/distuv"
)

var (
	draws  = flag.Int("draws", 0, "samples per arm of the coverage simulation; 0 = a small one")
	record = flag.Bool("record", false, "write the simulation to testdata/coverage.csv")
)

// sampled is a sample of an arm: its clusters, its statistic on records that count so many times each, whose
// percentiles over resamples are the interval that it had before, and the interval that it has.
type sampled struct {
	groups []string
	value  func(counts []uint8) float64
	hits   int // of a rate; -1 = no rate
	of     func(rs *infer.Resamples) (infer.Interval, error)
}

// arm is a law with a known truth.
type arm struct {
	name  string
	truth float64
	draw  func(rng *rand.Rand) sampled
	least float64 // coverage that the small simulation asks for, less four standard errors
}

// ratioOf is Σy/Σx of records that count so many times each.
func ratioOf(y, x []float64) func([]uint8) float64 {
	return func(counts []uint8) float64 {
		var a, b float64
		for i, c := range counts {
			a, b = a+float64(c)*y[i], b+float64(c)*x[i]
		}
		return a / b
	}
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

func rateArm(p float64, n int) arm {
	return arm{fmt.Sprintf("error rate, %g expected in %d", p*float64(n), n), p, func(rng *rand.Rand) sampled {
		x, hits := make([]float64, n), 0
		for i := range x {
			if rng.Float64() < p {
				x[i], hits = 1, hits+1
			}
		}
		return sampled{make([]string, n), ratioOf(x, ones(n)), hits, func(rs *infer.Resamples) (infer.Interval, error) {
			return rs.RateOf(x)
		}}
	}, .94}
}

// clusterArm has g clusters whose own error rates are Beta's with mean p and correlation r; of 0 records they are of
// lognormal size.
func clusterArm(g, records int, p, r, least float64) arm {
	kind := fmt.Sprintf("%d records", records)
	if records == 0 {
		kind = "lognormal size"
	}
	name := fmt.Sprintf("error rate %g, %d clusters of %s, correlation %g", p, g, kind, r)
	return arm{name, p, func(rng *rand.Rand) sampled {
		var s sampled
		var x []float64
		for c := range g {
			size := records
			if size == 0 {
				size = 1 + int(math.Exp(2.5+rng.NormFloat64()))
			}
			own := distuv.Beta{Alpha: p * (1 - r) / r, Beta: (1 - p) * (1 - r) / r, Src: rng}.Rand()
			for range size {
				v := 0.0
				if rng.Float64() < own {
					v, s.hits = 1, s.hits+1
				}
				x, s.groups = append(x, v), append(s.groups, fmt.Sprint(c))
			}
		}
		s.value = ratioOf(x, ones(len(x)))
		s.of = func(rs *infer.Resamples) (infer.Interval, error) { return rs.RateOf(x) }
		return s
	}, least}
}

// aurocArm is binormal; each group has so many records, all with one shift.
func aurocArm(hits, misses, group int, area float64) arm {
	apart := math.Sqrt2 * distuv.UnitNormal.Quantile(area)
	name := fmt.Sprintf("AUROC %g, %d hits and %d misses", area, hits, misses)
	if group > 1 {
		name += fmt.Sprintf(" in groups of %d", group)
	}
	return arm{name, area, func(rng *rand.Rand) sampled {
		n := hits + misses
		x, right, s := make([]float64, n), make([]bool, n), sampled{groups: make([]string, n), hits: -1}
		order, shift := rng.Perm(n), 0.0
		for k, i := range order {
			if group > 1 {
				if s.groups[k] = fmt.Sprint(k / group); k%group == 0 {
					shift = rng.NormFloat64()
				}
			}
			if right[k] = i < hits; right[k] {
				x[k] = apart
			}
			if group > 1 { // half of the variance is the group's
				x[k] += math.Sqrt(.5) * (shift + rng.NormFloat64())
			} else {
				x[k] += rng.NormFloat64()
			}
		}
		r := metrics.NewRanking(x, right)
		s.value = r.AUROC
		s.of = func(rs *infer.Resamples) (infer.Interval, error) { iv, _, err := rs.AUROC(r); return iv, err }
		return s
	}, .94}
}

// f1Arm has k classes whose shares fall as rank^−skew and whose share of right answers rises from low to 1 at random.
func f1Arm(n, k int, low, skew, least float64) arm {
	rng := rand.New(rand.NewPCG(3, uint64(k)))
	p, total := make([]float64, k*k), 0.0
	for c := range k {
		share, right := math.Pow(float64(c+1), -skew), low+(1-low)*rng.Float64()
		total += share
		rest, w := 0.0, make([]float64, k)
		for o := range k {
			if o != c {
				w[o] = math.Pow(rng.Float64(), 4)
				rest += w[o]
			}
		}
		for o := range k {
			p[c*k+o] = share * (1 - right) * w[o] / rest
		}
		p[c*k+c] = share * right
	}
	cumulated, sum := make([]float64, k*k), 0.0
	for c := range p {
		p[c] /= total
		sum += p[c]
		cumulated[c] = sum
	}
	metric, _ := metrics.Get(metrics.F1Macro)
	all := make([]int, k*k)
	for c := range all {
		all[c] = c
	}
	whole, _ := metrics.Occupied(k, all)
	truth := metric.Counts(whole, p)(whole, p)
	return arm{fmt.Sprintf("macro F1 %.2f, %d classes, %d records", truth, k, n), truth, func(rng *rand.Rand) sampled {
		cells := make([]int, n)
		for i := range cells {
			cells[i] = min(k*k-1, sortSearch(cumulated, rng.Float64()))
		}
		c, places := metrics.Occupied(k, cells)
		full := make([]float64, c.Len())
		for _, at := range places[0] {
			full[at]++
		}
		value := metric.Counts(c, full)
		return sampled{make([]string, n), func(counts []uint8) float64 {
			drawn := make([]float64, c.Len())
			for i, w := range counts {
				drawn[places[0][i]] += float64(w)
			}
			return value(c, drawn)
		}, -1, func(rs *infer.Resamples) (infer.Interval, error) {
			return rs.OfCells(c.Len(), places, nil, 0, 1, func(counts []float64) float64 { return value(c, counts) })
		}}
	}, least}
}

func sortSearch(x []float64, v float64) int { at, _ := slices.BinarySearch(x, v); return at }

// savedArm has lognormal costs of both models and defers p of the queries: at random, or the more the dearer they are
// at the master.
func savedArm(n int, sigma, p float64, dearer bool, least float64) arm {
	defers := func(float64) float64 { return p }
	name := fmt.Sprintf("saving per query, lognormal costs (σ %g), %g deferred, %d records", sigma, p, n)
	if dearer {
		at := 1.5 * distuv.UnitNormal.Quantile(1-p)
		defers = func(z float64) float64 { return 1 / (1 + math.Exp(at-z)) }
		name += ", dear ones rather"
	}
	var paid, mean float64 // by quadrature
	for z := -9.0; z < 9; z += 1e-3 {
		w := math.Exp(-z*z/2 + sigma*z)
		paid, mean = paid+w*defers(z), mean+w
	}
	truth := 100 * (1 - .1 - paid/mean)
	return arm{name, truth, func(rng *rand.Rand) sampled {
		cost, least, most, master := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range cost {
			z := rng.NormFloat64()
			master[i], least[i] = math.Exp(sigma*z), .1*math.Exp(sigma*rng.NormFloat64())
			most[i], cost[i] = least[i]+master[i], least[i]
			if rng.Float64() < defers(z) {
				cost[i] = most[i]
			}
		}
		share := ratioOf(cost, master)
		return sampled{make([]string, n), func(c []uint8) float64 { return 100 * (1 - share(c)) }, -1,
			func(rs *infer.Resamples) (infer.Interval, error) { return rs.Saved(cost, least, most, master) }}
	}, least}
}

// differenceArm pairs rates: p of the records are worse, q better.
func differenceArm(n int, p, q float64) arm {
	name := fmt.Sprintf("difference of paired error rates, %g worse and %g better, %d records", p, q, n)
	return arm{name, p - q, func(rng *rand.Rand) sampled {
		x, y := make([]float64, n), make([]float64, n)
		d := make([]float64, n)
		for i := range x {
			switch u := rng.Float64(); {
			case u < p:
				x[i] = 1
			case u < p+q:
				y[i] = 1
			}
			d[i] = x[i] - y[i]
		}
		return sampled{make([]string, n), ratioOf(d, ones(n)), -1, func(rs *infer.Resamples) (infer.Interval, error) {
			return rs.Difference(x, y)
		}}
	}, .94}
}

func arms() []arm {
	list := []arm{rateArm(.04, 100), rateArm(.01, 400), rateArm(.2, 200)}
	for _, g := range []int{5, 10, 20, 40} {
		list = append(list, clusterArm(g, 20, .1, .1, .94))
	}
	list = append(list, clusterArm(5, 0, .3, .2, .94), clusterArm(10, 0, .3, .2, .94),
		clusterArm(20, 0, .1, .1, .94), clusterArm(10, 20, .1, .4, .88), clusterArm(20, 0, .1, .4, .90),
		clusterArm(200, 2, .01, .9, .94))
	list = append(list, aurocArm(10, 190, 1, .8), aurocArm(10, 40, 1, .95), aurocArm(3, 97, 1, .8),
		aurocArm(100, 100, 1, .7), aurocArm(40, 160, 10, .8))
	list = append(list, f1Arm(60, 3, .9, 0, .92), f1Arm(200, 4, .7, .5, .94), f1Arm(200, 20, .4, 0, .94),
		f1Arm(200, 20, .4, 1, .92), f1Arm(500, 20, .4, 1, .94), f1Arm(300, 20, .85, 1, .92), f1Arm(1000, 77, .6, .5, .94))
	return append(list, savedArm(100, 1, .4, false, .94), savedArm(300, 1.5, .4, false, .92),
		savedArm(300, 1, .4, true, .94), savedArm(300, 1.5, .4, true, .92), savedArm(200, .3, .03, false, .94),
		differenceArm(100, .02, .02), differenceArm(300, .03, .01), differenceArm(300, .1, .1))
}

// missed counts the samples whose interval lies above the truth, and below it.
type missed struct{ above, below int }

func (m *missed) add(low, high, truth float64) {
	slack := 1e-12 * math.Abs(truth)
	m.above += indicatorOf(low > truth+slack)
	m.below += indicatorOf(high < truth-slack)
}

func (m missed) covered(n int) float64 { return 1 - float64(m.above+m.below)/float64(n) }

func indicatorOf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// simulate counts what the intervals of n samples miss: percentiles of resamples, where they are wanted, and those of
// the package. It fails where an interval does not hold its own estimate.
func (a arm) simulate(t *testing.T, n, resamples int, percentiles bool) (before, after missed) {
	t.Helper()
	rng := rand.New(rand.NewPCG(20, 25))
	for range n {
		s := a.draw(rng)
		rs, err := infer.NewResamples(rng, s.groups, infer.Options{Count: resamples})
		if err != nil {
			t.Fatal(err)
		}
		iv, err := s.of(rs)
		if err != nil || !(iv.Low <= iv.Value && iv.Value <= iv.High) {
			t.Fatalf("%s: %+v, %v: an interval that does not hold its own estimate", a.name, iv, err)
		}
		after.add(iv.Low, iv.High, a.truth)
		if !percentiles {
			continue
		}
		if s.hits == 0 {
			exact, _ := infer.ClopperPearson(0, rs.Clusters(), .95)
			before.add(0, exact.High, a.truth)
			continue
		}
		each := rs.Several(1, func() func([]uint8, []float64) {
			return func(counts []uint8, out []float64) { out[0] = s.value(counts) }
		})[0]
		each = slices.DeleteFunc(each, math.IsNaN)
		slices.Sort(each)
		before.add(infer.Quantile(each, .025), infer.Quantile(each, .975), a.truth)
	}
	return before, after
}

// Intervals of 95 % cover the truth of laws where events, clusters or classes are few. coverage.csv has them all.
func TestIntervalsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulation")
	}
	n, resamples := *draws, 1000
	if n == 0 {
		n, resamples = 120, 200
	}
	var table strings.Builder
	for _, a := range arms() {
		before, after := a.simulate(t, n, resamples, *draws > 0)
		share := func(k int) float64 { return float64(k) / float64(n) }
		row := fmt.Sprintf("%q,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n", a.name, before.covered(n), share(before.above),
			share(before.below), after.covered(n), share(after.above), share(after.below))
		table.WriteString(row)
		t.Log(strings.TrimSpace(row))
		if got := after.covered(n); got < a.least-4*math.Sqrt(a.least*(1-a.least)/float64(n)) {
			t.Errorf("%s: %.3f of %d intervals cover, want %.2f", a.name, got, n, a.least)
		}
	}
	if !*record {
		return
	}
	const head = "law,percentiles cover,above,below,now cover,above,below\n"
	if err := os.WriteFile("testdata/coverage.csv", []byte(head+table.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
