package analyze

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/policy"
)

// sketch is records for property tests: scores with ties, errors of 0 and 1,
// and counts as resamples have them.
type sketch struct {
	score  []float64
	counts []uint8
	class  []int
	g      gains
}

func draw(t *rapid.T) sketch {
	n := rapid.IntRange(1, 14).Draw(t, "records")
	var d sketch
	for range n {
		d.score = append(d.score, float64(rapid.IntRange(0, 8).Draw(t, "score"))/8)
		d.class = append(d.class, rapid.IntRange(0, 1).Draw(t, "class"))
		student, master := rapid.IntRange(0, 1).Draw(t, "student"), rapid.IntRange(0, 1).Draw(t, "master")
		d.g.student = append(d.g.student, float64(student))
		d.g.saved = append(d.g.saved, float64(student-master))
		d.counts = append(d.counts, uint8(rapid.IntRange(0, 3).Draw(t, "count")))
	}
	d.counts[0]++ // no resample is empty
	return d
}

// outcome is what decisions sum to, by definition.
func (d sketch) outcome(defers func(i int) bool) (deferred, errors float64) {
	for i, n := range d.counts {
		e := d.g.student[i]
		if defers(i) {
			deferred += float64(n)
			e -= d.g.saved[i]
		}
		errors += float64(n) * e
	}
	return deferred, errors
}

func walked(s *sweep, counts []uint8) (t track) {
	total, errors := s.gains.sums(counts)
	s.walk(&t, counts, total, errors)
	return t
}

// Every position of a sweep of a score is what its threshold decides; the first
// defers nothing, the last everything.
func TestSweepOfAScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		s := byScore(d.score, d.g)
		tr := walked(s, d.counts)
		distinct := len(slices.Compact(slices.Sorted(slices.Values(d.score))))
		if len(s.theta) != distinct+1 || len(tr.deferred) != distinct+1 || s.theta[0] != 0 ||
			!math.IsInf(s.theta[distinct], 1) {
			t.Fatalf("thresholds %v of scores %v", s.theta, d.score)
		}
		for j, theta := range s.theta {
			deferred, errors := d.outcome(func(i int) bool { return !(d.score[i] >= theta) })
			if tr.deferred[j] != deferred || tr.errors[j] != errors {
				t.Fatalf("θ %v: %v deferred, %v errors; want %v, %v", theta, tr.deferred[j], tr.errors[j], deferred, errors)
			}
		}
		if tr.deferred[0] != 0 || tr.deferred[distinct] != tr.total {
			t.Fatalf("deferrals %v of %v", tr.deferred, tr.total)
		}
	})
}

// A path's positions are in order of deferrals, equal ones merged into their
// mean.
func TestSweepOfAPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		var path []policy.Thresholds
		for range rapid.IntRange(1, 6).Draw(t, "length") {
			theta := func() float64 { return float64(rapid.IntRange(0, 9).Draw(t, "θ")) / 8 }
			path = append(path, policy.Thresholds{theta(), theta()})
		}
		places := func(thresholds policy.Thresholds) (out []int) {
			for i, score := range d.score {
				out = append(out, int(1-indicator(thresholds.Accept(d.class[i], score))))
			}
			return out
		}
		tr := walked(byPlaces(path, places, []float64{0, 1}, func(k, from, to int) float64 {
			return float64(to-from) * d.g.saved[k]
		}, d.g), d.counts)
		sums, counts := map[float64]float64{}, map[float64]float64{}
		for _, thresholds := range path {
			deferred, errors := d.outcome(func(i int) bool { return !thresholds.Accept(d.class[i], d.score[i]) })
			sums[deferred] += errors
			counts[deferred]++
		}
		if !slices.IsSorted(tr.deferred) {
			t.Fatalf("deferrals %v", tr.deferred)
		}
		for j, deferred := range tr.deferred {
			if tr.at == nil { // in order as they are: nothing was merged
				want, errors := d.outcome(func(i int) bool { return !path[j].Accept(d.class[i], d.score[i]) })
				if deferred != want || tr.errors[j] != errors {
					t.Fatalf("position %d: %v, %v; want %v, %v", j, deferred, tr.errors[j], want, errors)
				}
				continue
			}
			if want := sums[deferred] / counts[deferred]; math.Abs(tr.errors[j]-want) > 1e-12 {
				t.Fatalf("%v deferred: %v errors, want %v", deferred, tr.errors[j], want)
			}
		}
		if tr.at != nil && len(tr.deferred) != len(sums) {
			t.Fatalf("%d positions of %d different deferrals", len(tr.deferred), len(sums))
		}
	})
}

