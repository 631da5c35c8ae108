package analyze

import (
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/policy"
	"infnet/harness/records"
)

// sweep is the sequence of a family's decisions on some records: at position 0 it
// defers what its laxest policy defers, usually nothing; at the last, everything.
type sweep struct {
	records int
	theta   []float64 // by position; nil for a path
	path    []policy.Thresholds
	changes []int32   // records whose decision changes, in order of positions
	places  []int32   // by change: the place of the model that answers; nil = the last of two everywhere
	costs   []float64 // by change: how much more is deferred; nil = 1 everywhere
	saved   []float64 // by change: how many errors less
	start   []int32   // position j makes the changes from start[j] to start[j+1]; position 0, to deferring nothing
	gains   gains     // by record
}

func (s *sweep) ends() { s.start = append(s.start, int32(len(s.changes))) }

// byScore is the sweep of all thresholds on a score in [0,1]: records of equal
// score move together.
func byScore(score []float64, g gains) *sweep {
	n := len(score)
	s := &sweep{records: n, theta: []float64{0}, start: []int32{0, 0}, gains: g, changes: make([]int32, 0, n),
		saved: make([]float64, 0, n)}
	for equal := range calc.Ties(score) {
		if len(s.changes) > 0 {
			s.theta = append(s.theta, score[equal[0]])
		}
		for _, i := range equal {
			s.changes, s.saved = append(s.changes, int32(i)), append(s.saved, g.saved[i])
		}
		s.ends()
	}
	if n > 0 {
		s.theta = append(s.theta, math.Inf(1))
	}
	return s
}

// byPlaces is the sweep along a path of policies: places[j][k] is the place of the model that answers record k under
// policy j, and step what asking up to a place defers. saved are the errors that another place makes less.
func byPlaces(path []policy.Thresholds, places func(policy.Thresholds) []int, step []float64,
	saved func(k, from, to int) float64, g gains) *sweep {
	s := &sweep{records: len(g.student), path: path, start: []int32{0}, gains: g, places: []int32{}}
	now := make([]int, s.records)
	for _, thresholds := range path {
		for k, to := range places(thresholds) {
			if from := now[k]; to != from {
				s.places, now[k] = append(s.places, int32(to)), to
				s.changes, s.costs = append(s.changes, int32(k)), append(s.costs, step[to]-step[from])
				s.saved = append(s.saved, saved(k, from, to))
			}
		}
		s.ends()
	}
	return s
}

// sweepOf is a family's sweep over the fit or the test part.
func sweepOf(r *records.Records, f *family, examples []int, score []float64, g gains) *sweep {
	if len(f.path) == 0 {
		return byScore(score, g)
	}
	columns, models := r.Pair(examples), f.asks(r)
	decide := func(t policy.Thresholds) []int { return places(policy.Policy{Thresholds: t}.Decide(columns)) }
	if f.kind == byChain {
		decide = r.Series(examples).Stages
	}
	return byPlaces(f.path, decide, f.steps(r), func(k, from, to int) float64 {
		return r.Models[models[from]].Errs[examples[k]] - r.Models[models[to]].Errs[examples[k]]
	}, g)
}

// steps are what asking up to each of the family's models defers: of a pair 1 for its second. Of a chain it is what its
// queries cost beyond the first model's answer, over the last model's cost.
func (f *family) steps(r *records.Records) []float64 {
	if f.kind != byChain {
		return []float64{0, 1}
	}
	upto := make([]float64, len(r.Models))
	for m := 1; m < len(upto); m++ {
		upto[m] = upto[m-1] + r.Models[m].Cost.Summary/r.Master().Cost.Summary
	}
	return upto
}

// track holds a sweep's weighted sums over records, by position, in order of
// deferrals.
type track struct {
	deferred []float64
	errors   []float64
	total    float64 // of the weights
	at       []int   // positions, where they are not 0, 1, 2, …; nil = they are
}

// gains holds, by record, the student's error and the error that deferring saves,
// e_s − e_m.
type gains struct{ student, saved []float64 }

// sums returns how many records there are, each counted so many times, and the
// student's errors on them.
func (g gains) sums(counts []uint8) (total, errors float64) {
	records := 0
	for i, n := range counts {
		records += int(n)
		errors += float64(float64(n) * g.student[i])
	}
	return float64(records), errors
}

func (s *sweep) plain() *track {
	var t track
	counts := slices.Repeat([]uint8{1}, s.records)
	total, errors := s.gains.sums(counts)
	s.walk(&t, counts, total, errors)
	return &t
}

