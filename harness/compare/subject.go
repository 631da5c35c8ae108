package compare

import (
	"slices"
	"strconv"

	"infnet/harness/accept"
)

// subject is a cascade's dataset in both runs.
type subject struct {
	old, now *arm
	of       *match
	pairs    [][2]int // places in the two test parts that are one record
	groups   []string // of the pairs; nil = every record is alone
	unknown  bool     // what the accepted thresholds make of the new answers is not known of some policy
}

func newSubject(old, now *arm, of *match) *subject {
	s := &subject{old: old, now: now, of: of}
	old.k = len(now.data.Labels) + len(old.data.Labels) // classes that are gone have numbers of their own
	now.k = old.k
	for c := range now.data.Labels {
		now.codes = append(now.codes, c)
	}
	for c, is := range of.class {
		if is < 0 {
			is = len(now.data.Labels) + c
		}
		old.codes = append(old.codes, is)
	}
	at := places(old.test)
	for n, i := range now.test {
		if there, ok := at[of.of[i]]; ok {
			s.pairs = append(s.pairs, [2]int{there, n})
		}
	}
	if now.data.Group == nil {
		return s
	}
	seen, several := map[int]bool{}, false
	groups := make([]string, len(s.pairs))
	for i, p := range s.pairs {
		if g := now.data.Group[now.test[p[1]]]; g >= 0 {
			several, seen[g], groups[i] = several || seen[g], true, strconv.Itoa(g)
		}
	}
	if several {
		s.groups = groups
	}
	return s
}

// incomplete reports whether answers are missing in either run, beyond what the study allows.
func (s *subject) incomplete() bool { return s.old.cascade.Incomplete || s.now.cascade.Incomplete }

// timed reports whether costs are measured times.
func (s *subject) timed() bool {
	return s.old.cascade.CostModel == latency || s.now.cascade.CostModel == latency
}

// whole reports whether the test parts are the same records.
func (s *subject) whole() bool {
	return len(s.pairs) == len(s.old.test) && len(s.pairs) == len(s.now.test)
}

// lone reports whether a row asks one model alone.
func lone(policy string) bool { return policy == accept.None || policy == accept.All }

// quantities lists what the tables of both runs have in common, with what is to be tested of it.
func (s *subject) quantities(sameInputs bool) (out []*hypothesis) {
	for i := range s.now.m.Rows {
		now := &s.now.m.Rows[i]
		old := rowOf(s.old.m, now.Policy)
		if old == nil {
			continue
		}
		before, after := s.old.plays(old), s.now.plays(now)
		known := before != nil && after != nil && len(s.pairs) > 0
		tested, accepted := known, after
		if known && !sameInputs && !lone(now.Policy) {
			accepted = s.frozen(after)
			tested = accepted != nil
			s.unknown = s.unknown || !tested && !now.Baseline
		}
		for _, n := range s.numbers(old, now, known) {
			h := &hypothesis{number: n, s: s, q: &Quantity{Cascade: s.now.cascade.Name, Dataset: s.now.m.Dataset,
				Policy: now.Policy, Title: now.Title, Metric: n.metric, Unit: n.unit, Direction: n.direction,
				Baseline: now.Baseline && !lone(now.Policy)}}
			if n.metric == costs {
				h.q.Old, h.q.New = before.measured(), after.measured()
			} else {
				h.q.Old = old.Values[n.metric].Interval(s.old.run.Level, len(s.old.test))
				h.q.New = now.Values[n.metric].Interval(s.now.run.Level, len(s.now.test))
			}
			if tested && n.columns != nil {
				h.fill(before, after, accepted)
			}
			out = append(out, h)
		}
	}
	return out
}

// fill keeps the values of the records of both test parts, where the columns give the tables' numbers: where they do
// not, it is not known how the number came about, and it is not tested. Decided by the accepted thresholds the new
// values are others, unless the policies as fitted differ in no record.
func (h *hypothesis) fill(before, after, accepted *plays) {
	x, y, k := h.columns(before), h.columns(after), h.s.now.k
	if x == nil || len(x) != len(y) || !matches(h.of(x, k), h.q.Old.Value) || !matches(h.of(y, k), h.q.New.Value) {
		return
	}
	x, y = h.s.pick(x, 0), h.s.pick(y, 1)
	if h.metric == accept.PerQuery && (average(x[1]) == 0 || average(y[1]) == 0) {
		return // nothing is saved of nothing
	}
	h.x, h.y = x, y
	if accepted != after && h.differs() {
		if at := h.columns(accepted); at != nil {
			h.y = h.s.pick(at, 1)
			v := h.of(h.y, k)
			h.q.AtAccepted = &v
		}
	}
	if h.paid {
		h.costs = [2][]float64{h.x[0], h.y[0]}
	}
	if h.metric == accept.PerQuery && slices.Equal(x[1], h.y[1]) { // of one sum: every record saves its share of the mean
		h.sums = nil
		h.x, h.y = [][]float64{shares(h.x)}, [][]float64{shares(h.y)}
	}
}

// shares are what every query saves of what the master costs in the mean.
func shares(columns [][]float64) []float64 {
	out, of := make([]float64, len(columns[0])), average(columns[1])
	for i, x := range columns[0] {
		out[i] = 100 * (1 - x/of)
	}
	return out
}

// pick takes the pairs' values of one side.
func (s *subject) pick(columns [][]float64, side int) [][]float64 {
	out := make([][]float64, len(columns))
	for c := range out {
		for _, p := range s.pairs {
			out[c] = append(out[c], columns[c][p[side]])
		}
	}
	return out
}