// The error at a deferral, the least deferral at an error and the area, against
// a look at every segment of the curve.
func TestTrackAgainstSegments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		tr := walked(byScore(d.score, d.g), d.counts)
		last := len(tr.deferred) - 1

		x := rapid.Float64Range(-1, tr.total+1).Draw(t, "deferred")
		got, ok := tr.errorAt(x)
		slack := 1e-8 * tr.total // to either side of an end both are right
		if inside := x >= slack && x <= tr.total-slack; ok != inside && min(math.Abs(x), math.Abs(x-tr.total)) > slack {
			t.Fatalf("%v of %v deferred: reached %v", x, tr.total, ok)
		}
		low, high := math.Inf(1), math.Inf(-1) // between the errors of all segments that contain x
		for j := range last {
			if a, b := tr.deferred[j], tr.deferred[j+1]; a-slack <= x && x <= b+slack {
				f := 0.0
				if b > a {
					f = (x - a) / (b - a)
				}
				e := tr.errors[j] + f*(tr.errors[j+1]-tr.errors[j])
				low, high = min(low, e), max(high, e)
			}
		}
		if ok && (got < low-1e-6 || got > high+1e-6) {
			t.Fatalf("%v errors where %v is deferred, want %v to %v", got, x, low, high)
		}

		e := rapid.Float64Range(0, tr.total).Draw(t, "errors")
		if rapid.Bool().Draw(t, "whole") {
			e = math.Round(e)
		}
		j, f, ok := tr.within(e)
		want := math.Inf(1) // the least deferral of any segment that comes down to e
		for k := range tr.errors {
			if tr.errors[k] <= e {
				want = min(want, tr.deferred[k])
			}
			if k > 0 && tr.errors[k-1] > e && tr.errors[k] <= e {
				share := (tr.errors[k-1] - e) / (tr.errors[k-1] - tr.errors[k])
				want = min(want, tr.deferred[k-1]+share*(tr.deferred[k]-tr.deferred[k-1]))
			}
		}
		if ok != !math.IsInf(want, 1) || ok && math.Abs(tr.deferredAt(j, f)-want) > 1e-6 {
			t.Fatalf("%v errors at %v deferrals (%v), want %v of %v", e, tr.deferredAt(j, f), ok, want,
				fmt.Sprint(tr.deferred, tr.errors))
		}
		if !ok && tr.errors[j] != slices.Min(tr.errors) {
			t.Fatalf("%v errors are out of reach: %v is not the least of %v", e, tr.errors[j], tr.errors)
		}

		a := rapid.Float64Range(0, tr.total).Draw(t, "from")
		b := rapid.Float64Range(a, tr.total).Draw(t, "to")
		sum := 0.0
		for j := range last {
			p, q := max(a, tr.deferred[j]), min(b, tr.deferred[j+1])
			if p < q {
				middle, _ := tr.errorAt((p + q) / 2) // of a straight line
				sum += middle * (q - p)
			}
		}
		if got := tr.area(a, b); math.Abs(got-sum) > 1e-6 {
			t.Fatalf("area %v from %v to %v, want %v", got, a, b, sum)
		}
	})
}

// Evenly, the ends and what is to be kept among them, each once.
func TestThin(t *testing.T) {
	for _, c := range []struct {
		name     string
		n, limit int
		keep     []int
		want     []int
	}{
		{"nothing", 0, 4, nil, nil},
		{"one", 1, 4, nil, []int{0}},
		{"all", 5, 4, nil, []int{0, 1, 2, 3, 4}},
		{"half", 9, 4, nil, []int{0, 2, 4, 6, 8}},
		{"uneven", 8, 3, nil, []int{0, 2, 4, 7}},
		{"kept", 9, 4, []int{3, 4, 9, -1}, []int{0, 2, 3, 4, 6, 8}},
	} {
		if got := thin(c.n, c.limit, c.keep...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