// walk sums deferrals and errors along the sweep into t, which is reused, with each record counted so many times.
// total and errors are the sums of gains.
func (s *sweep) walk(t *track, counts []uint8, total, errors float64) {
	positions := len(s.start) - 1
	t.deferred = slices.Grow(t.deferred[:0], positions)[:positions]
	t.errors = slices.Grow(t.errors[:0], positions)[:positions]
	d, e, ascending := 0.0, errors, true
	for j := range positions {
		before := d
		from, to := s.start[j], s.start[j+1]
		saved := s.saved[from:to]
		for k, i := range s.changes[from:to] {
			w := float64(counts[i])
			e -= float64(w * saved[k])
			if s.costs != nil {
				w = float64(w * s.costs[int(from)+k])
			}
			d += w
		}
		if d < before {
			ascending = false
		}
		t.deferred[j], t.errors[j] = d, e
	}
	t.total, t.at = total, nil
	if !ascending {
		t.sort()
	}
}

// sort puts positions in order of deferrals: on records other than those it
// comes from a path may step back. Positions of equal deferrals are merged into
// their mean, so that no label decides between them.
func (t *track) sort() {
	var d, e []float64
	var at []int
	for equal := range calc.Ties(t.deferred) {
		sum := 0.0
		for _, j := range equal {
			sum += t.errors[j]
		}
		d, e = append(d, t.deferred[equal[0]]), append(e, sum/float64(len(equal)))
		at = append(at, equal[0])
	}
	t.deferred, t.errors, t.at = d, e, at
}

// errorAt returns the sum of errors at a given sum of deferrals (a sum of weights).
// Between two positions it is that of a coin between them. ok is false if the
// track does not reach that far; the value is then that of the nearest end.
func (t *track) errorAt(deferred float64) (errors float64, ok bool) {
	j, f, ok := t.where(deferred)
	if f == 0 {
		return t.errors[j], ok
	}
	return t.errors[j] + float64(f*(t.errors[j+1]-t.errors[j])), ok
}

// where returns the last position that defers at most so much, and the fraction of
// the way to the next, in [0,1). Less than a billionth of all weights counts as 0.
func (t *track) where(deferred float64) (j int, f float64, ok bool) {
	slack := float64(1e-9 * t.total)
	last := len(t.deferred) - 1
	switch {
	case deferred <= t.deferred[0]-slack:
		return 0, 0, false
	case deferred >= t.deferred[last]-slack:
		return last, 0, deferred <= t.deferred[last]+slack
	}
	// The first position that defers more, noticeably; there is one.
	j, _ = slices.BinarySearchFunc(t.deferred, deferred+slack, func(d, x float64) int {
		if d <= x {
			return -1
		}
		return 1
	})
	if j = max(0, j-1); deferred <= t.deferred[j]+slack {
		return j, 0, true
	}
	return j, (deferred - t.deferred[j]) / (t.deferred[j+1] - t.deferred[j]), true
}

// within returns the least deferral with at most so many errors, as a position and
// the fraction of the way to the next. ok is false if no position errs so rarely;
// the result is then the first of those with the fewest errors.
func (t *track) within(errors float64) (j int, f float64, ok bool) {
	slack := float64(1e-9 * t.total)
	most := errors + slack
	for j, e := range t.errors {
		if e <= most {
			if j == 0 || e >= errors {
				return j, 0, true
			}
			f = (t.errors[j-1] - errors) / (t.errors[j-1] - e)
			return j - 1, min(max(f, 0), 1), true
		}
	}
	least := 0
	for j, e := range t.errors {
		if e < t.errors[least]-slack {
			least = j
		}
	}
	return least, 0, false
}

func (t *track) deferredAt(j int, f float64) float64 {
	if f == 0 {
		return t.deferred[j]
	}
	return t.deferred[j] + float64(f*(t.deferred[j+1]-t.deferred[j]))
}

// area returns the integral of the errors over deferrals from lo to hi, both sums
// of weights. Beyond its ends a track is constant.
func (t *track) area(lo, hi float64) float64 {
	last := len(t.deferred) - 1
	sum := float64(t.errors[0]*max(0, min(hi, t.deferred[0])-lo)) +
		float64(t.errors[last]*max(0, hi-max(lo, t.deferred[last])))
	for j, _ := slices.BinarySearch(t.deferred[1:], lo); j < last && t.deferred[j] < hi; j++ {
		from, to, e := t.deferred[j], t.deferred[j+1], t.errors[j]
		rise, width := t.errors[j+1]-e, to-from
		a, b := max(lo, from), min(hi, to)
		if a == from && b == to && (rise == 0 || rise == width || rise == -width) {
			sum += float64((e + (e + rise)) / 2 * width) // a slope of 0 or ±1, the usual ones, needs no division
			continue
		}
		if b <= a {
			continue
		}
		slope := rise / width
		ea := e + float64(slope*(a-from))
		eb := e + float64(slope*(b-from))
		sum += float64((ea + eb) / 2 * (b - a))
	}
	return sum
}

// position returns the sweep's position of an entry of the track.
func (t *track) position(j int) int {
	if t.at == nil {
		return j
	}
	return t.at[j]
}
